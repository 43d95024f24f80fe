"""A run's histories in the small form that messages are made from: who was asked what, and when."""

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
    """What a turn's request says of the task; the transcript and the evidence are not read."""

    assignment: TaskAssignment
    findings: Annotated[tuple[FindingId, ...], Field(max_length=800)] = ()


class TurnAnswer(Contract):
    """What a turn's answer says, without what a model said and what it cost."""

    calls: Annotated[tuple[JsonValue, ...], Field(max_length=200)] = ()
    result: AgentResult | None = None
    failure: AgentError | None = None
    feedback: Annotated[Text | None, Field(validation_alias="objection")] = None
    over_budget: Text | None = None
    cut_off: bool = False
    note: Text | None = None


class HandedOn(Contract):
    """What the request of a `ReassignmentWorkflow` says of the task."""

    assignment: TaskAssignment
    tried: Annotated[tuple[AgentId, ...], Field(max_length=8)]
    errors: Annotated[tuple[AgentError, ...], Field(max_length=8)]


class MarketAsked(Contract):
    """A market that a run was started for."""

    market: MarketName


class MarketsAsked(Contract):
    """What a run's configuration says of its markets."""

    markets: Annotated[tuple[MarketAsked, ...], Field(max_length=200)]


class WeekAsked(Contract):
    """What the request for a week's run says of its markets."""

    config: MarketsAsked


class AttemptFailure(NamedTuple):
    """Why an attempt failed, as Temporal kept it. `call` is why a call of a tool had no answer, as
    far as its worker could say."""

    error_type: str
    message: str
    stack: str | None = None
    call: CallFault | None = None


@dataclass(frozen=True)
class MessageEvent:
    """Something that stands in a history: under which number, and when it happened."""

    event_id: int
    at: datetime


@dataclass(frozen=True)
class ActivityAsked(MessageEvent):
    """An activity was asked for. `task` is known of the first turn of an agent on a task.

    `timeout` is in seconds, from its asking to its end whatever happens.
    """

    activity_id: str
    queue: str
    timeout: float | None = None
    task: TurnAsked | None = None


@dataclass(frozen=True)
class ActivityTaken(MessageEvent):
    """A worker took an activity; `before` is why the attempt before this one failed."""

    asked: int
    worker: str
    attempt: int = 1
    before: AttemptFailure | None = None


@dataclass(frozen=True)
class TurnAnswered(MessageEvent):
    """A turn was answered."""

    asked: int
    turn: TurnAnswer


@dataclass(frozen=True)
class Failed(MessageEvent):
    """An activity failed for good. `taken`: a worker had started it; else no worker took it in
    time."""

    asked: int
    fault: AttemptFailure
    taken: bool = True


@dataclass(frozen=True)
class Entered(MessageEvent):
    """The run said where it stands."""

    phase: Phase | None = None
    outcome: Outcome | None = None
    revision: int | None = None


@dataclass(frozen=True)
class RerunAsked(MessageEvent):
    """Somebody asked for a market once more."""

    by: str
    request: RerunRequest


@dataclass(frozen=True)
class WaitingNoted(MessageEvent):
    """A market waits for a person, or waits no more."""

    notice: WaitingNotice


@dataclass(frozen=True)
class Reassigned(MessageEvent):
    """A task that failed was given to a `ReassignmentWorkflow`."""

    request: HandedOn


@dataclass(frozen=True)
class Lost(MessageEvent):
    """A workflow ended without a result: this one, or a child of that id."""

    fault: AttemptFailure
    workflow_id: str | None = None
    letter: DeadLetter | None = None


class Pending(NamedTuple):
    """An activity that is not at its end, as the server knows it at the moment."""

    activity_id: str
    attempt: int = 1
    worker: str = ""
    started_at: datetime | None = None
    beaten_at: datetime | None = None
    failed_at: datetime | None = None
    fault: AttemptFailure | None = None


@dataclass(frozen=True)
class ToldWorkflow:
    """One workflow of a run: who started it, its events in their order, and what it waits for.

    `handed` is what a search for somebody else was started with.
    """

    workflow_id: str
    run_id: str
    events: tuple[MessageEvent, ...]
    started_by: str = ""
    handed: HandedOn | None = None
    pending: tuple[Pending, ...] = ()

    @property
    def market(self) -> str | None:
        """The market that it works on; None for the run of a week."""
        return workflow_id_parts(self.workflow_id).market

    @property
    def family(self) -> str:
        """The workflow of the market that it belongs to: its own id, or its parent's."""
        return without_reassignment(self.workflow_id)


class TurnKey(NamedTuple):
    """Whose turn an activity is, by its id: the agent's place in the workflow, and the count."""

    place: str
    agent: AgentId
    number: int


def turn_of(activity_id: str) -> TurnKey | None:
    """Whose turn it is; None where the activity is no turn of an agent."""
    parts = activity_id_parts(activity_id)
    if parts is None or parts.call is not None or parts.agent not in AgentId.known():
        return None
    return TurnKey(parts.task, AgentId(parts.agent), parts.turn)
