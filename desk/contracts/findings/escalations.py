"""A conflict that a person is asked to decide: the case, the answer and the decision."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from desk.contracts.agents.tools import ToolResult
from desk.contracts.base import Contract, Instant, ShortText, Text
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ConflictRecord
from desk.contracts.markets import MarketName
from desk.contracts.weeks import IsoWeek


class EscalationRequest(Contract):
    """What a person is asked, with everything needed to answer.

    `default` is the place of the position, counted from 0, that holds when nobody answers by
    `deadline`; None withholds the figure. A reminder goes out at `remind_at`.
    """

    week: IsoWeek
    market: MarketName
    conflict: ConflictRecord
    claims: Annotated[tuple[Claim, ...], Field(max_length=16)] = ()
    evidence: Annotated[tuple[ToolResult, ...], Field(max_length=16)] = ()
    default: Annotated[int, Field(ge=0, le=7)] | None
    remind_at: Instant
    deadline: Instant


class EscalationAnswer(Contract):
    """What a person answers: the place of the position that is right, counted from 0, or None
    when none is and the figure is to be withheld. `by` is who answers.

    Whether there is such a position is for the case to say, which lists those that there are.
    """

    position: int | None
    by: ShortText
    note: Annotated[str, Field(max_length=1_000)] | None = None


class EscalationState(StrEnum):
    """Where a case stands. `ended`: its run was ended from outside before it was decided, and the
    market went on with the default."""

    OPEN = "open"
    ANSWERED = "answered"
    DEFAULTED = "defaulted"
    ENDED = "ended"


class EscalationDecision(Contract):
    """How a case ended: the conflict as it was decided, and by whom. Without `answer` nobody
    answered in time and the stated default holds."""

    conflict: ConflictRecord
    state: EscalationState
    answer: EscalationAnswer | None = None
    decided_at: Instant
    note: Text | None = None


class EscalationStatus(Contract):
    """The answer of the `escalation` query."""

    request: EscalationRequest
    state: EscalationState
    reminded: bool = False
    decision: EscalationDecision | None = None


class EscalationListing(Contract):
    """A line of `desk escalations list`."""

    workflow_id: ShortText
    status: EscalationStatus


class WaitingNotice(Contract):
    """What a market tells the run of its week: the workflow ids of the cases that it waits for a
    person to decide; none when it waits no more."""

    market: MarketName
    escalations: Annotated[tuple[ShortText, ...], Field(max_length=50)] = ()
