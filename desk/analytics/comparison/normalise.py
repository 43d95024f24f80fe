"""Converts two statements to the same subject, unit and quotation, so that they can be compared."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Final, NamedTuple

from desk.analytics.comparison.tolerances import LITTLE_CHANGED, Tolerance, tolerance_of
from desk.analytics.names.quotation import (
    far_apart,
    reciprocal,
    reversed_pair,
    reversed_statement,
    scale_powers,
)
from desk.analytics.units import UNITS
from desk.contracts.findings.claims import Claim, Metric, Unit


class Instrument(StrEnum):
    """The kinds of policy instruments that are confused with one another."""

    LOWER_BOUND = "lower bound of the target range"
    MIDPOINT = "midpoint of the target range"
    UPPER_BOUND = "upper bound of the target range"
    DEPOSIT = "deposit facility rate"
    REFINANCING = "main refinancing rate"
    LENDING = "lending facility rate"


_WORDS: Final = (
    ("midpoint", Instrument.MIDPOINT),
    ("mid-point", Instrument.MIDPOINT),
    ("lower", Instrument.LOWER_BOUND),
    ("upper", Instrument.UPPER_BOUND),
    ("refinancing", Instrument.REFINANCING),
    ("deposit", Instrument.DEPOSIT),
    ("lending", Instrument.LENDING),
)

SIGNED: Final = {Metric.MOVE: LITTLE_CHANGED, Metric.DECISION_CHANGE: Decimal(0)}
"""Changes whose direction matters, with the size from which it does."""

SERIES_STATISTICS: Final = frozenset(
    {
        Metric.RANGE_POSITION,
        Metric.BAND_POSITION,
        Metric.Z_SCORE,
        Metric.STREAK,
        Metric.HIGHEST_SINCE,
        Metric.LOWEST_SINCE,
        Metric.LARGEST_DAY,
        Metric.FROM_HIGH,
        Metric.FROM_LOW,
        Metric.VOLATILITY,
        Metric.RSI,
        Metric.MACD_HISTOGRAM,
        Metric.ADX,
        Metric.BOLLINGER_POSITION,
        Metric.PATTERN_COUNT,
        Metric.ANALOGUES,
        Metric.ANALOGUE_MOVE,
        Metric.ANALOGUE_HIT_RATE,
        Metric.ANOMALY_SCORE,
        Metric.SEASONAL_MOVE,
        Metric.SEASONAL_HIT_RATE,
        Metric.SEASONAL_P_VALUE,
        Metric.RISK,
        Metric.REWARD,
        Metric.PAST_RANK,
        Metric.VOLATILITY_RANK,
        Metric.QUARTER_SWING,
        Metric.SPAN_SWING,
        Metric.SPAN_MEAN,
        Metric.SPAN_VOLATILITY,
        Metric.FIXINGS_WITHIN,
        Metric.DAYS_RISEN,
        Metric.DAYS_FALLEN,
        Metric.LONGEST_RISE,
        Metric.LONGEST_FALL,
        Metric.DAYS_ABOVE,
        Metric.DAYS_BELOW,
        Metric.FIRST_ABOVE,
        Metric.FIRST_BELOW,
        Metric.LAST_ABOVE,
        Metric.LAST_BELOW,
        Metric.WEEK_STREAK,
        Metric.DRAWDOWN,
        Metric.CORRELATION,
        Metric.CORRELATION_YEAR,
        Metric.BAND_SPANS,
        Metric.RANGE_STARTS,
        Metric.RANGE_HELD,
        Metric.BAND_STARTS,
        Metric.BAND_ENDED_LOW,
        Metric.BAND_ENDED_MIDDLE,
        Metric.BAND_ENDED_HIGH,
        Metric.BAND_OUTSIDE,
        Metric.BAND_BREAK_MOST,
        Metric.DECISION_STARTS,
        Metric.HELD_SHARE,
        Metric.RAISED_SHARE,
        Metric.CUT_SHARE,
    }
)

_POWERS: Final = {
    (Unit.PERCENT, Unit.BASIS_POINTS): 2,
    (Unit.PERCENT_A_YEAR, Unit.BASIS_POINTS): 2,
    (Unit.BASIS_POINTS, Unit.PERCENT): -2,
    (Unit.BASIS_POINTS, Unit.PERCENT_A_YEAR): -2,
    (Unit.PERCENT, Unit.PERCENT_A_YEAR): 0,
    (Unit.PERCENT_A_YEAR, Unit.PERCENT): 0,
}
"""The powers of ten between units of one dimension."""

COARSEST_SHARE: Final = Decimal("0.02")

COARSEST: Final = {
    Unit.PERCENT: Decimal("0.1"),
    Unit.PERCENT_A_YEAR: Decimal("0.01"),
    Unit.BASIS_POINTS: Decimal(1),
    Unit.STANDARD_DEVIATIONS: Decimal("0.1"),
    Unit.DAYS: Decimal(0),
    Unit.WEEKS: Decimal(0),
    Unit.INDEX: Decimal("0.1"),
    Unit.RATIO: Decimal("0.01"),
    Unit.COUNT: Decimal(0),
    Unit.CALENDAR_DAY: Decimal(0),
    Unit.NUMBER: Decimal(0),
}
"""The coarsest last digit that still counts as rounding: a share of the level, else a size in the
unit. A rate of 4 % is not 4.25 % rounded, because rates are stated in hundredths or finer."""


def instrument_kind(name: str | None) -> Instrument | None:
    """The kind of an instrument, by its name.

    None if the name does not distinguish it from other rates of the same bank, such as "policy
    rate" or a bank's own name for it. It is then assumed to be the instrument that the other figure
    names.
    """
    if name is None:
        return None
    lowered = name.casefold()
    return next((kind for word, kind in _WORDS if word in lowered), None)


class Artefact(StrEnum):
    """Differences of form that make equal statements look different."""

    UNIT = "unit"
    SCALE = "scale"
    DIRECTION = "quote direction"
    AS_OF = "as-of day"
    FIXING_HOUR = "fixing hour"
    ROUNDING = "rounding"
    TARGET_RANGE = "midpoint or bound of a target range"


class Difference(StrEnum):
    """The reasons why two statements cannot be compared."""

    SUBJECT = "another subject"
    METRIC = "another metric"
    DAY = "another day"
    UNIT = "a unit that the metric is not counted in"
    INSTRUMENT = "another instrument"
    SERIES = "another series"


@dataclass(frozen=True, slots=True)
class StatedFigure:
    """A figure as stated by a source or an agent.

    `since` is the day from which a rate has been unchanged. `low` and `high` are the bounds of its
    target range, or of the band that a pair is kept in, if known. An unknown `origin` or
    `instrument` is None.
    """

    subject: str
    metric: Metric
    value: Decimal
    unit: Unit
    day: date
    origin: str | None = None
    instrument: str | None = None
    low: Decimal | None = None
    high: Decimal | None = None
    since: date | None = None


class Comparable(NamedTuple):
    """Two figures in one unit, direction and scale, and the artefacts that were resolved for it."""

    one: Decimal
    other: Decimal
    metric: Metric
    tolerance: Tolerance
    artefacts: tuple[Artefact, ...]

    @property
    def opposed(self) -> bool:
        """Whether both are changes large enough to have a direction, and have opposite
        directions."""
        if self.metric not in SIGNED or self.one * self.other >= 0:
            return False
        return min(abs(self.one), abs(self.other)) >= SIGNED[self.metric]

    @property
    def agree(self) -> bool:
        """Whether the figures do not contradict each other."""
        if self.opposed:
            return False
        apart = abs(self.one - self.other)
        allowed = self.tolerance.allowance(self.one, self.other)
        return apart <= allowed or Artefact.ROUNDING in self.artefacts


class Incomparable(NamedTuple):
    """Two figures that cannot be compared."""

    reason: Difference
    words: str


def statement_of(claim: Claim, origin: str | None = None) -> StatedFigure:
    """The figure of a claim, with its origin."""
    return StatedFigure(
        subject=claim.subject,
        metric=claim.metric,
        value=claim.value,
        unit=claim.unit,
        day=claim.as_of,
        origin=origin,
    )


def normalise(
    one: StatedFigure, other: StatedFigure, daily_deviation: Decimal | None = None
) -> Comparable | Incomparable:
    """Converts both figures to the terms of the first, and lists the artefacts that were resolved.
    Returns the reason if they cannot be compared.

    Whether they agree does not depend on their order. `daily_deviation` is the pair's, as for
    `tolerance_of`.
    """
    pair = _in_terms_of_first(one, other, daily_deviation)
    turned = _in_terms_of_first(other, one, daily_deviation)
    if isinstance(pair, Incomparable) or isinstance(turned, Incomparable):
        return pair if isinstance(pair, Incomparable) else turned
    if turned.agree and not pair.agree:
        return pair._replace(other=pair.one, artefacts=turned.artefacts)
    return pair


def in_unit_of_metric(stated: StatedFigure) -> Decimal | None:
    """The value in the unit of its metric. None if its unit cannot be converted."""
    wanted = UNITS[stated.metric]
    if stated.unit is wanted:
        return stated.value
    power = _POWERS.get((stated.unit, wanted))
    return None if power is None else stated.value.scaleb(power)


def last_digit(value: Decimal) -> Decimal:
    """The unit in the last place of a figure as written."""
    exponent = value.as_tuple().exponent
    return Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)


def _in_terms_of_first(
    one: StatedFigure, other: StatedFigure, daily_deviation: Decimal | None
) -> Comparable | Incomparable:
    if reversed_pair(one.subject) == other.subject:
        turned = reversed_statement(other.metric, other.value)
        if turned is None:
            return _incomparable(Difference.METRIC, "it does not follow for the reversed pair")
        other = _changed(other, one.subject, *turned)
        return _aligned(one, other, daily_deviation, (Artefact.DIRECTION,))
    return _aligned(one, other, daily_deviation, ())


def _aligned(
    one: StatedFigure, other: StatedFigure, deviation: Decimal | None, found: tuple[Artefact, ...]
) -> Comparable | Incomparable:
    obstacle = _obstacle(one, other)
    if obstacle is not None:
        return obstacle
    first, second = in_unit_of_metric(one), in_unit_of_metric(other)
    if first is None or second is None:
        return _incomparable(Difference.UNIT, f"{one.metric} in {one.unit} and in {other.unit}")
    at_par = _at_one_point_of_the_range(one, other, first, second)
    if at_par is None:
        words = f"{one.instrument} and {other.instrument} are different instruments"
        return _incomparable(Difference.INSTRUMENT, words)
    same_fixing = one.origin is not None and one.origin == other.origin
    tolerance = tolerance_of(
        one.metric,
        same_fixing=same_fixing,
        daily_deviation=deviation,
        band=_bounds(one, other) if UNITS[one.metric] is not Unit.PERCENT_A_YEAR else None,
    )
    declared = {
        Artefact.UNIT: one.unit is not other.unit,
        Artefact.AS_OF: one.day != other.day,
        Artefact.FIXING_HOUR: _fixed_at_other_hours(one, other),
        Artefact.TARGET_RANGE: at_par != second,
    }
    found = (*found, *(artefact for artefact, present in declared.items() if present))
    return _inferred(Comparable(first, at_par, one.metric, tolerance, found), one.subject)


def _obstacle(one: StatedFigure, other: StatedFigure) -> Incomparable | None:
    if one.subject != other.subject:
        return _incomparable(Difference.SUBJECT, f"{one.subject} and {other.subject}")
    if one.metric is not other.metric:
        return _incomparable(Difference.METRIC, f"{one.metric} and {other.metric}")
    if one.day != other.day and not _stood_through(one, other):
        return _incomparable(Difference.DAY, f"{one.day} and {other.day}")
    if one.metric in SERIES_STATISTICS and _fixed_at_other_hours(one, other):
        words = f"{one.metric} of the series of {one.origin} and of {other.origin}"
        return _incomparable(Difference.SERIES, words)
    return None


def _stood_through(one: StatedFigure, other: StatedFigure) -> bool:
    """Whether the later day's rate is known to have been in force on the earlier day."""
    later, earlier = (one, other) if one.day > other.day else (other, one)
    return later.since is not None and later.since <= earlier.day


