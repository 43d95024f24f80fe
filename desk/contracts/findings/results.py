"""The results that agents deliver."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from desk.contracts.agents.tasks import TaskAssignment
from desk.contracts.agents.tools import DataSource, SourceOutage, SourceTier
from desk.contracts.agents.usage import Usage
from desk.contracts.base import (
    Confidence,
    Contract,
    Figure,
    Instant,
    ShortText,
    Text,
    is_empty,
    is_none,
)
from desk.contracts.findings.claims import Claim, ClaimId
from desk.contracts.findings.source_results import DatePrecision, is_of_a_day
from desk.contracts.findings.verdicts import ClaimVerdict, DroppedSentence, FactCheckRecord
from desk.contracts.markets import AreaCode, MarketName, PairSymbol
from desk.contracts.names import AgentId


class EventType(StrEnum):
    """The kinds of events."""

    FX_MOVEMENT = "fx_movement"
    RATE_DECISION = "rate_decision"
    NEWS = "news"
    SCHEDULED_DECISION = "scheduled_decision"
    ECONOMIC_DATA = "economic_data"


class Impact(StrEnum):
    """How much an event matters, by the rules in docs/method.md."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class RateInstrument(Contract):
    """What a bank decides on, by its name in prose. With a target range, rates are its
    midpoints."""

    name: ShortText
    has_range: Annotated[bool, Field(exclude_if=is_empty)] = False


class OutcomeMissing(StrEnum):
    """Why no decision is known for a day on which a bank was to decide."""

    NOT_IN_SOURCE = "not in the source"
    NO_CHANGE = "no change recorded"


class MarketEvent(Contract):
    """Something that happened or is scheduled.

    `description` is prose with references such as `[[USD/JPY:move]]` in place of figures. `claims`
    are the ids of the claims it rests on; `evidence` are the ids of the tool results in which news
    were found. `event_date` is known only to the given `precision`. A decision has its
    `instrument`; a past decision day without a decision has the reason in `outcome`.
    """

    event_id: ShortText
    event_type: EventType
    market: MarketName
    currency_pair: PairSymbol | None = None
    area: AreaCode | None = None
    central_bank: ShortText | None = None
    event_date: date
    precision: Annotated[DatePrecision, Field(exclude_if=is_of_a_day)] = DatePrecision.DAY
    description: Text
    impact: Impact
    claims: Annotated[tuple[ClaimId, ...], Field(max_length=20)] = ()
    evidence: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()
    source_url: Annotated[str, Field(max_length=2_000)] | None = None
    confidence: Confidence = 1.0
    instrument: Annotated[RateInstrument | None, Field(exclude_if=is_none)] = None
    outcome: Annotated[OutcomeMissing | None, Field(exclude_if=is_none)] = None


class ViewKind(StrEnum):
    """What an agent's view is of: where a price is going, what a bank is doing, what to do."""

    DIRECTION = "direction"
    STANCE = "stance"
    RECOMMENDATION = "recommendation"


class Leaning(StrEnum):
    """Which way a view leans. `up` is rising, tightening or buying, by the view's kind; `abstains`
    is a vote with no weight."""

    UP = "up"
    DOWN = "down"
    NEUTRAL = "neutral"
    ABSTAINS = "abstains"


class Forecast(Contract):
    """A view's probability that the fixing in `weeks` weeks is above today's.

    `deviation` is the standard deviation of the log move over that time, measured over the year
    before.
    """

    probability: Confidence
    weeks: Annotated[int, Field(ge=1, le=52)]
    deviation: Annotated[float, Field(gt=0.0)]


class View(Contract):
    """An agent's view of one subject, and the claims it rests on.

    `by_words` marks a view that a word list derived from a text. It rests on no claim, contradicts
    no other view, and a change of it is not news. A view of a direction has a `forecast` when the
    history of fixings allows one. `probability` is a model's own estimate that the price is higher
    when such a forecast comes due; None when it gave none, and for built-in analysts.
    """

    subject: ShortText
    kind: ViewKind
    leaning: Leaning
    confidence: Confidence
    claims: Annotated[tuple[ClaimId, ...], Field(max_length=8)] = ()
    by_words: bool = False
    forecast: Annotated[Forecast | None, Field(exclude_if=is_none)] = None
    probability: Annotated[Confidence | None, Field(exclude_if=is_none)] = None


