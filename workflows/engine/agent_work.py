"""How far an agent is with a task, and why it failed where it did."""

from collections.abc import Iterable
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

UNMENDED = "unmended result"
"""The error of an agent that makes the same fault twice."""

_REMARKS = {
    Stage.FEWER_TURNS: "half of its budget was used, and it had fewer turns",
    Stage.CHEAPER_MODEL: "most of its budget was used, and a cheaper model went on",
}


NO_CONTEXT = TurnContext()


class AgentTask(NamedTuple):
    """A task, the agent that does it, and what that agent is shown besides. `place` tells it from
    another task of the same kind in a workflow. `opening` are the calls that are made before its
    first turn; without any, the first turn asks."""

    profile: AgentProfile
    assignment: TaskAssignment
    context: TurnContext = NO_CONTEXT
    place: str = ""
    opening: tuple[ToolCall, ...] = ()


class TaskFailed(Exception):
    """An agent failed at its task. The workflow that catches it has another agent do it, or goes on
    without.

    `usage` is what it cost all the same, `outages` the sources that were not asked for it, `reason`
    the error without the task's name.
    """

    def __init__(self, error: AgentError, reason: str | None = None) -> None:
        super().__init__(error.error_message)
        self.error = error
        self.reason = reason or error.error_message
        self.usage = Usage()
        self.outages: tuple[SourceOutage, ...] = ()


class AgentProgress:
    """What an agent has done so far. `draft` is a result with figures that are no claims, `answer`
    the last turn, `remarks` what was done in a lesser way than planned."""

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

    @property
    def came_to_nothing(self) -> str:
        """What became of the turns that brought no result: answers that did not come, and in the
        desk's own words why the last one was sent back."""
        told = [f"no result after {self.turns} turns"]
        if self.lost_answers:
            told.append(f"{self.lost_answers} answers did not come in time")
        if self.answer.feedback is not None:
            why = self.answer.feedback.partition(": ")[0].rstrip(".")
            told.append(f"the last one was sent back: {why[:1].lower()}{why[1:]}")
        return "; ".join(told)

    @property
    def evidence(self) -> tuple[ToolResult, ...]:
        """All tool results, in the order of the calls."""
        return tuple(result for exchange in self.exchanges for result in exchange.results)

    def degrade(self, stage: Stage, cheaper_model: str) -> None:
        """Go on with what a stage of the budget leaves; never back to more."""
        goes_on = stage is Stage.CHEAPER_MODEL and cheaper_model == self.model
        if stage > self.stage and stage in _REMARKS and not goes_on:
            self.remarks.append(_REMARKS[stage])
        self.stage = max(stage, self.stage)
        if self.stage is Stage.CHEAPER_MODEL:
            self.model = cheaper_model

    def over_budget(self, words: str, cheaper_model: str) -> None:
        """A model was not asked, because its call could cost more than is left for it."""
        self.stage = Stage(max(self.stage + 1, Stage.CHEAPER_MODEL))
        goes_on = self.stage is Stage.CHEAPER_MODEL and cheaper_model != self.model
        self.remarks.append(f"{words}, and a cheaper model went on" if goes_on else words)

    def go_on_with_draft(self, failed: TaskFailed) -> None:
        """Deliver the draft without the sentences that hold figures that are no claims."""
        self.remarks.append("sentences with figures that are no claims were left out")
        if failed.error.error_type != UNMENDED:
            self.remarks.append(failed.reason)

    def go_on_built_in(self, reason: str, task_type: TaskType) -> None:
        """Leave the rest to the built-in analyst, who writes no commentary."""
        lacks = task_type is TaskType.COMMENT_WEEK
        told = "there is no commentary" if lacks else "the built-in analyst delivered instead"
        self.remarks.append(f"{reason}; {told}")
        self.model = BUILTIN
        self.answer = Turn()


def with_usage_before(
    outcome: TaskOutcome, before: Usage, outages: Iterable[SourceOutage] = ()
) -> TaskOutcome:
    """The outcome, with what others took who did not deliver it, and what they could not ask."""
    line = outcome.contribution
    all_of_them = merged_outages((*outages, *line.outages))
    line = line.model_copy(update={"usage": before.plus(line.usage), "outages": all_of_them})
    return outcome.model_copy(update={"contribution": line})


def undelivered(failed: TaskFailed, agent: AgentId, kind: TaskType) -> Undelivered:
    """What remains of a task whose agent failed and that no other agent takes over."""
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
    """Whether a model was asked and its answer was lost: the call may be billed."""
    reason = error.cause
    return isinstance(reason, ApplicationError) and reason.type == FailureType.CALL_CUT_OFF


def billed(error: ActivityError, reserved: Allowance, model: str) -> Usage:
    """What a model's turn that failed may have been billed: what its worker says of all attempts,
    and all that was reserved where no worker got to say."""
    reason = error.cause
    if isinstance(reason, ApplicationError) and reason.details:
        return Usage.model_validate(reason.details[0])
    if isinstance(reason, TimedOut) or cut_off(error):
        return lost_usage(reserved).model_copy(update={"model": model})
    return Usage()
