"""What agents deliver."""

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
from desk.contracts.findings.verdicts import ClaimVerdict, DroppedSentence
from desk.contracts.markets import AreaCode, MarketName, PairSymbol
from desk.contracts.names import AgentId


class EventType(StrEnum):
    """What kind of thing happened."""

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
    """What a bank decides on, by the name that prose has for it. With a target range, rates are its
    midpoints."""

    name: ShortText
    has_range: Annotated[bool, Field(exclude_if=is_empty)] = False


class OutcomeMissing(StrEnum):
    """Why no decision is known of a day on which a bank was to decide."""

    NOT_IN_SOURCE = "not in the source"
    NO_CHANGE = "no change recorded"


class MarketEvent(Contract):
    """One thing that happened, or is scheduled to.

    `description` is prose with references such as `[[USD/JPY:move]]` in place of figures.
    `claims` are the ids of the claims it rests on, `evidence` those of the tool results that news
    were read in. Of `event_date` no more is known than `precision` says. A decision has its
    `instrument`, and a past day without one why its `outcome` is missing.
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
    """How likely a view takes the fixing to be above today's in so many weeks.

    `deviation` is the standard deviation of the log move over that time, as the year before had it.
    """

    probability: Confidence
    weeks: Annotated[int, Field(ge=1, le=52)]
    deviation: Annotated[float, Field(gt=0.0)]


class View(Contract):
    """An agent's view of one subject, and the claims it rests on.

    `by_words` marks one that a list of words read out of a text. It rests on no claim, contradicts
    nobody, and is no news when it turns. A view of a direction has a `forecast` where the history
    of the fixings allows one. `probability` is a model's own estimate that the price is higher when
    such a forecast comes due; None where it gave none, and of a built-in analyst.
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
    """Whose text it is: a central bank's own, or a publisher's."""

    STATEMENT = "statement"
    HEADLINE = "headline"


class JudgedBy(StrEnum):
    """What judged a text: a list of words, or a model that read it."""

    WORDS = "words"
    MODEL = "model"


class Tone(Contract):
    """How an item of news sounds. No finding about what happened.

    `leaning` is up for a statement that sounds of higher rates and for a headline of good news.
    `subject` is the area of the bank whose statement it is, or the market that a headline was
    found for. `publisher`, `title` and `url` are the item's own, from outside: None where they
    hold what a report does not print unchecked (`markets.tone`). `evidence_id` is the tool result
    that holds the item.
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
    """A story that publishers told about a market. That it is so is their word, and no finding.

    `title` is the first publisher's, letter by letter as the tool result `evidence_id` has it.
    `publishers` is how many told it in the same or nearly the same words, that one included;
    `others` are some of them by name.
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
    """A fixing that reverted at once: judged bad data, left out of the figures, never an event."""

    day: date
    value: str
    reason: Text


class Finding(Contract):
    """One thing that a specialist found: `statement` is prose with references in place of figures.

    `topic` says what it is about, in a word or two. `claims` are the ids of the claims it rests
    on, `evidence` those of the tool results where it rests on what was read. An insight into a
    stock has a `leaning` besides: which way it points.
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
    """What a research agent delivers for one market.

    `missing` lists what was looked for and not found, each with its reason. A specialist of a swarm
    delivers `findings`, what in them speaks against each other (`contradictions`), and what follows
    from them (`recommendations`), all in prose with references. `version` is that of the built-in
    analysts, and 0 for what a model delivered. `ends_on` is the day of the market's newest price,
    where that is before the days that were looked at.
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
    """The figure's own publisher is on one side, and nobody outvotes it."""


class Severity(StrEnum):
    """How bad an issue or an error is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Position(Contract):
    """What one party to a conflict holds.

    `stated` is a figure with its unit, or a leaning. `weight` is confidence times the weight of
    the source's tier times the agent's times that of the `server` by which the source was asked;
    0 for an abstention. A view has no claim. `publishes`: the figure was read from its own
    publisher, by the rules of the vote.
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
    """The two ends by which figures are compared: of the band that a pair's authority keeps, or of
    the target range that a policy rate stands for."""

    low: Figure
    high: Figure


class ConflictRecord(Contract):
    """Two or more positions that cannot all be right, and what was decided.

    `chosen` is the `stated` that holds; None when none does, and the figure is withheld. The
    positions on another side are the dissent, which the report prints. Whoever abstains is on no
    side, and `resolution` names them apart; that of earlier documents names them among the dissent.
    `spread` is that of the confidences. `bounds` are those of the figures in dispute, where they
    have any.
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
    """What whoever objects holds to be true: one of these, by the kind of the objection."""

    value: Annotated[Figure | None, Field(exclude_if=is_none)] = None
    direction: Annotated[Leaning | None, Field(exclude_if=is_none)] = None
    day: Annotated[date | None, Field(exclude_if=is_none)] = None
    area: Annotated[AreaCode | None, Field(exclude_if=is_none)] = None


class ObjectionOutcome(StrEnum):
    """What the evidence says to an objection. `unsettled`: nothing, or not enough."""

    CONFIRMED = "confirmed"
    DISPROVED = "disproved"
    UNSETTLED = "unsettled"


class ValidationIssue(Contract):
    """What the validator objects to: about claims, an event by its id, or a finding by its
    statement. With `holds` the objection can be held against the evidence."""

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
    analysts, and 0 for what a model delivered."""

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
    """What was done about an error. `none`: what failed is missing, or the run has ended."""

    ANOTHER_TRY = "another try"
    ANOTHER_TURN = "another turn"
    WITHOUT_IT = "the agent went on without it"
    REASSIGNMENT = "reassignment"
    DEAD_LETTER = "dead letter"
    NONE = "none"


class AgentError(Contract):
    """Why an agent could not do its task. Read by the reassignment and the dead letter.

    `error_message` names the task; `reason` is the same without it, where the two differ. In a
    message, `occurred_at` is the time of the event, `context` says where in Temporal's
    histories it stands, and `recovery_action` what was done then, as a `Recovery`.
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
    """A task that failed for good with every agent that could have done it.

    `market` is None for a task on a question that is about none. `usage` and `outages` are those of
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

    `reported` is the event of the news that gives the reason, and `markets` what it is about.
    """

    title: ShortText
    markets: Annotated[tuple[MarketName, ...], Field(max_length=40)] = ()
    moved: Text
    why: Annotated[Text | None, Field(exclude_if=is_none)] = None
    reported: Annotated[ShortText | None, Field(exclude_if=is_none)] = None
    ahead: Annotated[Text | None, Field(exclude_if=is_none)] = None


class Commentary(Contract):
    """What the product manager writes over a week's claims, with references to them: what the
    report says first. `sentences` are what earlier versions wrote in their place."""

    kind: Literal["commentary"] = "commentary"
    task_id: ShortText
    sentences: Annotated[tuple[Text, ...], Field(max_length=12)] = ()
    headline: Annotated[Text | None, Field(exclude_if=is_none)] = None
    standfirst: Annotated[Text | None, Field(exclude_if=is_none)] = None
    themes: Annotated[tuple[WrittenTheme, ...], Field(max_length=5, exclude_if=is_empty)] = ()
