"""Claims: figures with their evidence."""

import re
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.base import Contract, Figure, ShortText
from desk.contracts.findings.source_results import DatePrecision, is_of_a_day

ClaimId = Annotated[
    str,
    Field(
        pattern=r"^[A-Z^][A-Z0-9.^=-]{0,14}(/[A-Z]{3})?:[a-z0-9_]+"
        r"((\.[A-Za-z0-9_-]+)+|@\d{4}-\d{2}-\d{2})?$",
        max_length=200,
    ),
]
"""`USD/JPY:last` or `JP:decision_change@2026-10-30`: subject, metric and, where a window can hold
several, the day. `TRACKER:find_case_3fa2.price.last` is a number from a third-party tool's answer:
the server, the tool with a part that identifies the question, and the path.
`USD/SEK:span_move.2026-09-30.2026-10-30` is about the days it names, and
`USD/SEK:days_above.9.5.2026-09-30.2026-10-30` also about a level."""


class Unit(StrEnum):
    """The unit of a claim's number."""

    LEVEL = "level"
    """Units of the quote currency for one unit of the base currency, or a stock's price."""
    PERCENT = "percent"
    """A relative change, times one hundred."""
    PERCENT_A_YEAR = "percent_a_year"
    """An interest rate."""
    BASIS_POINTS = "basis_points"
    STANDARD_DEVIATIONS = "standard_deviations"
    DAYS = "days"
    """A count of fixings in a row, signed by their direction."""
    WEEKS = "weeks"
    """A count of weeks in a row, signed by their direction."""
    INDEX = "index"
    """A place on a scale that its metric defines, such as 0 to 100."""
    RATIO = "ratio"
    COUNT = "count"
    CALENDAR_DAY = "calendar_day"
    """A day, written as the number 20240312."""
    NUMBER = "number"
    """Any other unit: the sentence around the number names it."""


