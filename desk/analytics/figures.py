"""Formats figures: sign, precision and unit."""

from datetime import date, datetime
from decimal import Decimal
from typing import Final

from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.source_results import DatePrecision

POSITIONS: Final = frozenset(
    {
        Metric.RANGE_POSITION,
        Metric.BAND_POSITION,
        Metric.BOLLINGER_POSITION,
        Metric.VOLATILITY,
        Metric.BREADTH,
        Metric.ANALOGUE_HIT_RATE,
        Metric.SEASONAL_HIT_RATE,
        Metric.RISK,
        Metric.LARGEST_DAY,
        Metric.PAST_RANK,
        Metric.DEAR_FROM,
        Metric.CHEAP_TO,
        Metric.VOLATILITY_RANK,
        Metric.BAND_ENDED_LOW,
        Metric.BAND_ENDED_MIDDLE,
        Metric.BAND_ENDED_HIGH,
        Metric.BAND_OUTSIDE,
        Metric.BAND_BREAK_MOST,
        Metric.HELD_SHARE,
        Metric.RANGE_HELD,
        Metric.RAISED_SHARE,
        Metric.CUT_SHARE,
        Metric.VOLATILE_FROM,
        Metric.CALM_TO,
        Metric.QUARTER_SWING,
        Metric.SPAN_SWING,
        Metric.SPAN_VOLATILITY,
        Metric.EDGE_DISTANCE,
        Metric.UNUSUAL_FROM,
    }
)
"""Percentages that are not changes, and so have no sign: the position in a range, the width of a
swing, or a frequency."""

SHARES: Final = frozenset(
    {
        Metric.ANALOGUE_HIT_RATE,
        Metric.SEASONAL_HIT_RATE,
        Metric.BREADTH,
        Metric.PAST_RANK,
        Metric.DEAR_FROM,
        Metric.CHEAP_TO,
        Metric.VOLATILITY_RANK,
        Metric.VOLATILE_FROM,
        Metric.CALM_TO,
        Metric.BAND_ENDED_LOW,
        Metric.BAND_ENDED_MIDDLE,
        Metric.BAND_ENDED_HIGH,
        Metric.BAND_OUTSIDE,
        Metric.HELD_SHARE,
        Metric.RANGE_HELD,
        Metric.RAISED_SHARE,
        Metric.CUT_SHARE,
    }
)
"""Frequencies. Formatted without trailing zeros."""

SIGNED_UNITS: Final = frozenset({Unit.PERCENT, Unit.BASIS_POINTS, Unit.STANDARD_DEVIATIONS})
SUFFIXES: Final = {
    Unit.LEVEL: "",
    Unit.PERCENT: " %",
    Unit.PERCENT_A_YEAR: " %",
    Unit.BASIS_POINTS: " bp",
    Unit.STANDARD_DEVIATIONS: " σ",
    Unit.INDEX: "",
    Unit.RATIO: "",
    Unit.COUNT: "",
    Unit.CALENDAR_DAY: "",
    Unit.NUMBER: "",
}
COUNTED_IN: Final = {Unit.DAYS: "day", Unit.WEEKS: "week"}
LEAST_SIGNIFICANT: Final = 4
"""The fewest significant digits of a formatted level."""

WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def print_figure(value: Decimal, unit: Unit, *, signed: bool = True) -> str:
    """Formats a value in its unit, at the precision of its exponent.

    Levels and rates show only a minus; changes show a sign unless they are zero or `signed` is
    false. Days and weeks have no sign: the surrounding sentence says the direction.
    """
    if unit in COUNTED_IN:
        count = abs(value)
        return f"{count:,f} {COUNTED_IN[unit]}{'' if count == 1 else 's'}"
    if unit is Unit.CALENDAR_DAY:
        day = day_of(value)
        return print_full_day(day) if day else f"{value:f}"
    value = abs(value) if value.is_zero() else value
    plus = "+" if signed and unit in SIGNED_UNITS and value > 0 else ""
    return f"{plus}{value:,f}{SUFFIXES[unit]}"


def level_step(level: Decimal, digits: int) -> Decimal:
    """The unit in the last place of a pair's formatted levels: its digits, or as many more as give
    the level four significant ones, so that a small level does not round its moves away."""
    return Decimal(1).scaleb(-max(digits, LEAST_SIGNIFICANT - 1 - level.adjusted()))


def as_number(day: date) -> Decimal:
    """Encodes a day as the value of a claim: 20240312."""
    return Decimal(f"{day:%Y%m%d}")


def day_of(value: Decimal) -> date | None:
    """Decodes a day from a claim's value (20240312). None if there is no such day."""
    try:
        return datetime.strptime(f"{value:f}", "%Y%m%d").date()  # noqa: DTZ007
    except ValueError:
        return None


def print_claim(claim: Claim) -> str:
    """Formats a claim's value, in the same way for every form of the report."""
    value = _without_zeros(claim.value) if claim.metric in SHARES else claim.value
    return print_figure(value, claim.unit, signed=claim.metric not in POSITIONS)


def _without_zeros(value: Decimal) -> Decimal:
    """Removes trailing zeros: 35 for 35.00, and 40, not 4E+1."""
    return value.quantize(Decimal(1)) if value == value.to_integral_value() else value.normalize()


def print_day(day: date, precision: DatePrecision = DatePrecision.DAY) -> str:
    """Formats a day within a sentence: `18 Sep`, or its month if the day is unknown."""
    if precision is DatePrecision.MONTH:
        return MONTHS[day.month - 1]
    return f"{day.day} {MONTHS[day.month - 1]}"


def print_weekday(day: date, precision: DatePrecision = DatePrecision.DAY) -> str:
    """Formats a day of the weeks around the report: `Fri 18 Sep`, or its month if the day is
    unknown."""
    if precision is DatePrecision.MONTH:
        return print_known_day(day, precision)
    return f"{WEEKDAYS[day.weekday()]} {print_day(day)}"


def print_full_day(day: date) -> str:
    """Formats a day with its year: `18 Sep 2026`."""
    return f"{print_day(day)} {day.year}"


def iso_known_day(day: date, precision: DatePrecision) -> str:
    """Formats a day by ISO 8601, or its month (`2026-09`) if the day is unknown."""
    return f"{day:%Y-%m}" if precision is DatePrecision.MONTH else day.isoformat()


def print_known_day(day: date, precision: DatePrecision) -> str:
    """Formats a day with its year, or only month and year (`Sep 2026`) if the day is unknown."""
    if precision is DatePrecision.MONTH:
        return f"{MONTHS[day.month - 1]} {day.year}"
    return print_full_day(day)
