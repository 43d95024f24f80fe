"""The actions of a stock's episode: what each writes to the blackboard, and when it is allowed.

- An insight needs a part with data, even one that lacks everything.
- A recommendation needs insights to have been generated, even if there are none.
- An evaluation needs a recommendation, and ends the episode.
- Every action may be repeated, up to `MOST_STEPS` actions in all.
"""

from collections.abc import Container, Iterable, Mapping
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

from desk.analytics.evaluation import EVALUATION_METRICS
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import MOST_STEPS
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import Leaning, ResearchResult

DATA: Final = (
    StockAction.FETCH_NEWS,
    StockAction.FETCH_FUNDAMENTALS,
    StockAction.FETCH_SENTIMENT,
    StockAction.RUN_TA_BASIC,
    StockAction.RUN_TA_ADVANCED,
)
"""The actions that fetch or compute figures of the stock."""

ORDER: Final = (
    *DATA,
    StockAction.GENERATE_INSIGHT,
    StockAction.GENERATE_RECOMMENDATION,
    StockAction.EVALUATE_PERFORMANCE,
)
"""All actions, in the order of seed 004."""

PART_FIELDS: Final[Mapping[StockAction, str]] = MappingProxyType(
    {
        StockAction.FETCH_NEWS: "news_data",
        StockAction.FETCH_FUNDAMENTALS: "fundamentals_data",
        StockAction.FETCH_SENTIMENT: "sentiment_data",
        StockAction.RUN_TA_BASIC: "ta_basic_data",
        StockAction.RUN_TA_ADVANCED: "ta_advanced_data",
        StockAction.GENERATE_INSIGHT: "insights",
        StockAction.GENERATE_RECOMMENDATION: "recommendation",
        StockAction.EVALUATE_PERFORMANCE: "evaluation",
    }
)
"""The field of the blackboard that an action writes. A recommendation also writes its confidence,
probability and reasons, in separate fields."""

PART_METRICS: Final[Mapping[StockAction, tuple[Metric, ...]]] = MappingProxyType(
    {
        StockAction.FETCH_NEWS: (Metric.NEWS_COUNT,),
        StockAction.FETCH_FUNDAMENTALS: (
            Metric.PRICE_TO_EARNINGS,
            Metric.PRICE_TO_BOOK,
            Metric.NET_MARGIN,
            Metric.DEBT_TO_EQUITY,
            Metric.REVENUE_GROWTH,
            Metric.EARNINGS_SURPRISE,
        ),
        StockAction.FETCH_SENTIMENT: (Metric.NEWS_TONE,),
        StockAction.RUN_TA_BASIC: (
            Metric.LAST,
            Metric.MOVE,
            Metric.MONTH_MOVE,
            Metric.QUARTER_MOVE,
            Metric.YEAR_MOVE,
            Metric.YEAR_HIGH,
            Metric.YEAR_LOW,
            Metric.VOLATILITY,
            Metric.RSI,
            Metric.SMA_50,
            Metric.SMA_200,
        ),
        StockAction.RUN_TA_ADVANCED: (
            Metric.MACD_HISTOGRAM,
            Metric.ADX,
            Metric.BOLLINGER_POSITION,
            Metric.TARGET,
            Metric.PATTERN_COUNT,
            Metric.EXPECTED_LOW,
            Metric.EXPECTED_HIGH,
        ),
        StockAction.EVALUATE_PERFORMANCE: EVALUATION_METRICS,
    }
)
"""The figures of each action's part. Every figure belongs to one part; those that are not available
are lacking."""

NEEDS: Final[Mapping[StockAction, frozenset[StockAction]]] = MappingProxyType(
    {
        StockAction.GENERATE_INSIGHT: frozenset(DATA),
        StockAction.GENERATE_RECOMMENDATION: frozenset({StockAction.GENERATE_INSIGHT}),
        StockAction.EVALUATE_PERFORMANCE: frozenset({StockAction.GENERATE_RECOMMENDATION}),
    }
)
"""The actions of which at least one must have been taken before an action."""