class Metric(StrEnum):
    """The quantity that is measured. The definitions are in docs/method.md."""

    LAST = "last"
    PREVIOUS = "previous"
    MOVE = "move"
    WINDOW_HIGH = "window_high"
    WINDOW_LOW = "window_low"
    YEAR_HIGH = "year_high"
    YEAR_LOW = "year_low"
    Z_SCORE = "z_score"
    RANGE_POSITION = "range_position"
    STREAK = "streak"
    BAND_POSITION = "band_position"
    BAND_LOW = "band_low"
    BAND_HIGH = "band_high"
    HIGHEST_SINCE = "highest_since"
    LOWEST_SINCE = "lowest_since"
    LARGEST_DAY = "largest_day"
    FROM_HIGH = "from_high"
    FROM_LOW = "from_low"
    POLICY_RATE = "policy_rate"
    YIELD_2Y = "yield_2y"
    YIELD_10Y = "yield_10y"
    YIELD_2Y_CHANGE = "yield_2y_change"
    YIELD_DIFFERENTIAL = "yield_differential"
    YIELD_DIFFERENTIAL_CHANGE = "yield_differential_change"
    DIFFERENTIAL = "differential"
    DECISION_RATE = "decision_rate"
    DECISION_CHANGE = "decision_change"
    CUTS_IN_A_ROW = "cuts_in_a_row"
    RISES_IN_A_ROW = "rises_in_a_row"
    HOLDS_IN_A_ROW = "holds_in_a_row"
    CUTS_WITHIN = "cuts_within"
    RISES_WITHIN = "rises_within"
    DECISIONS_WITHIN = "decisions_within"
    CHANGE_WITHIN = "change_within"
    BANKS_CUT = "banks_cut"
    BANKS_RAISED = "banks_raised"
    BANKS_HELD = "banks_held"
    DOLLAR_ROSE = "dollar_rose"
    DOLLAR_FELL = "dollar_fell"
    DOLLAR_LITTLE_CHANGED = "dollar_little_changed"

    MONTH_MOVE = "month_move"
    QUARTER_MOVE = "quarter_move"
    YEAR_MOVE = "year_move"
    VOLATILITY = "volatility"
    EXPECTED_LOW = "expected_low"
    EXPECTED_HIGH = "expected_high"
    RANGE_STARTS = "range_starts"
    RANGE_HELD = "range_held"
    GROUP_MOVE = "group_move"
    RELATIVE_MOVE = "relative_move"
    BREADTH = "breadth"

    PAST_RANK = "past_rank"
    DEAR_FROM = "dear_from"
    CHEAP_TO = "cheap_to"
    VOLATILITY_RANK = "volatility_rank"
    VOLATILE_FROM = "volatile_from"
    CALM_TO = "calm_to"
    QUARTER_SWING = "quarter_swing"
    PRIOR_HIGH = "prior_high"
    PRIOR_LOW = "prior_low"
    DRAWDOWN = "drawdown"
    CORRECTION_FROM = "correction_from"
    CORRELATION = "correlation"
    CORRELATION_YEAR = "correlation_year"
    CORRELATED_FROM = "correlated_from"
    EDGE_DISTANCE = "edge_distance"
    PEG_SINCE = "peg_since"
    PEG_ENDED = "peg_ended"
    NEXT_DECISION = "next_decision"
    BAND_SPANS = "band_spans"
    BAND_STARTS = "band_starts"
    BAND_ENDED_LOW = "band_ended_low"
    BAND_ENDED_MIDDLE = "band_ended_middle"
    BAND_ENDED_HIGH = "band_ended_high"
    BAND_OUTSIDE = "band_outside"
    BAND_BREAK_MOST = "band_break_most"
    DECISION_STARTS = "decision_starts"
    HELD_SHARE = "held_share"
    RAISED_SHARE = "raised_share"
    CUT_SHARE = "cut_share"

    RSI = "rsi"
    RSI_OVERBOUGHT = "rsi_overbought"
    RSI_OVERSOLD = "rsi_oversold"
    MACD_HISTOGRAM = "macd_histogram"
    SMA_50 = "sma_50"
    SMA_200 = "sma_200"
    ADX = "adx"
    BOLLINGER_POSITION = "bollinger_position"
    PATTERN_COUNT = "pattern_count"
    TARGET = "target"

    CARRY_TO_VOLATILITY = "carry_to_volatility"
    LARGE_CARRY_FROM = "large_carry_from"
    PRICE_TO_EARNINGS = "price_to_earnings"
    PRICE_TO_BOOK = "price_to_book"
    NET_MARGIN = "net_margin"
    DEBT_TO_EQUITY = "debt_to_equity"
    REVENUE_GROWTH = "revenue_growth"
    EARNINGS_SURPRISE = "earnings_surprise"
    QUARTER_REVENUE_GROWTH = "quarter_revenue_growth"
    QUARTER_NET_MARGIN = "quarter_net_margin"

    NEWS_COUNT = "news_count"
    NEWS_TONE = "news_tone"
    MENTION_COUNT = "mention_count"
    MENTION_REACH = "mention_reach"
    ANALYST_RATINGS = "analyst_ratings"
    RATINGS_RAISED = "ratings_raised"
    RATINGS_CUT = "ratings_cut"
    ESTIMATES_RAISED = "estimates_raised"
    ESTIMATES_CUT = "estimates_cut"

    ANALOGUES = "analogues"
    ANALOGUE_MOVE = "analogue_move"
    ANALOGUE_HIT_RATE = "analogue_hit_rate"
    ANOMALY_SCORE = "anomaly_score"
    UNUSUAL_FROM = "unusual_from"
    SEASONAL_MOVE = "seasonal_move"
    SEASONAL_HIT_RATE = "seasonal_hit_rate"
    SEASONAL_P_VALUE = "seasonal_p_value"
    CHANCE_TO = "chance_to"

    ENTRY = "entry"
    EXIT = "exit"
    FORWARD_MOVE = "forward_move"
    CASH_MOVE = "cash_move"
    RISK = "risk"
    OVER_CASH = "over_cash"
    OVER_HOLDING = "over_holding"
    REWARD = "reward"

    SPAN_START = "span_start"
    SPAN_END = "span_end"
    SPAN_HIGH = "span_high"
    SPAN_LOW = "span_low"
    SPAN_MOVE = "span_move"
    SPAN_SWING = "span_swing"
    SPAN_MEAN = "span_mean"
    SPAN_VOLATILITY = "span_volatility"
    FIXINGS_WITHIN = "fixings_within"
    DAYS_RISEN = "days_risen"
    DAYS_FALLEN = "days_fallen"
    LONGEST_RISE = "longest_rise"
    LONGEST_FALL = "longest_fall"
    DAYS_ABOVE = "days_above"
    DAYS_BELOW = "days_below"
    FIRST_ABOVE = "first_above"
    FIRST_BELOW = "first_below"
    LAST_ABOVE = "last_above"
    LAST_BELOW = "last_below"
    WEEK_STREAK = "week_streak"

    TARGET_RANGE_LOW = "target_range_low"
    TARGET_RANGE_HIGH = "target_range_high"
    STATED = "stated"
    """A number in the answer of a tool whose format the desk does not know."""