class ToneKind(StrEnum):
    """The kind of text: a central bank's own statement or a publisher's headline."""

    STATEMENT = "statement"
    HEADLINE = "headline"


class JudgedBy(StrEnum):
    """What judged a text: a word list, or a model that read it."""

    WORDS = "words"
    MODEL = "model"


class Tone(Contract):
    """The tone of a news item. It is not a finding about what happened.

    `leaning` is up for a statement that suggests higher rates and for a headline of good news.
    `subject` is the area of the bank that made the statement, or the market that a headline was
    found for. `publisher`, `title` and `url` are from the item, that is from outside: None when
    they hold text that a report does not print unchecked (`markets.tone`). `evidence_id` is the
    tool result that holds the item.
    """

    subject: ShortText
    kind: ToneKind
    leaning: Leaning
    confidence: Confidence
    by: JudgedBy = JudgedBy.WORDS
    publisher: ShortText | None = None
    title: Annotated[str, Field(max_length=500)] | None = None
    url: Annotated[str, Field(max_length=2_000)] | None = None
    published_at: Instant
    evidence_id: ShortText


MOST_PUBLISHERS = 8


class Reported(Contract):
    """A story that publishers reported about a market. It is their statement and not a finding.

    `title` is the first publisher's, exactly as in the tool result `evidence_id`. `publishers`
    counts the publishers of the same or nearly the same words, that one included; `others` names
    some of them.
    """

    subject: ShortText
    title: Annotated[str, Field(min_length=1, max_length=500)]
    publisher: ShortText | None = None
    url: Annotated[str, Field(max_length=2_000)] | None = None
    published_at: Instant
    evidence_id: ShortText
    publishers: Annotated[int, Field(ge=1)] = 1
    others: Annotated[tuple[ShortText, ...], Field(max_length=MOST_PUBLISHERS)] = ()


class SuspectFixing(Contract):
    """A fixing that reverted at once: judged bad data, excluded from the figures, never an
    event."""

    day: date
    value: str
    reason: Text


class Finding(Contract):
    """Something that a specialist found: `statement` is prose with references in place of figures.

    `topic` is its subject in a word or two. `claims` are the ids of the claims it rests on,
    `evidence` those of the tool results when it rests on text. An insight into a stock also has a
    `leaning`, its direction.
    """

    topic: ShortText
    statement: Text
    confidence: Confidence
    claims: Annotated[tuple[ClaimId, ...], Field(max_length=20)] = ()
    evidence: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()
    leaning: Annotated[Leaning | None, Field(exclude_if=is_none)] = None


MOST_SOURCES = 50
MOST_TONES = 40

Sayings = Annotated[tuple[Text, ...], Field(max_length=20, exclude_if=is_empty)]


class ResearchResult(Contract):
    """A research agent's result for one market.

    `missing` lists what was not found, each with its reason. A specialist of a swarm delivers
    `findings`, the `contradictions` between them, and the `recommendations` that follow, all in
    prose with references. `version` is that of the built-in analysts, and 0 for a model's result.
    `ends_on` is the day of the market's newest price, when that is before the days under research.
    """

    kind: Literal["research"] = "research"
    result_id: ShortText
    task_id: ShortText
    agent: AgentId
    market: MarketName
    claims: Annotated[tuple[Claim, ...], Field(max_length=200)] = ()
    events: Annotated[tuple[MarketEvent, ...], Field(max_length=100)] = ()
    views: Annotated[tuple[View, ...], Field(max_length=20)] = ()
    tones: Annotated[tuple[Tone, ...], Field(max_length=MOST_TONES)] = ()
    sources: Annotated[tuple[DataSource, ...], Field(max_length=MOST_SOURCES)] = ()
    suspects: Annotated[tuple[SuspectFixing, ...], Field(max_length=20)] = ()
    missing: Annotated[tuple[Text, ...], Field(max_length=20)] = ()
    warnings: Annotated[tuple[Text, ...], Field(max_length=20)] = ()
    dropped: Annotated[tuple[DroppedSentence, ...], Field(max_length=200)] = ()
    findings: Annotated[tuple[Finding, ...], Field(max_length=40, exclude_if=is_empty)] = ()
    contradictions: Sayings = ()
    recommendations: Sayings = ()
    confidence: Confidence
    version: Annotated[int, Field(ge=0, exclude_if=is_empty)] = 0
    ends_on: Annotated[date | None, Field(exclude_if=is_none)] = None


