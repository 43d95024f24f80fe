"""An agent's progress on a task, and the error if it failed."""

from collections.abc import Iterable
from types import MappingProxyType
from typing import NamedTuple

from temporalio.exceptions import ActivityError, ApplicationError
from temporalio.exceptions import TimeoutError as TimedOut

from desk.agents.program import AgentProfile
from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.tasks import TaskAssignment, TaskType
from desk.contracts.agents.tools import Openings, SourceOutage, ToolCall, ToolResult
from desk.contracts.agents.usage import BUILTIN, Usage
from desk.contracts.findings.results import AgentError
from desk.contracts.names import AgentId, FailureType
from desk.contracts.runs.tasks import TaskOutcome
from desk.contracts.runs.turns import Exchange, Turn, TurnContext
from desk.contracts.week.report import Contribution
from desk.runs.assignments import Stage, Undelivered, lost_usage, merged_outages

UNCORRECTED = "unmended result"
"""The error type of an agent that makes the same fault twice in a row."""

_REMARKS = MappingProxyType(
    {
        Stage.FEWER_TURNS: "half of its budget was used, and it had fewer turns",
        Stage.CHEAPER_MODEL: "most of its budget was used, and a cheaper model went on",
    }
)


NO_CONTEXT = TurnContext()


class AgentTask(NamedTuple):
    """A task, the agent that does it, and the context that the agent is also shown.

    `place` distinguishes tasks of the same kind within one workflow. `opening` are the tool calls
    made before the first turn; if it is empty, the agent makes its first calls in its first turn.
    """

    profile: AgentProfile
    assignment: TaskAssignment
    context: TurnContext = NO_CONTEXT
    place: str = ""
    opening: tuple[ToolCall, ...] = ()


class TaskFailed(Exception):
    """An agent failed at its task. The workflow that catches this gives the task to another agent,
    or continues without its result.

    `usage` is what the agent spent, `outages` the sources whose calls were skipped because they
    kept failing, `reason` the error without the task's name.
    """

    def __init__(self, error: AgentError) -> None:
        super().__init__(error.error_message)
        self.error = error
        self.reason = error.reason or error.error_message
        self.usage = Usage()
        self.outages: tuple[SourceOutage, ...] = ()


class AgentProgress:
    """The state of an agent's work on one task.

    `draft` is the last turn whose result has figures that are not claims, `answer` the last turn.
    `remarks` say where the work was done with less than planned: fewer turns, a cheaper model, the
    built-in analyst. `fact_checks` counts the requests that checked its text; `gave_up` says that
    the writer did not correct its draft.
    """

    def __init__(self, model: str) -> None:
        self.model = model
        self.stage = Stage.AS_PLANNED
        self.usage = Usage()
        self.turns = 0
        self.exchanges: list[Exchange] = []
        self.draft: Turn | None = None
        self.judged = False
        self.openings: Openings = {}
        self.answer = Turn()
        self.remarks: list[str] = []
        self.lost_answers = 0
        self.fact_checks = 0
        self.gave_up = False

    @property
    def failure_summary(self) -> str:
        """Says why the turns brought no result: how many answers were lost, and why the last one
        was rejected."""
        parts = [f"no result after {self.turns} turns"]
        if self.lost_answers:
            parts.append(f"{self.lost_answers} answers did not come in time")
        if self.answer.feedback is not None:
            fault = self.answer.fault
            why = f": {fault[:1].lower()}{fault[1:]}" if fault else ""
            parts.append(f"the last one was sent back{why}")
        return "; ".join(parts)

    @property
    def evidence(self) -> tuple[ToolResult, ...]:
        """All tool results, in the order of the calls."""
        return tuple(result for exchange in self.exchanges for result in exchange.results)

    def degrade(self, stage: Stage, cheaper_model: str) -> None:
        """Restricts the work to what a stage of the budget allows. An earlier, less restricted
        stage is ignored."""
        same_model = stage is Stage.CHEAPER_MODEL and cheaper_model == self.model
        if stage > self.stage and stage in _REMARKS and not same_model:
            self.remarks.append(_REMARKS[stage])
        self.stage = max(stage, self.stage)
        if self.stage is Stage.CHEAPER_MODEL:
            self.model = cheaper_model

    def over_budget(self, words: str, cheaper_model: str) -> None:
        """Notes that a model was not asked because the call could have cost more than the budget
        allows, and moves on to the next stage."""
        self.stage = Stage(max(self.stage + 1, Stage.CHEAPER_MODEL))
        continues = self.stage is Stage.CHEAPER_MODEL and cheaper_model != self.model
        self.remarks.append(f"{words}, and a cheaper model went on" if continues else words)

    def deliver_draft(self, failed: TaskFailed) -> None:
        """Notes that the draft is delivered without the sentences whose figures are not claims."""
        self.gave_up = True
        self.remarks.append("sentences with figures that are no claims were left out")
        if failed.error.error_type != UNCORRECTED:
            self.remarks.append(failed.reason)

    def switch_to_builtin(self, reason: str, task_type: TaskType) -> None:
        """Switches to the built-in analyst for the rest of the task and notes why. The built-in
        analyst writes no commentary."""
        lacks = task_type is TaskType.COMMENT_WEEK
        outcome = "there is no commentary" if lacks else "the built-in analyst delivered instead"
        self.remarks.append(f"{reason}; {outcome}")
        self.model = BUILTIN
        self.answer = Turn()


def with_usage_before(
    outcome: TaskOutcome, before: Usage, outages: Iterable[SourceOutage] = ()
) -> TaskOutcome:
    """Returns the outcome with the usage and the outages of earlier agents added, which failed at
    the same task."""
    line = outcome.contribution
    all_outages = merged_outages((*outages, *line.outages))
    line = line.model_copy(update={"usage": before.plus(line.usage), "outages": all_outages})
    return outcome.model_copy(update={"contribution": line})


def undelivered(failed: TaskFailed, agent: AgentId, kind: TaskType) -> Undelivered:
    """Returns the record of a task whose agent failed and that is not given to another agent."""
    return Undelivered(
        Contribution(
            agent=agent,
            task_type=kind,
            delivered=False,
            error=str(failed)[:4_000],
            usage=failed.usage,
            outages=failed.outages,
        )
    )


def cut_off(error: ActivityError) -> bool:
    """Whether a turn failed because a model's answer was lost. The call may have been billed."""
    reason = error.cause
    return isinstance(reason, ApplicationError) and reason.type == FailureType.CALL_CUT_OFF


def billed(error: ActivityError, reserved: Allowance, model: str) -> Usage:
    """The usage that may have been billed for a failed turn of a model.

    This is the usage that the worker reported for all attempts. If no worker could report, it is
    all that was reserved for the turn.
    """
    reason = error.cause
    if isinstance(reason, ApplicationError) and reason.details:
        return Usage.model_validate(reason.details[0])
    if isinstance(reason, TimedOut) or cut_off(error):
        return lost_usage(reserved).model_copy(update={"model": model})
    return Usage()
