"""What agents deliver."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from contracts.base import Confidence, Contract, Instant, ShortText, Text
from contracts.claims import Claim, ClaimId
from contracts.markets import AreaCode, MarketName, PairSymbol
from contracts.names import AgentId
from contracts.tasks import TaskAssignment
from contracts.tools import DataSource


class EventType(StrEnum):
    """What kind of thing happened."""

    FX_MOVEMENT = "fx_movement"
    RATE_DECISION = "rate_decision"
    SCHEDULED_DECISION = "scheduled_decision"
    ECONOMIC_DATA = "economic_data"


class Impact(StrEnum):
    """How much an event matters, by the rules in docs/method.md."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class MarketEvent(Contract):
    """One thing that happened, or is scheduled to.

    `description` is prose with references such as `[[USD/JPY:move]]` in place of figures.
    `claims` are the ids of the claims it rests on.
    """

    event_id: ShortText
    event_type: EventType
    market: MarketName
    currency_pair: PairSymbol | None = None
    area: AreaCode | None = None
    central_bank: ShortText | None = None
    event_date: date
    description: Text
    impact: Impact
    claims: Annotated[tuple[ClaimId, ...], Field(max_length=20)] = ()
    source_url: Annotated[str, Field(max_length=500)] | None = None
    confidence: Confidence = 1.0


class SuspectFixing(Contract):
    """A fixing that reverted at once: judged bad data, left out of the figures, never an event."""

    day: date
    value: str
    reason: Text


class ResearchResult(Contract):
    """What a research agent delivers for one market.

    `missing` lists what was looked for and not found, each with its reason.
    """

    kind: Literal["research"] = "research"
    result_id: ShortText
    task_id: ShortText
    agent: AgentId
    market: MarketName
    claims: Annotated[tuple[Claim, ...], Field(max_length=200)] = ()
    events: Annotated[tuple[MarketEvent, ...], Field(max_length=100)] = ()
    sources: Annotated[tuple[DataSource, ...], Field(max_length=50)] = ()
    suspects: Annotated[tuple[SuspectFixing, ...], Field(max_length=20)] = ()
    missing: Annotated[tuple[Text, ...], Field(max_length=20)] = ()
    warnings: Annotated[tuple[Text, ...], Field(max_length=20)] = ()
    confidence: Confidence


class ConflictKind(StrEnum):
    """How two findings contradict each other."""

    LEVEL = "level"
    DIRECTION = "direction"
    DECISION = "decision"
    TIMING = "timing"


class Severity(StrEnum):
    """How bad an issue or an error is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Position(Contract):
    """What one party to a conflict holds."""

    agent: AgentId
    claim_id: ClaimId
    stated: ShortText
    source: ShortText
    confidence: Confidence


class ConflictRecord(Contract):
    """Two or more positions that cannot all be right, and what was decided."""

    conflict_id: ShortText
    market: MarketName
    kind: ConflictKind
    positions: Annotated[tuple[Position, ...], Field(min_length=2, max_length=8)]
    resolution: Text
    resolved: bool


class ValidationIssue(Contract):
    """What the validator objects to."""

    issue_type: ShortText
    severity: Severity
    description: Text
    claims: Annotated[tuple[ClaimId, ...], Field(max_length=20)] = ()
    recommendation: Text
    confidence: Confidence


class ValidationResult(Contract):
    """The validator's verdict on a market's research results."""

    kind: Literal["validation"] = "validation"
    validation_id: ShortText
    task_id: ShortText
    agent: AgentId
    market: MarketName
    research_results: Annotated[tuple[ShortText, ...], Field(max_length=8)]
    checks: Annotated[tuple[Claim, ...], Field(max_length=50)] = ()
    issues: Annotated[tuple[ValidationIssue, ...], Field(max_length=50)] = ()
    conflicts: Annotated[tuple[ConflictRecord, ...], Field(max_length=50)] = ()
    verified_events: Annotated[tuple[ShortText, ...], Field(max_length=100)] = ()
    authoritative_sources: Annotated[tuple[DataSource, ...], Field(max_length=50)] = ()
    missing: Annotated[tuple[Text, ...], Field(max_length=20)] = ()
    recommendation: Text
    confidence: Confidence


class AgentError(Contract):
    """Why an agent could not do its task. Read by the reassignment and the dead letter."""

    error_type: ShortText
    error_message: Text
    agent: AgentId
    tool: ShortText | None = None
    recovery_action: ShortText | None = None
    impact: Impact = Impact.MEDIUM
    occurred_at: Instant | None = None
    context: dict[str, JsonValue] = Field(default_factory=dict)


class DeadLetter(Contract):
    """A task that failed for good with every agent that could have done it."""

    assignment: TaskAssignment
    tried: Annotated[tuple[AgentId, ...], Field(max_length=8)]
    errors: Annotated[tuple[AgentError, ...], Field(max_length=8)]
    week: ShortText
    market: MarketName
