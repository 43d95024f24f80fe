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
    """The case for a person, with everything needed to answer it.

    `default` is the index (from 0) of the position that applies when there is no answer by
    `deadline`; None withholds the figure. A reminder is sent at `remind_at`.
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
    """A person's answer: the index (from 0) of the right position, or None when no position is
    right and the figure is to be withheld. `by` is the person who answers.

    Whether the position exists is checked against the case, which lists the positions.
    """

    position: int | None
    by: ShortText
    note: Annotated[str, Field(max_length=1_000)] | None = None


class EscalationState(StrEnum):
    """The state of a case. `ended`: its run was ended from outside before a decision, and the
    market continued with the default."""

    OPEN = "open"
    ANSWERED = "answered"
    DEFAULTED = "defaulted"
    ENDED = "ended"


class EscalationDecision(Contract):
    """How a case ended: the conflict as decided, and by whom. Without `answer` there was no answer
    in time and the stated default applies."""

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
    """A market's message to its week's run: the workflow ids of the cases it waits for a person to
    decide; empty when it no longer waits."""

    market: MarketName
    escalations: Annotated[tuple[ShortText, ...], Field(max_length=50)] = ()
