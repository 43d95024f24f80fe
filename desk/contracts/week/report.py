"""The published report and its parts. Its JSON form is this model, key for key."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import (
    MOST_EVIDENCE,
    DataSource,
    SourceOutage,
    ToolResult,
    UnreachableSource,
)
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
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import (
    ConflictRecord,
    Finding,
    MarketEvent,
    ObjectionOutcome,
    Reported,
    ResearchResult,
    SuspectFixing,
    Tone,
    ValidationIssue,
    ValidationResult,
    View,
)
from desk.contracts.findings.source_results import DatePrecision, is_of_a_day
from desk.contracts.findings.verdicts import (
    ClaimVerdict,
    CrossCheck,
    DroppedSentence,
    FactCheckRecord,
)
from desk.contracts.learning.lessons import Advice
from desk.contracts.markets import AreaCode, MarketGroup, MarketKind, MarketName, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.week.changes import Changes
from desk.contracts.weeks import IsoWeek, TimeWindow

JOINED_BY: Final = "; "
"""The separator between the notes on a policy rate in reports of earlier versions."""

MOST_REVISIONS: Final = 500
"""The maximum number of revisions of one week's report."""


class Contribution(Contract):
    """The outcome of one agent's task on a market.

    `remark` describes a fallback and its reason: the built-in analyst in place of a model, a
    cheaper model, fewer turns. `outages` are the sources that were not called for it, over all
    attempts.
    """

    agent: AgentId
    task_type: TaskType
    delivered: bool
    turns: int = 0
    tool_calls: int = 0
    reassigned_from: AgentId | None = None
    error: Text | None = None
    remark: Text | None = None
    usage: Usage = Usage()
    outages: Annotated[tuple[SourceOutage, ...], Field(max_length=50, exclude_if=is_empty)] = ()


class MarketOutcome(Contract):
    """The outcome of one market's research: the result of its workflow.

    `spent_before` is the cost of earlier work on the market, which this outcome has replaced.
    """

    market: MarketName
    outcome: Outcome
    results: Annotated[tuple[ResearchResult, ...], Field(max_length=60)] = ()
    validation: ValidationResult | None = None
    conflicts: Annotated[tuple[ConflictRecord, ...], Field(max_length=50)] = ()
    evidence: Annotated[tuple[ToolResult, ...], Field(max_length=MOST_EVIDENCE)] = ()
    agents: Annotated[tuple[Contribution, ...], Field(max_length=8)] = ()
    missing: Annotated[tuple[Text, ...], Field(max_length=20)] = ()
    dead_letters: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()
    spent_before: Usage = Usage()


class MissingMarket(Contract):
    """A market without a figure to print, and the reason."""

    market: MarketName
    reason: Text


class RatesKnown(Contract):
    """The areas whose policy rate changes are known up to the same day, before the window; without
    a day, no day is known."""

    areas: Annotated[tuple[AreaCode, ...], Field(max_length=200)]
    to: date | None = None


class Freshness(Contract):
    """How much of a week's data was current at its as-of instant.

    `prices` counts the pairs with a price, `stale_prices` those whose last fixing is older than
    allowed, and `prices_to` is the day of the newest. `rates` counts the policy rates,
    `stale_rates` those whose changes are known only up to a day before the window; `rates_to` is
    the oldest such day, and `rates_known` are all of them, the oldest first (empty in reports of
    earlier versions). `decisions` were due in the window; for `open_decisions` no outcome is
    recorded.
    """

    prices: int = 0
    stale_prices: int = 0
    prices_to: date | None = None
    rates: int = 0
    stale_rates: int = 0
    rates_to: date | None = None
    rates_known: Annotated[tuple[RatesKnown, ...], Field(max_length=200, exclude_if=is_empty)] = ()
    decisions: int = 0
    open_decisions: int = 0

    @property
    def current(self) -> bool:
        """Whether all data is current."""
        return not (self.stale_prices or self.stale_rates or self.open_decisions)

    @property
    def share(self) -> float:
        """The current share of all prices, rates and decisions."""
        whole = self.prices + self.rates + self.decisions
        stale = self.stale_prices + self.stale_rates + self.open_decisions
        return 1 - stale / whole if whole else 1.0


class Coverage(Contract):
    """The expected markets, the researched ones, and the missing ones with reasons. Always part of
    a report.

    `freshness` is how current the data is, None in reports of earlier versions of the desk, and
    `current_threshold` is the share that has to be current. `outages` are the sources that were not
    called for a while, and how many calls that cost. `unreachable` are the live sources that could
    not be reached, or stopped answering.
    """

    expected: int
    researched: int
    threshold: float
    freshness: Annotated[Freshness | None, Field(exclude_if=is_none)] = None
    current_threshold: Annotated[float, Field(exclude_if=is_empty)] = 0.0
    missing: Annotated[tuple[MissingMarket, ...], Field(max_length=200)] = ()
    notes: Annotated[tuple[Text, ...], Field(max_length=200)] = ()
    outages: Annotated[tuple[SourceOutage, ...], Field(max_length=50, exclude_if=is_empty)] = ()
    unreachable: Annotated[
        tuple[UnreachableSource, ...], Field(max_length=50, exclude_if=is_empty)
    ] = ()

    @property
    def share(self) -> float:
        """Researched markets as a share of those expected."""
        return self.researched / self.expected if self.expected else 0.0

    @property
    def complete(self) -> bool:
        """Whether the week reached its thresholds for researched markets and for current data."""
        current = 1.0 if self.freshness is None else self.freshness.share
        return self.share >= self.threshold and current >= self.current_threshold

    @property
    def current(self) -> bool:
        """Whether all data is current, as far as that was checked."""
        return self.freshness is None or self.freshness.current


