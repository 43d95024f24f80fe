"""The contents of messages, made from the events of a task."""

from collections.abc import Mapping, Sized
from datetime import UTC, datetime
from typing import Final, NamedTuple

from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tasks import TaskAssignment, TaskType
from desk.contracts.episode.stock import ActionChoice
from desk.contracts.findings.results import (
    AgentError,
    Commentary,
    Recovery,
    ResearchResult,
    Severity,
    ValidationResult,
)
from desk.contracts.findings.verdicts import FactCheck
from desk.contracts.markets import MarketName
from desk.contracts.names import QUESTION_RUN, STOCK_RUN, SWARM_RUN, AgentId
from desk.contracts.question.knowledge import Found, Synthesis
from desk.contracts.question.plan import QuestionPlan
from desk.contracts.runs.messages import (
    AcceptanceStatus,
    BroadcastContent,
    ErrorReportContent,
    MessageContent,
    ResearchResultContent,
    ResultStatus,
    TaskAcceptanceContent,
    TaskAssignmentContent,
    TaskProgressContent,
    ValidationRequestContent,
    ValidationResultContent,
)
from desk.contracts.runs.turns import AgentResult
from desk.contracts.swarm.plan import SwarmPlan
from desk.contracts.week.plan import WeekPlan
from desk.runs.messages.events import (
    ActivityTaken,
    AttemptFailure,
    Entered,
    Failed,
    Lost,
    TurnAnswer,
    TurnAsked,
)

MOST_FINDINGS: Final = 8
LONGEST_LABEL: Final = 200
LONGEST_TEXT: Final = 4_000

_PHASES: Final = {
    Phase.PLANNING: "is being planned",
    Phase.RESEARCHING: "is being researched",
    Phase.REASSIGNING: "looks for somebody else to do a task",
    Phase.AWAITING_PERSON: "waits for a person",
    Phase.AWAITING_HORIZON: "waits for its horizon",
    Phase.PUBLISHING: "is being published",
    Phase.OPEN_FOR_RERUNS: "is open for reruns",
    Phase.CLOSED: "is closed",
}


def given(
    task: TurnAsked, failed_before: tuple[AgentId, ...]
) -> TaskAssignmentContent | ValidationRequestContent:
    """Returns the message that gives a task to an agent; for a validator, a request to validate."""
    if task.assignment.task_type is TaskType.VALIDATE:
        results = tuple(finding.result_id for finding in task.findings[:MOST_FINDINGS])
        return ValidationRequestContent(
            assignment=task.assignment, research_results_to_validate=results
        )
    return TaskAssignmentContent(
        assignment=task.assignment,
        retry_count=len(failed_before),
        reassigned_from=failed_before[-1] if failed_before else None,
    )


def accepted(assignment: TaskAssignment, taken: ActivityTaken) -> TaskAcceptanceContent:
    """Returns the message that a worker accepted the task."""
    return TaskAcceptanceContent(
        task_id=assignment.task_id,
        status=AcceptanceStatus.ACCEPTED,
        worker=taken.worker if is_identity(taken.worker) else None,
        estimated_completion=assignment.deadline,
    )


def rejected(assignment: TaskAssignment, failed: Failed) -> TaskAcceptanceContent:
    """Returns the message that no worker accepted the task in time."""
    return TaskAcceptanceContent(
        task_id=assignment.task_id,
        status=AcceptanceStatus.REJECTED,
        rejection_reason=f"no worker took it in time: {failed.fault.message}"[:LONGEST_TEXT],
    )


def progress(
    assignment: TaskAssignment, number: int, calls: int, answer: TurnAnswer
) -> TaskProgressContent:
    """Returns the message of a turn that does not deliver: the calls so far, and why the agent
    continues."""
    note = answer.note or answer.feedback or answer.over_budget
    if answer.cut_off:
        note = "the model's answer was lost on its way"
    elif answer.result is not None:
        note = f"a {answer.result.kind} that another turn replaces"
    return TaskProgressContent(
        task_id=assignment.task_id,
        turn=number,
        max_turns=max(assignment.limits.max_turns, number),
        tool_calls=calls,
        note=note,
    )