WITHOUT: Final[Mapping[StockAction, str]] = MappingProxyType(
    {
        StockAction.GENERATE_INSIGHT: "nothing was fetched or computed that an insight rests on",
        StockAction.GENERATE_RECOMMENDATION: (
            "no insights were generated that a recommendation rests on"
        ),
        StockAction.EVALUATE_PERFORMANCE: "there is no recommendation to evaluate",
    }
)

_NEEDS_IN_ORDER: Final = tuple(NEEDS.get(action, frozenset()) for action in StockAction)
_NOTHING: Final = (False,) * len(StockAction)


class Episode(Protocol):
    """What determines the allowed actions: a blackboard, as a snapshot or while it is written."""

    @property
    def taken(self) -> tuple[StockAction, ...]:
        """The actions that were carried out, in order."""


def why_not(board: Episode, action: StockAction) -> str | None:
    """Returns why an action is not allowed now, or None if it is."""
    taken = board.taken
    if StockAction.EVALUATE_PERFORMANCE in taken:
        return "the episode was evaluated and is at its end"
    if len(taken) >= MOST_STEPS:
        return "the episode has as many steps as it may have"
    needs = NEEDS.get(action)
    return WITHOUT[action] if needs is not None and needs.isdisjoint(taken) else None


def next_in_order(board: Episode, tried: Container[StockAction]) -> StockAction | None:
    """Returns the first action of `ORDER` that was not tried and is allowed, or None."""
    left = (action for action in ORDER if action not in tried and why_not(board, action) is None)
    return next(left, None)


def sensible(board: Episode) -> tuple[bool, ...]:
    """Returns which actions are allowed by `why_not`, in the order of `StockAction`."""
    taken = board.taken
    if StockAction.EVALUATE_PERFORMANCE in taken or len(taken) >= MOST_STEPS:
        return _NOTHING
    return tuple([not needs or not needs.isdisjoint(taken) for needs in _NEEDS_IN_ORDER])


class Pointer(NamedTuple):
    """What some figures say: the topic, the direction, the strength (0 to 1), and the figures.
    Without a statement it has that of `desk.programs.episode.wording`."""

    topic: str
    leaning: Leaning
    strength: float
    metrics: tuple[Metric, ...]
    statement: str | None = None


def values_of(
    claims: Iterable[Claim], action: StockAction, symbol: str
) -> tuple[dict[Metric, Decimal], dict[Metric, date]]:
    """Returns the figures of an action's part, each with its day; of two for one metric, the first.
    A claim is matched by its id, so claims of a day other than the newest do not count."""
    ids = {claim_id(symbol, metric) for metric in PART_METRICS.get(action, ())}
    values: dict[Metric, Decimal] = {}
    days: dict[Metric, date] = {}
    for claim in claims:
        if claim.claim_id in ids and claim.metric not in values:
            values[claim.metric] = claim.value
            days[claim.metric] = claim.as_of
    return values, days


def generated_in(result: ResearchResult, action: StockAction, symbol: str) -> str | None:
    """Returns what generated the figures of an action's part, if they are generated for practice
    instead of facts, as stated by the sources of its claims."""
    ids = {claim_id(symbol, metric) for metric in PART_METRICS.get(action, ())}
    evidence = {name for c in result.claims if c.claim_id in ids for name in c.evidence}
    made = (source.generated for source in result.sources if source.evidence_id in evidence)
    return next(filter(None, made), None)


def pointers_of(result: ResearchResult) -> tuple[Pointer, ...]:
    """Returns the insights among a result's findings: those with a leaning."""
    return tuple(
        Pointer(
            topic=finding.topic,
            leaning=finding.leaning,
            strength=finding.confidence,
            metrics=_metrics(finding.claims, result.market),
            statement=finding.statement,
        )
        for finding in result.findings
        if finding.leaning is not None
    )


def _metrics(ids: Iterable[str], symbol: str) -> tuple[Metric, ...]:
    """The metrics of the symbol's own figures among some claims, without duplicates."""
    metrics = {claim_id(symbol, metric): metric for metric in Metric}
    return tuple(dict.fromkeys(metrics[each] for each in ids if each in metrics))