class Sentence(Contract):
    """A sentence of the report: `prose` with references to claims, `text` as printed."""

    prose: Text
    text: Text


class ReportedEvent(MarketEvent):
    """An event with its prose rendered: every reference replaced by the claim's figure."""

    text: Text
    verified: bool = False


class ReportedFinding(Finding):
    """A finding that is not an event, with its prose rendered, and the agent that found it."""

    agent: AgentId
    text: Text


class ReportedObjection(ValidationIssue):
    """An objection with its prose rendered, its outcome and the reason."""

    text: Text
    outcome: ObjectionOutcome
    reason: Text


class Theme(Contract):
    """One of the main themes of a week.

    `moved` says what happened, `why` gives related claims, `story` is the reason that a publisher
    gave, word for word and not as a finding, `ahead` says what follows in the coming weeks.
    `written` says that the commentator wrote it.
    """

    title: ShortText
    markets: Annotated[tuple[MarketName, ...], Field(max_length=40)] = ()
    moved: Sentence
    why: Annotated[Sentence | None, Field(exclude_if=is_none)] = None
    story: Annotated[Reported | None, Field(exclude_if=is_none)] = None
    ahead: Annotated[Sentence | None, Field(exclude_if=is_none)] = None
    written: Annotated[bool, Field(exclude_if=is_empty)] = False


class Lead(Contract):
    """The beginning of a report: the week in a sentence, how unusual it was, and its themes.

    `written` says that the commentator wrote the headline or one of the themes; the desk composed
    the rest from the findings. `edition` is the version of the rules for composing the lead and the
    summary; 0 in reports of earlier versions of the desk.
    """

    headline: Sentence
    standfirst: Annotated[Sentence | None, Field(exclude_if=is_none)] = None
    themes: Annotated[tuple[Theme, ...], Field(max_length=5)] = ()
    written: Annotated[bool, Field(exclude_if=is_empty)] = False
    edition: Annotated[int, Field(ge=0, exclude_if=is_empty)] = 0


class MarketReport(Contract):
    """One market's section of the report.

    `days` and `values` are the daily series behind the chart: the last 52 weeks of fixings, oldest
    first, without the suspect ones. `verdicts` has one entry for each claim; a rejected claim has a
    verdict here and is not among the claims. The length limits are the sums of those of a market's
    outcome, so that nothing is cut off. `reported` are publishers' stories about the market.
    `version` is that of the built-in analysts; 0 when a model or an earlier version of the desk
    worked on the market.
    """

    market: MarketName
    kind: MarketKind
    group: MarketGroup
    outcome: Outcome
    claims: Annotated[tuple[Claim, ...], Field(max_length=1_700)] = ()
    verdicts: Annotated[tuple[ClaimVerdict, ...], Field(max_length=1_700)] = ()
    events: Annotated[tuple[ReportedEvent, ...], Field(max_length=800)] = ()
    findings: Annotated[
        tuple[ReportedFinding, ...], Field(max_length=320, exclude_if=is_empty)
    ] = ()
    views: Annotated[tuple[View, ...], Field(max_length=160)] = ()
    tones: Annotated[tuple[Tone, ...], Field(max_length=320)] = ()
    reported: Annotated[tuple[Reported, ...], Field(max_length=20, exclude_if=is_empty)] = ()
    suspects: Annotated[tuple[SuspectFixing, ...], Field(max_length=160)] = ()
    agents: Annotated[tuple[Contribution, ...], Field(max_length=8)] = ()
    spent_before: Usage = Usage()
    missing: Annotated[tuple[Text, ...], Field(max_length=300)] = ()
    warnings: Annotated[tuple[Text, ...], Field(max_length=1_200)] = ()
    dropped: Annotated[tuple[DroppedSentence, ...], Field(max_length=2_000)] = ()
    objections: Annotated[
        tuple[ReportedObjection, ...], Field(max_length=800, exclude_if=is_empty)
    ] = ()
    recommendation: Text | None = None
    confidence: Confidence = 0.0
    days: Annotated[tuple[date, ...], Field(max_length=1_000)] = ()
    values: Annotated[tuple[Figure, ...], Field(max_length=1_000)] = ()
    revised_in: int = 1
    version: Annotated[int, Field(ge=0, exclude_if=is_empty)] = 0


class Mover(Contract):
    """A row of the movers table: a pair and its move over the window."""

    market: MarketName
    group: MarketGroup
    last: Figure
    last_on: date
    move: Figure
    z_score: Figure | None = None
    range_position: Figure | None = None
    window_high: Figure | None = None
    window_low: Figure | None = None