def delivered(result: AgentResult, assignment: TaskAssignment, seconds: float) -> MessageContent:
    """Returns the message with an agent's result. A plan, a commentary, a fact check and a
    controller's choice are broadcast."""
    if isinstance(result, ResearchResult):
        return ResearchResultContent(
            result=result,
            status=status_of(result),
            execution_time_minutes=max(seconds, 0.0) / 60,
            data_points_collected=len(result.claims),
            data_freshness_hours=freshness_of(result, assignment.window.end),
        )
    if isinstance(result, Found | Synthesis):
        return _found(result, seconds)
    if isinstance(result, ValidationResult):
        return ValidationResultContent(result=result, execution_time_minutes=max(seconds, 0.0) / 60)
    if isinstance(result, Commentary):
        return BroadcastContent(text=f"{assignment.week} is put into words: {_worded(result)}")
    if isinstance(result, FactCheck):
        return BroadcastContent(text=_checked(result))
    if isinstance(result, SwarmPlan):
        return BroadcastContent(
            text=f"a {result.complexity} objective, for {len(result.subagents)} specialists"
        )
    if isinstance(result, ActionChoice):
        return BroadcastContent(text=_chosen(result))
    if isinstance(result, QuestionPlan):
        graph = result.graph.name if result.graph else "the graph that it began with"
        return BroadcastContent(text=f"the question goes on with: {graph}")
    return _planned(result, assignment)


def _worded(written: Commentary) -> str:
    """Returns `4 themes`, or `6 sentences` for an earlier version's commentary."""
    if written.sentences:
        return f"{len(written.sentences)} sentences"
    return "1 theme" if len(written.themes) == 1 else f"{len(written.themes)} themes"


def _checked(check: FactCheck) -> str:
    """Returns `a second reading objects to 2 sentences`."""
    count = len({each.sentence for each in check.objections})
    what = f"{count} sentence{'' if count == 1 else 's'}" if count else "nothing"
    return f"a second reading objects to {what}"


def _found(result: Found | Synthesis, seconds: float) -> ResearchResultContent:
    things: Sized = result.quotations if isinstance(result, Synthesis) else result.evidence
    if isinstance(result, Synthesis) and result.recommendation is not None:
        things = (result.recommendation,)
    none = ResultStatus.PARTIAL if things else ResultStatus.FAILED
    return ResearchResultContent(
        result=result,
        status=none if result.missing or not things else ResultStatus.COMPLETED,
        execution_time_minutes=max(seconds, 0.0) / 60,
        data_points_collected=len(things),
    )


def _chosen(choice: ActionChoice) -> str:
    """Returns `NVDA: FETCH_NEWS, because …`."""
    market = choice.market.market
    words = f"{market}: {choice.action}" if choice.action else f"{market}: nothing more is done"
    return (f"{words}, because {choice.reason}" if choice.reason else words)[:LONGEST_TEXT]


def _planned(plan: WeekPlan, assignment: TaskAssignment) -> BroadcastContent:
    markets = f"{len(plan.markets)} market{'' if len(plan.markets) == 1 else 's'}"
    return BroadcastContent(text=f"{assignment.week} is planned: {markets}", phase=Phase.PLANNING)


def status_of(result: ResearchResult) -> ResultStatus:
    """Returns `partial` if some of what was looked for was not found, `failed` if nothing was
    found, else complete."""
    if not result.missing:
        return ResultStatus.COMPLETED
    found = result.claims or result.events or result.views or result.tones
    return ResultStatus.PARTIAL if found else ResultStatus.FAILED


def freshness_of(result: ResearchResult, as_of: datetime) -> float | None:
    """Returns the hours from the start of the newest claim's day (UTC) to the as-of instant."""
    if not result.claims:
        return None
    newest = max(claim.as_of for claim in result.claims)
    began = datetime(newest.year, newest.month, newest.day, tzinfo=UTC)
    return max((as_of - began).total_seconds() / 3_600, 0.0)