MOVES: Final = frozenset(
    {
        *(Metric.MOVE, Metric.MONTH_MOVE, Metric.QUARTER_MOVE, Metric.YEAR_MOVE),
        *(Metric.SPAN_MOVE, Metric.GROUP_MOVE, Metric.ANALOGUE_MOVE),
        *(Metric.SEASONAL_MOVE, Metric.FORWARD_MOVE),
        *(Metric.REVENUE_GROWTH, Metric.QUARTER_REVENUE_GROWTH),
    }
)
"""Percentages by which something rose or fell, which prose can print with that verb. Every other
percentage is a level, a position, a threshold or a difference, and neither rises nor falls."""

SIDED: Final = frozenset(
    {
        *(Metric.MOVE, Metric.MONTH_MOVE, Metric.QUARTER_MOVE, Metric.YEAR_MOVE),
        Metric.SPAN_MOVE,
    }
)
"""Moves of a market. For a pair, prose can state them from the side of either currency."""

_SPAN: Final = re.compile(r"\.(\d{4}-\d{2}-\d{2})\.(\d{4}-\d{2}-\d{2})$")
_NAME_OF_A_SPAN: Final = re.compile(
    r"\b(?:[A-Z]{3}/[A-Z]{3}|[A-Z]{2}):[a-z_]+(?:\.\d+){0,2}(?:\.\d{4}-\d{2}-\d{2}){2}(?![\w.-]*\w)"
)
_LEVEL: Final = re.compile(r":[a-z_]+\.(\d+(?:\.\d+)?)(?:\.\d{4}-\d{2}-\d{2}){2}$")


class Claim(Contract):
    """One figure: its subject, its value and the evidence that it rests on.

    A derived claim names its formula (a public function of `analytics.formulas`); its inputs are
    the evidence, the claims in `inputs`, or both. `as_of` is the day that the figure is about,
    known only to the given `precision`.
    """

    claim_id: ClaimId
    subject: ShortText
    metric: Metric
    value: Figure
    unit: Unit
    as_of: date
    precision: Annotated[DatePrecision, Field(exclude_if=is_of_a_day)] = DatePrecision.DAY
    evidence: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()
    formula: ShortText | None = None
    inputs: Annotated[tuple[ClaimId, ...], Field(max_length=200)] = ()


def claim_id(subject: str, metric: Metric, day: date | None = None) -> str:
    """Returns the id of a claim, unique within a report."""
    return f"{subject}:{metric}" if day is None else f"{subject}:{metric}@{day.isoformat()}"


def span_id(subject: str, metric: Metric, first: date, last: date) -> str:
    """Returns the id of a claim on a span of days: `USD/SEK:span_move.2026-09-30.2026-10-30`."""
    return f"{subject}:{metric}.{first.isoformat()}.{last.isoformat()}"


def span_days(claim: Claim) -> tuple[date, date] | None:
    """Returns the first and the last day of a claim on requested days; None for any other claim. A
    report can have many such spans, so the name of each includes its days."""
    return None if claim.metric is Metric.STATED else days_named(claim.claim_id)


def days_named(name: str) -> tuple[date, date] | None:
    """Returns the first and the last day in a claim's name; None without days, or if there are no
    such days."""
    found = _SPAN.search(name)
    try:
        return (date.fromisoformat(found[1]), date.fromisoformat(found[2])) if found else None
    except ValueError:
        return None


def names_of_spans(text: str) -> tuple[str, ...]:
    """Returns the names of claims on a pair or area over days that a text contains, each once."""
    return tuple(dict.fromkeys(_NAME_OF_A_SPAN.findall(text)))


def level_id(subject: str, metric: Metric, level: Decimal, first: date, last: date) -> str:
    """The id of a claim on a level over a span of days: the level stands before the days."""
    return span_id(subject, metric, first, last).replace(f":{metric}", f":{metric}.{level:f}", 1)


def level_named(name: str) -> Decimal | None:
    """The level that the name of a claim on a span of days has; None without one."""
    found = _LEVEL.search(name)
    return Decimal(found[1]) if found else None