class ConflictKind(StrEnum):
    """How two findings contradict each other."""

    LEVEL = "level"
    DIRECTION = "direction"
    DECISION = "decision"
    TIMING = "timing"
    STANCE = "stance"
    RECOMMENDATION = "recommendation"


class DecidedBy(StrEnum):
    """Who or what settled a conflict."""

    VOTE = "vote"
    PERSON = "person"
    DEFAULT = "default"
    PUBLISHER = "publisher"
    """The figure's own publisher holds one of the positions, and no vote overrules it."""


class Severity(StrEnum):
    """How bad an issue or an error is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Position(Contract):
    """The position of one party to a conflict.

    `stated` is a figure with its unit, or a leaning. `weight` is the confidence times the weights
    of the source's tier, the agent and the `server` that was asked; 0 for an abstention. A view has
    no claim. `publishes`: the figure was read from its own publisher, by the rules of the vote.
    """

    agent: AgentId
    claim_id: ClaimId | None = None
    stated: ShortText
    source: ShortText
    server: Annotated[ShortText | None, Field(exclude_if=is_none)] = None
    origin: ShortText | None = None
    tier: SourceTier = SourceTier.SECONDARY
    confidence: Confidence
    weight: Annotated[float, Field(ge=0.0)] = 0.0
    abstains: bool = False
    publishes: Annotated[bool, Field(exclude_if=is_empty)] = False


class Bounds(Contract):
    """The range by which figures are compared: the band that an authority keeps a pair in, or the
    target range of a policy rate."""

    low: Figure
    high: Figure


class ConflictRecord(Contract):
    """Two or more positions that cannot all be right, and the decision.

    `chosen` is the `stated` value that was decided on; None when no position is right, and the
    figure is withheld. The positions that disagree with it are the dissent, which the report
    prints. An abstaining agent is on no side, and `resolution` names it separately; in earlier
    documents it names it among the dissent. `spread` is that of the confidences. `bounds` are those
    of the disputed figures, if any.
    """

    conflict_id: ShortText
    market: MarketName
    kind: ConflictKind
    positions: Annotated[tuple[Position, ...], Field(min_length=2, max_length=8)]
    chosen: ShortText | None = None
    decided_by: DecidedBy | None = None
    decided_by_whom: ShortText | None = None
    spread: Confidence = 0.0
    resolution: Text
    resolved: bool
    bounds: Annotated[Bounds | None, Field(exclude_if=is_none)] = None


class Correction(Contract):
    """What is true instead, by the type of the objection: exactly one field."""

    value: Annotated[Figure | None, Field(exclude_if=is_none)] = None
    direction: Annotated[Leaning | None, Field(exclude_if=is_none)] = None
    day: Annotated[date | None, Field(exclude_if=is_none)] = None
    area: Annotated[AreaCode | None, Field(exclude_if=is_none)] = None


class ObjectionOutcome(StrEnum):
    """How the evidence decides an objection. `unsettled`: there is no evidence, or not enough."""

    CONFIRMED = "confirmed"
    DISPROVED = "disproved"
    UNSETTLED = "unsettled"


class ValidationIssue(Contract):
    """An objection of the validator: about claims, an event (by its id) or a finding (by its
    statement). With `holds` the objection can be checked against the evidence."""

    issue_type: ShortText
    severity: Severity
    description: Text
    claims: Annotated[tuple[ClaimId, ...], Field(max_length=20)] = ()
    recommendation: Text
    confidence: Confidence
    event: Annotated[ShortText | None, Field(exclude_if=is_none)] = None
    finding: Annotated[Text | None, Field(exclude_if=is_none)] = None
    holds: Annotated[Correction | None, Field(exclude_if=is_none)] = None


class ValidationResult(Contract):
    """The validator's verdict on a market's research results. `version` is that of the built-in
    analysts, and 0 for a model's result."""

    kind: Literal["validation"] = "validation"
    validation_id: ShortText
    task_id: ShortText
    agent: AgentId
    market: MarketName
    research_results: Annotated[tuple[ShortText, ...], Field(max_length=8)]
    checks: Annotated[tuple[Claim, ...], Field(max_length=50)] = ()
    verdicts: Annotated[tuple[ClaimVerdict, ...], Field(max_length=400)] = ()
    issues: Annotated[tuple[ValidationIssue, ...], Field(max_length=50)] = ()
    conflicts: Annotated[tuple[ConflictRecord, ...], Field(max_length=50)] = ()
    verified_events: Annotated[tuple[ShortText, ...], Field(max_length=100)] = ()
    authoritative_sources: Annotated[tuple[DataSource, ...], Field(max_length=50)] = ()
    missing: Annotated[tuple[Text, ...], Field(max_length=20)] = ()
    dropped: Annotated[tuple[DroppedSentence, ...], Field(max_length=200)] = ()
    recommendation: Text
    confidence: Confidence
    version: Annotated[int, Field(ge=0, exclude_if=is_empty)] = 0


