"""The events of a run's histories that messages are made from."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, NamedTuple

from pydantic import Field, JsonValue

from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tasks import TaskAssignment
from desk.contracts.base import Contract, ShortText, Text
from desk.contracts.findings.escalations import WaitingNotice
from desk.contracts.findings.results import AgentError, DeadLetter
from desk.contracts.markets import MarketName
from desk.contracts.names import (
    AgentId,
    CallFault,
    activity_id_parts,
    without_reassignment,
    workflow_id_parts,
)
from desk.contracts.runs.turns import AgentResult
from desk.contracts.runs.week import RerunRequest


class FindingId(Contract):
    """A research result that a validator was given, by its id."""

    result_id: ShortText


class TurnAsked(Contract):
    """The part of a turn's request that describes the task, without the transcript and the
    evidence."""

    assignment: TaskAssignment
    findings: Annotated[tuple[FindingId, ...], Field(max_length=800)] = ()


class TurnAnswer(Contract):
    """The part of a turn's answer that messages use, without the model's text and the cost."""

    calls: Annotated[tuple[JsonValue, ...], Field(max_length=200)] = ()
    result: AgentResult | None = None
    failure: AgentError | None = None
    feedback: Annotated[Text | None, Field(validation_alias="objection")] = None
    over_budget: Text | None = None
    cut_off: bool = False
    note: Text | None = None


class ReassignedTask(Contract):
    """The part of a `ReassignmentWorkflow`'s request that describes the task."""

    assignment: TaskAssignment
    tried: Annotated[tuple[AgentId, ...], Field(max_length=8)]
    errors: Annotated[tuple[AgentError, ...], Field(max_length=8)]


class MarketAsked(Contract):
    """A market that a run was started for."""

    market: MarketName


class MarketsAsked(Contract):
    """The part of a run's configuration that names its markets."""

    markets: Annotated[tuple[MarketAsked, ...], Field(max_length=200)]


class WeekAsked(Contract):
    """The part of a week's request that names its markets."""

    config: MarketsAsked


class AttemptFailure(NamedTuple):
    """Why an attempt failed, as Temporal recorded it. `call` is why a tool call got no answer, if
    its worker reported it."""

    error_type: str
    message: str
    stack: str | None = None
    call: CallFault | None = None


@dataclass(frozen=True)
class MessageEvent:
    """An event of a history, with its number and its time."""

    event_id: int
    at: datetime


@dataclass(frozen=True)
class ActivityAsked(MessageEvent):
    """An activity was scheduled. `task` is set for the first turn of an agent on a task. `timeout`
    is in seconds, retries included."""

    activity_id: str
    queue: str
    timeout: float | None = None
    task: TurnAsked | None = None


@dataclass(frozen=True)
class ActivityTaken(MessageEvent):
    """A worker started an activity. `before` is why the attempt before this one failed."""

    asked: int
    worker: str
    attempt: int = 1
    before: AttemptFailure | None = None


@dataclass(frozen=True)
class TurnAnswered(MessageEvent):
    """A turn was completed."""

    asked: int
    turn: TurnAnswer


@dataclass(frozen=True)
class Failed(MessageEvent):
    """An activity failed after all retries. `taken` says whether a worker had started it."""

    asked: int
    fault: AttemptFailure
    taken: bool = True


@dataclass(frozen=True)
class Entered(MessageEvent):
    """The run entered a phase."""

    phase: Phase | None = None
    outcome: Outcome | None = None
    revision: int | None = None


@dataclass(frozen=True)
class RerunAsked(MessageEvent):
    """A rerun of a market was requested."""

    by: str
    request: RerunRequest


@dataclass(frozen=True)
class WaitingNoted(MessageEvent):
    """A market waits for a person, or no longer does."""

    notice: WaitingNotice


@dataclass(frozen=True)
class Reassigned(MessageEvent):
    """A failed task was given to a `ReassignmentWorkflow`."""

    request: ReassignedTask


@dataclass(frozen=True)
class Lost(MessageEvent):
    """A workflow ended without a result: this one, or the child with this id."""

    fault: AttemptFailure
    workflow_id: str | None = None
    letter: DeadLetter | None = None


class Pending(NamedTuple):
    """An activity that has not ended, as the server currently describes it."""

    activity_id: str
    attempt: int = 1
    worker: str = ""
    started_at: datetime | None = None
    beaten_at: datetime | None = None
    failed_at: datetime | None = None
    fault: AttemptFailure | None = None


@dataclass(frozen=True)
class WorkflowEvents:
    """One workflow of a run: its parent, its events in order, and its pending activities.

    `handed` is the task that a reassignment was started with.
    """

    workflow_id: str
    run_id: str
    events: tuple[MessageEvent, ...]
    started_by: str = ""
    handed: ReassignedTask | None = None
    pending: tuple[Pending, ...] = ()

    @property
    def market(self) -> str | None:
        """The market that it works on; None for a week's run."""
        return workflow_id_parts(self.workflow_id).market

    @property
    def family(self) -> str:
        """The id of the market's workflow that it belongs to: its own, or its parent's."""
        return without_reassignment(self.workflow_id)


class TurnKey(NamedTuple):
    """The turn of an activity, parsed from its id: the agent's place in the workflow, and the
    number of the turn."""

    place: str
    agent: AgentId
    number: int


def turn_of(activity_id: str) -> TurnKey | None:
    """Returns the turn of an activity, or None if it is not an agent's turn."""
    parts = activity_id_parts(activity_id)
    if parts is None or parts.call is not None or parts.agent not in AgentId.known():
        return None
    return TurnKey(parts.task, AgentId(parts.agent), parts.turn)