class Happened(NamedTuple):
    """The place of an error in Temporal's histories, and the recovery from it."""

    at: datetime
    context: Mapping[str, str | int]
    recovery: Recovery

    @property
    def impact(self) -> Severity:
        """The severity of the error, by the recovery from it."""
        return _IMPACTS[self.recovery]


_IMPACTS: Final = {
    Recovery.ANOTHER_TRY: Severity.LOW,
    Recovery.ANOTHER_TURN: Severity.MEDIUM,
    Recovery.WITHOUT_IT: Severity.MEDIUM,
    Recovery.REASSIGNMENT: Severity.HIGH,
    Recovery.DEAD_LETTER: Severity.CRITICAL,
    Recovery.NONE: Severity.HIGH,
}


def error_report(
    error: AgentError, happened: Happened, *, final: bool, task_id: str | None
) -> ErrorReportContent:
    """Returns the report of an error that an agent returned, completed from its event."""
    known = {
        "occurred_at": error.occurred_at or happened.at,
        "context": {**happened.context, **error.context},
        "recovery_action": happened.recovery,
        "impact": happened.impact,
    }
    reported = error.model_copy(update=known)
    return ErrorReportContent(error=reported, final=final, related_task_id=task_id)


def fault_report(
    fault: AttemptFailure,
    agent: AgentId,
    happened: Happened,
    *,
    final: bool,
    task_id: str | None = None,
    tool: str | None = None,
    attempt: int = 1,
) -> ErrorReportContent:
    """Returns the report of an attempt that failed, as Temporal recorded it."""
    error = AgentError(
        error_type=fault.error_type[:LONGEST_LABEL] or "unknown",
        error_message=fault.message[:LONGEST_TEXT],
        agent=agent,
        tool=tool,
        context={} if fault.call is None else {"call_fault": fault.call},
    )
    report = error_report(error, happened, final=final, task_id=task_id)
    stack = fault.stack[:LONGEST_TEXT] if fault.stack else None
    return report.model_copy(update={"attempt": attempt, "stack_trace": stack})


def lost_report(lost: Lost, context: Mapping[str, str | int]) -> ErrorReportContent:
    """Returns the report of a dead letter's last error, or of how a workflow ended."""
    letter = lost.letter
    if letter is None or not letter.errors:
        happened = Happened(lost.at, context, Recovery.NONE)
        report = fault_report(lost.fault, AgentId.PRODUCT_MANAGER, happened, final=True)
        if lost.workflow_id is not None:
            return report
        whole_run = report.error.model_copy(update={"impact": Severity.CRITICAL})
        return report.model_copy(update={"error": whole_run})
    happened = Happened(lost.at, context, Recovery.DEAD_LETTER)
    task_id = letter.assignment.task_id
    return error_report(letter.errors[-1], happened, final=True, task_id=task_id)


def entered(event: Entered, market: MarketName | None, run: str) -> BroadcastContent:
    """Returns the message that a market or the whole run entered a phase, with the outcome at its
    end. `run` is its workflow."""
    subject = market or _subject(run)
    if event.revision is not None:
        words = f"revision {event.revision} is on disk"
    elif event.phase is not None:
        words = f"{subject} {_PHASES[event.phase]}"
    else:
        words = subject
    if event.outcome is not None:
        words = f"{words}: {event.outcome.replace('_', ' ')}"
    return BroadcastContent(
        text=words,
        market=market,
        phase=event.phase,
        outcome=event.outcome,
        revision=event.revision,
    )


def _subject(run: str) -> str:
    if run.startswith(SWARM_RUN):
        return "the objective"
    if run.startswith(STOCK_RUN):
        return "the episode"
    return "the question" if run.startswith(QUESTION_RUN) else "the week"


def is_identity(name: str) -> bool:
    """Returns whether a Temporal identity names a process and its host, such as `4711@host-1`."""
    before, at, after = name.partition("@")
    return (
        bool(before and at and after)
        and len(name) <= LONGEST_LABEL
        and not ("@" in after or any(letter.isspace() for letter in name))
    )