class Recovery(StrEnum):
    """The reaction to an error. `none`: the failed part is missing, or the run has ended."""

    ANOTHER_TRY = "another try"
    ANOTHER_TURN = "another turn"
    WITHOUT_IT = "the agent went on without it"
    REASSIGNMENT = "reassignment"
    DEAD_LETTER = "dead letter"
    NONE = "none"


class AgentError(Contract):
    """Why an agent could not do its task. Read by the reassignment and the dead letter.

    `error_message` names the task; `reason` is the same without the task, where the two differ. In
    a message, `occurred_at` is the time of the event, `context` its position in Temporal's
    histories, and `recovery_action` the reaction, as a `Recovery`.
    """

    error_type: ShortText
    error_message: Text
    reason: Annotated[Text | None, Field(exclude_if=is_none)] = None
    agent: AgentId
    tool: ShortText | None = None
    recovery_action: ShortText | None = None
    impact: Severity = Severity.MEDIUM
    occurred_at: Instant | None = None
    context: dict[str, JsonValue] = Field(default_factory=dict)


class DeadLetter(Contract):
    """A task that failed with every agent that could have done it.

    `market` is None for a task on a question without a market. `usage` and `outages` are those of
    the agents that took it over.
    """

    assignment: TaskAssignment
    tried: Annotated[tuple[AgentId, ...], Field(max_length=8)]
    errors: Annotated[tuple[AgentError, ...], Field(max_length=8)]
    week: ShortText
    market: MarketName | None = None
    usage: Usage = Usage()
    outages: Annotated[tuple[SourceOutage, ...], Field(max_length=50, exclude_if=is_empty)] = ()


class WrittenTheme(Contract):
    """A theme of a week as the commentator writes it: prose with references in place of figures.

    `reported` is the news event that gives the reason, and `markets` are the markets it is about.
    """

    title: ShortText
    markets: Annotated[tuple[MarketName, ...], Field(max_length=40)] = ()
    moved: Text
    why: Annotated[Text | None, Field(exclude_if=is_none)] = None
    reported: Annotated[ShortText | None, Field(exclude_if=is_none)] = None
    ahead: Annotated[Text | None, Field(exclude_if=is_none)] = None


class Commentary(Contract):
    """The product manager's commentary on a week's claims, with references to them: the beginning
    of the report. `sentences` hold the commentary of earlier versions, `fact_check` its check by a
    model."""

    kind: Literal["commentary"] = "commentary"
    task_id: ShortText
    sentences: Annotated[tuple[Text, ...], Field(max_length=12)] = ()
    headline: Annotated[Text | None, Field(exclude_if=is_none)] = None
    standfirst: Annotated[Text | None, Field(exclude_if=is_none)] = None
    themes: Annotated[tuple[WrittenTheme, ...], Field(max_length=5, exclude_if=is_empty)] = ()
    fact_check: Annotated[FactCheckRecord | None, Field(exclude_if=is_none)] = None