def _fixed_at_other_hours(one: StatedFigure, other: StatedFigure) -> bool:
    return (
        one.metric in SERIES_STATISTICS | {Metric.MOVE} or UNITS[one.metric] is Unit.LEVEL
    ) and (None not in (one.origin, other.origin) and one.origin != other.origin)


def _at_one_point_of_the_range(
    one: StatedFigure, other: StatedFigure, first: Decimal, second: Decimal
) -> Decimal | None:
    """The other figure restated for the first one's instrument. None if the instruments differ.

    A bound and the midpoint of one target range can be told apart if either side gives the bounds.
    If a side does not name its instrument, its figure decides which one it is.
    """
    wanted, given = instrument_kind(one.instrument), instrument_kind(other.instrument)
    points = _points(one, other)
    if wanted is None or given is None:
        here, there = (_point(points, k, v) for k, v in ((wanted, first), (given, second)))
        return first if here and there else second
    if wanted is given:
        return second
    if wanted not in points or given not in points:
        return None
    return second - points[given] + points[wanted]


def _points(one: StatedFigure, other: StatedFigure) -> dict[Instrument, Decimal]:
    """The figures that can represent one target range. Empty if the range is unknown."""
    bounds = _bounds(one, other)
    if bounds is None or UNITS[one.metric] is not Unit.PERCENT_A_YEAR:
        return {}
    low, high = bounds
    return {
        Instrument.LOWER_BOUND: low,
        Instrument.MIDPOINT: (low + high) / 2,
        Instrument.UPPER_BOUND: high,
    }


