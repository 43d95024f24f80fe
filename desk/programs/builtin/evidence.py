"""Calls to sources for a capability, and their answers parsed as evidence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import JsonValue, ValidationError

from desk.agents.capabilities import usual_route
from desk.contracts.agents.capabilities import USUAL_ROUTES, Capability
from desk.contracts.agents.tasks import TaskAssignment
from desk.contracts.agents.tools import DataSource, ToolCall, ToolResult, ToolStatus, capability_of
from desk.contracts.findings.results import AgentError
from desk.contracts.findings.source_results import PolicyRates, RateDecisions, SourceResult
from desk.contracts.markets import MarketSpec
from desk.contracts.names import CallFault, FailureType
from desk.contracts.runs.turns import TurnRequest
from desk.trust.contents import read_as
from desk.trust.ledger import EvidenceUnusable, attributed, read_answer

Answer = TypeVar("Answer", bound=SourceResult)

LONGEST_MESSAGE = 4_000


class TaskNotPossible(Exception):
    """An agent cannot do its task. `error` is what it delivers instead of a result."""

    def __init__(self, error: AgentError) -> None:
        super().__init__(error.error_message)
        self.error = error


@dataclass(frozen=True, slots=True)
class Evidence(Generic[Answer]):
    """A tool's answer, and the source that it is listed as.

    `stand_in` says which source it replaced, if it is not the first choice.
    """

    answer: Answer
    source: DataSource
    stand_in: str | None = None

    @property
    def evidence_id(self) -> str:
        """The id by which claims refer to it."""
        return self.source.evidence_id


def ask(assignment: TaskAssignment, capability: Capability, **arguments: JsonValue) -> ToolCall:
    """Builds a call for a capability. An agent makes only one call for each, so the name of the
    usual tool makes the id unique."""
    usual = usual_route(capability)
    return ToolCall(
        call_id=f"{assignment.task_id}/{usual.tool}",
        server=usual.server,
        tool=usual.tool,
        arguments=arguments,
        capability=capability,
    )


def unasked(calls: Iterable[ToolCall], results: Sequence[ToolResult]) -> tuple[ToolCall, ...]:
    """Returns the calls of a task that remain to be made: those that were not made yet, and again,
    under a new id, each that was made with other arguments."""
    ids = [result.evidence_id for result in results]
    asked = {result.evidence_id: result.call for result in results}
    left = (call for call in calls if not any(one.startswith(f"{call.call_id}.") for one in ids))
    return tuple(
        call.model_copy(update={"call_id": f"{call.call_id}.{len(results)}"})
        if call.call_id in asked
        else call
        for call in left
        if call.call_id not in asked or not _holds(asked[call.call_id], call)
    )


def _holds(asked: ToolCall, call: ToolCall) -> bool:
    """Returns whether a call was made with all the arguments. The route that took it may have other
    names for them, and additional ones."""
    given = list(asked.arguments.values())
    return all(value in given for value in call.arguments.values())


def is_offered(assignment: TaskAssignment, capability: Capability) -> bool:
    """Returns whether a capability is available in this run: a run without a network has no live
    sources."""
    routes = {(route.server, route.tool) for route in USUAL_ROUTES[capability]}
    return any((tool.server, tool.tool) in routes for tool in assignment.tools)


def read(request: TurnRequest, capability: Capability, kind: type[Answer]) -> Evidence[Answer]:
    """Parses the newest answer for a capability, from any route.

    Raises:
        TaskNotPossible: no call was made, none was answered, or the answer has another form.
    """
    result = _newest(request, capability)
    tool = result.call.tool if result else usual_route(capability).tool
    if result is None:
        raise _impossible(request, FailureType.TOOL_UNAVAILABLE, tool, "there is no result of it")
    if result.status is not ToolStatus.OK:
        failure = _FAILURES[result.status]
        raise _impossible(request, failure, tool, result.error or "no reason was given")
    try:
        answer = read_as(kind, result.content)
    except ValidationError as error:
        reason = f"its answer is no {kind.__name__}: {error}"
        raise _impossible(request, FailureType.TURN_FAILED, tool, reason) from error
    by = answer.source.model_copy(update={"origin": origin_of(answer)})
    return Evidence(answer, attributed(result, by), _stand_in(result, capability))


def unanswered(request: TurnRequest, capability: Capability) -> tuple[str, str]:
    """Returns, for readers, the server that was called last for a capability and why there is no
    usable answer of it. What a refusal says are the tool's own words."""
    result = _newest(request, capability)
    if result is None:
        return usual_route(capability).server, "it was not asked"
    if result.status is ToolStatus.OK:
        return result.call.server, "its answer could not be read"
    words = _FAULTS[result.fault] if result.fault else result.error or "it gave no answer"
    return result.call.server, words


def _newest(request: TurnRequest, capability: Capability) -> ToolResult | None:
    asked = (r for r in reversed(request.results) if capability_of(r.call) is capability)
    return next(asked, None)


def consult(
    request: TurnRequest, capability: Capability, kind: type[Answer]
) -> tuple[Evidence[Answer] | None, str | None]:
    """Like `read`, for a source that the task can do without. Returns its answer, or the reason why
    there is none."""
    try:
        return read(request, capability, kind), None
    except TaskNotPossible as impossible:
        return None, impossible.error.error_message


def readable(result: ToolResult) -> SourceResult | None:
    """Parses a tool's answer in the desk's own form. Returns None if it has another form."""
    try:
        return read_answer(result.content)
    except EvidenceUnusable:
        return None


def market_of(request: TurnRequest) -> MarketSpec:
    """Returns the market of the assignment.

    Raises:
        TaskNotPossible: the assignment has no market.
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


def _stand_in(result: ToolResult, capability: Capability) -> str | None:
    """Omits the reason, which is third-party text: the tool result has it."""
    if result.in_place_of is None:
        return None
    asked = capability.replace("_", " ")
    return f"{asked}: {result.call.server} answered in place of a source that could not"


_FAULTS = {
    CallFault.TIMEOUT: "it did not answer in time",
    CallFault.UNREACHABLE: "it could not be reached",
    CallFault.RESET: "the connection broke before its answer was complete",
    CallFault.MALFORMED: "its answer could not be read",
    CallFault.SERVER_ERROR: "it reported an error of its own",
    CallFault.TOO_LARGE: "its answer was too large",
    CallFault.CIRCUIT_OPEN: "it was not asked again after it had failed several times",
    CallFault.MISCONFIGURED: "it could not be started",
}
"""Why a call got no answer, as readers of a document are told."""

_FAILURES = {
    ToolStatus.REFUSED: FailureType.TOOL_REFUSED,
    ToolStatus.UNAVAILABLE: FailureType.TOOL_UNAVAILABLE,
}


def unusable(request: TurnRequest, capability: Capability, reason: str) -> TaskNotPossible:
    """The exception to raise when an answer parses but contradicts itself."""
    tool = usual_route(capability).tool
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
            reason=reason[:LONGEST_MESSAGE],
            agent=request.assignment.agent,
            tool=tool,
            recovery_action="reassign the task",
        )
    )


def origin_of(answer: SourceResult) -> str | None:
    """Returns who first published the figures of an answer, if one body published all of them."""
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
