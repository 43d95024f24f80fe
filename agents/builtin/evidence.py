"""Asking tools, and reading their answers as evidence."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import JsonValue, ValidationError

from contracts.markets import MarketSpec
from contracts.names import FailureType
from contracts.results import AgentError
from contracts.source_results import PolicyRates, RateDecisions, SourceResult
from contracts.tasks import TaskAssignment
from contracts.tools import DataSource, ToolCall, ToolResult, ToolStatus
from contracts.turns import TurnRequest
from domain.ledger_evidence import EvidenceUnusable, attributed, read_answer

Answer = TypeVar("Answer", bound=SourceResult)

LONGEST_MESSAGE = 4_000


class TaskNotPossible(Exception):
    """An agent cannot do its task. `error` is what it hands in instead of a result."""

    def __init__(self, error: AgentError) -> None:
        super().__init__(error.error_message)
        self.error = error


@dataclass(frozen=True, slots=True)
class Evidence(Generic[Answer]):
    """A tool's answer, and the source it is listed as."""

    answer: Answer
    source: DataSource

    @property
    def evidence_id(self) -> str:
        """What claims refer to."""
        return self.source.evidence_id


def ask(assignment: TaskAssignment, server: str, tool: str, **arguments: JsonValue) -> ToolCall:
    """A call of one tool; an agent asks each tool once, so the tool's name makes the id unique."""
    return ToolCall(
        call_id=f"{assignment.task_id}/{tool}", server=server, tool=tool, arguments=arguments
    )


def read(request: TurnRequest, tool: str, kind: type[Answer]) -> Evidence[Answer]:
    """The newest answer of a tool.

    Raises:
        TaskNotPossible: the tool was not asked, did not answer, or answered something else.
    """
    result = next((r for r in reversed(request.results) if r.call.tool == tool), None)
    if result is None:
        raise _impossible(request, FailureType.TOOL_UNAVAILABLE, tool, "there is no result of it")
    if result.status is not ToolStatus.OK:
        failure = _FAILURES[result.status]
        raise _impossible(request, failure, tool, result.error or "no reason was given")
    try:
        answer = kind.model_validate(result.content)
    except ValidationError as error:
        reason = f"its answer is no {kind.__name__}: {error}"
        raise _impossible(request, FailureType.TURN_FAILED, tool, reason) from error
    by = answer.source.model_copy(update={"origin": origin_of(answer)})
    return Evidence(answer, attributed(result, by))


def consult(
    request: TurnRequest, tool: str, kind: type[Answer]
) -> tuple[Evidence[Answer] | None, str | None]:
    """As `read`, for a source that the task can do without: its answer, or why there is none."""
    try:
        return read(request, tool, kind), None
    except TaskNotPossible as impossible:
        return None, impossible.error.error_message


def readable(result: ToolResult) -> SourceResult | None:
    """A tool's answer in the desk's own form; None when it has another."""
    try:
        return read_answer(result.content)
    except EvidenceUnusable:
        return None


def market_of(request: TurnRequest) -> MarketSpec:
    """The market that the assignment is about.

    Raises:
        TaskNotPossible: it names none.
    """
    if request.assignment.market is None:
        raise TaskNotPossible(
            AgentError(
                error_type=FailureType.UNUSABLE_REQUEST,
                error_message=f"the task {request.assignment.task_id} names no market",
                agent=request.assignment.agent,
            )
        )
    return request.assignment.market


_FAILURES = {
    ToolStatus.REFUSED: FailureType.TOOL_REFUSED,
    ToolStatus.UNAVAILABLE: FailureType.TOOL_UNAVAILABLE,
}


def unusable(request: TurnRequest, tool: str, reason: str) -> TaskNotPossible:
    """What to raise when an answer parses but contradicts itself."""
    return _impossible(request, FailureType.TURN_FAILED, tool, reason)


def _impossible(
    request: TurnRequest, failure: FailureType, tool: str, reason: str
) -> TaskNotPossible:
    market = request.assignment.market.market if request.assignment.market else "no market"
    message = f"{tool} for {market} in {request.assignment.week}: {reason}"
    return TaskNotPossible(
        AgentError(
            error_type=failure,
            error_message=message[:LONGEST_MESSAGE],
            agent=request.assignment.agent,
            tool=tool,
            recovery_action="reassign the task",
        )
    )


def origin_of(answer: SourceResult) -> str | None:
    """Who first published the figures of an answer, where that is one body for all of them."""
    if answer.source.origin is not None:
        return answer.source.origin
    match answer:
        case PolicyRates():
            origins = {rate.origin for rate in answer.rates if rate.rate is not None}
        case RateDecisions():
            origins = {decision.origin for decision in answer.decisions}
        case _:
            return None
    return origins.pop() if len(origins) == 1 else None