def _point(points: dict[Instrument, Decimal], kind: Instrument | None, value: Decimal) -> bool:
    """Whether a figure is a point of the range: the named one, or any if none is named."""
    return value == points.get(kind) if kind else value in points.values()


def _bounds(one: StatedFigure, other: StatedFigure) -> tuple[Decimal, Decimal] | None:
    low = one.low if one.low is not None else other.low
    high = one.high if one.high is not None else other.high
    return None if low is None or high is None else (low, high)


def _inferred(pair: Comparable, subject: str) -> Comparable:
    """Resolves an undeclared rounding, direction or scale, if that alone explains the distance."""
    if pair.agree:
        return pair
    if _is_rounding(pair):
        return _resolved(pair, Artefact.ROUNDING)
    if UNITS[pair.metric] is Unit.LEVEL:
        return _level_inferred(pair, subject)
    for power in scale_powers(UNITS[pair.metric], subject):
        scaled = pair._replace(other=pair.other.scaleb(power))
        if not scaled.one.is_zero() and (scaled.one == scaled.other or _is_rounding(scaled)):
            return _resolved(scaled, Artefact.SCALE, Artefact.ROUNDING)
    return pair


def _level_inferred(pair: Comparable, subject: str) -> Comparable:
    if not far_apart(pair.one, pair.other):
        return pair
    turned = pair._replace(other=reciprocal(pair.other))
    if _agrees_or_is_rounding(turned, reversed_quote=True):
        return _resolved(turned, Artefact.DIRECTION, Artefact.ROUNDING)
    for power in scale_powers(Unit.LEVEL, subject):
        scaled = pair._replace(other=pair.other.scaleb(power))
        if _agrees_or_is_rounding(scaled):
            return _resolved(scaled, Artefact.SCALE, Artefact.ROUNDING)
    return pair