class RateRow(Contract):
    """A row of the policy-rate table. Rates in percent a year, differential in basis points.

    `since`, the day of the last change, is known only to the precision `since_precision`.

    `notes` are remarks on the rate, one by one. `note` holds the same in reports of earlier
    versions of the desk, joined by `; `; `remarks` reads either.
    """

    area: ShortText
    bank: ShortText
    group: MarketGroup
    rate: Figure | None = None
    since: date | None = None
    since_precision: Annotated[DatePrecision, Field(exclude_if=is_of_a_day)] = DatePrecision.DAY
    differential: Figure | None = None
    stale: bool = False
    note: Text | None = None
    notes: Annotated[tuple[Text, ...], Field(max_length=10, exclude_if=is_empty)] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes, in the format of any version."""
        return self.notes or tuple(self.note.split(JOINED_BY) if self.note else ())


class CalendarRow(Contract):
    """A decision day: in the window with its outcome, or ahead of it. `day` is known only to the
    given `precision`."""

    area: ShortText
    bank: ShortText
    day: date
    precision: Annotated[DatePrecision, Field(exclude_if=is_of_a_day)] = DatePrecision.DAY
    outcome: Sentence
    ahead: bool


class RevisionKind(StrEnum):
    """Why a revision was published."""

    FIRST = "first"
    RERUN = "rerun"
    AGAIN = "again"


class Revision(Contract):
    """One publication of the report."""

    revision: int
    kind: RevisionKind
    published_at: Instant
    market: MarketName | None = None
    reason: Text | None = None


class Timings(Contract):
    """When the run happened and how long it took: the only data that differs between two identical
    runs."""

    started_at: Instant
    finished_at: Instant
    seconds: float
    workflow_id: ShortText
    run_id: ShortText


class ResearchReport(Contract):
    """A week's report, with the evidence and the rules for verifying it.

    `config` is the run's configuration. `counts` are claims that count over the markets' claims.
    `lead` is None in reports of earlier versions of the desk. `evidence` holds every tool result
    that a claim, a verdict or a table rests on. `advice` is the advice of the desk's own record to
    the run, and `follows` are the recommendations that the plan adopted. `rules` is the edition of
    the rules of prose that its words were checked by; 0 in reports of earlier versions.
    `fact_check` is the check of a model's commentary; None in reports of earlier versions. `seal`
    is the SHA-256 of the canonical JSON of all the rest (`seal.seal_of`).
    """

    week: IsoWeek
    title: ShortText
    as_of: Instant
    window: TimeWindow
    revision: int
    revisions: Annotated[tuple[Revision, ...], Field(max_length=MOST_REVISIONS)]
    outcome: Outcome
    changes: Changes = Changes()
    lead: Annotated[Lead | None, Field(exclude_if=is_none)] = None
    commentary: Annotated[tuple[Sentence, ...], Field(max_length=12)] = ()
    coverage: Coverage
    summary: Annotated[tuple[Sentence, ...], Field(max_length=40)]
    movers: Annotated[tuple[Mover, ...], Field(max_length=200)]
    policy_rates: Annotated[tuple[RateRow, ...], Field(max_length=200)]
    calendar: Annotated[tuple[CalendarRow, ...], Field(max_length=4_000)]
    markets: Annotated[tuple[MarketReport, ...], Field(max_length=200)]
    conflicts: Annotated[tuple[ConflictRecord, ...], Field(max_length=20_000)]
    counts: Annotated[tuple[Claim, ...], Field(max_length=20, exclude_if=is_empty)] = ()
    cross_checks: Annotated[tuple[CrossCheck, ...], Field(max_length=1_000)] = ()
    dead_letters: Annotated[tuple[ShortText, ...], Field(max_length=1_600)]
    sources: Annotated[tuple[DataSource, ...], Field(max_length=90_000)]
    evidence: Annotated[tuple[ToolResult, ...], Field(max_length=80_000)] = ()
    config: RunConfig
    planning: Contribution | None = None
    commenting: Contribution | None = None
    usage: Usage = Usage()
    advice: Annotated[Advice | None, Field(exclude_if=is_none)] = None
    follows: Annotated[tuple[ShortText, ...], Field(max_length=50, exclude_if=is_empty)] = ()
    timings: Timings
    rules: Annotated[int, Field(ge=0, exclude_if=is_empty)] = 0
    fact_check: Annotated[FactCheckRecord | None, Field(exclude_if=is_none)] = None
    seal: ShortText = ""

    @property
    def specs(self) -> tuple[MarketSpec, ...]:
        """The markets that the run was configured for."""
        return self.config.markets

    @property
    def base_area(self) -> str:
        """The area that policy rates are compared with."""
        return self.config.policy.base_area

    @property
    def due(self) -> None:
        """Always None: a week waits for no later outcome."""
        return

    @property
    def statements(self) -> tuple[MarketReport, ...]:
        """The sections of the markets, which state its claims."""
        return self.markets