def _resolved(pair: Comparable, *artefacts: Artefact) -> Comparable:
    return pair._replace(artefacts=(*pair.artefacts, *artefacts))


def _agrees_or_is_rounding(pair: Comparable, *, reversed_quote: bool = False) -> bool:
    return pair.agree or _is_rounding(pair, reversed_quote=reversed_quote)


def _is_rounding(pair: Comparable, *, reversed_quote: bool = False) -> bool:
    """Whether the finer figure, rounded to the last digit of the coarser one, equals it.

    For a reversed quote a whole last digit is allowed, because both sides were rounded.
    """
    step = max(last_digit(pair.one), last_digit(pair.other))
    unit = UNITS[pair.metric]
    smaller = min(abs(pair.one), abs(pair.other))
    coarsest = COARSEST_SHARE * smaller if unit is Unit.LEVEL else COARSEST[unit]
    whole = reversed_quote or Artefact.DIRECTION in pair.artefacts
    return step <= coarsest and abs(pair.one - pair.other) <= (step if whole else step / 2)


def _changed(stated: StatedFigure, subject: str, metric: Metric, value: Decimal) -> StatedFigure:
    return StatedFigure(
        subject, metric, value, stated.unit, stated.day, stated.origin, stated.instrument
    )


def _incomparable(reason: Difference, words: str) -> Incomparable:
    return Incomparable(reason, words)
