"""Prints figures: sign, precision and unit."""

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
        Metric.EDGE_DISTANCE,
        Metric.UNUSUAL_FROM,
    }
)
"""Percentages that say where in a range a value stands, how wide it swings, or how often something
was so; they are no changes and take no sign."""

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
"""How often something was so: printed without zeros at the end."""

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
LEAST_SIGNIFICANT: Final = 4
"""Digits of a printed level."""

WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def print_figure(value: Decimal, unit: Unit, *, signed: bool = True) -> str:
    """A value in its unit, at the precision that its exponent states.

    Levels and rates carry a minus only; changes carry a sign unless they are zero or `signed`
    is false. Days are counted without a sign: the sentence around them says which way.
    """
    if unit is Unit.DAYS:
        count = abs(value)
        return f"{count:,f} {'day' if count == 1 else 'days'}"
    if unit is Unit.CALENDAR_DAY:
        day = day_of(value)
        return print_full_day(day) if day else f"{value:f}"
    value = abs(value) if value.is_zero() else value
    plus = "+" if signed and unit in SIGNED_UNITS and value > 0 else ""
    return f"{plus}{value:,f}{SUFFIXES[unit]}"


def level_step(level: Decimal, digits: int) -> Decimal:
    """The unit in the last place of a pair's printed levels: its digits, or as many more as give
    a level four significant ones, so that a small level does not round its moves away."""
    return Decimal(1).scaleb(-max(digits, LEAST_SIGNIFICANT - 1 - level.adjusted()))


def as_number(day: date) -> Decimal:
    """A day as the value of a claim: 20240312."""
    return Decimal(f"{day:%Y%m%d}")


def day_of(value: Decimal) -> date | None:
    """The day that a claim's value stands for (20240312); None if there is no such day."""
    try:
        return datetime.strptime(f"{value:f}", "%Y%m%d").date()  # noqa: DTZ007
    except ValueError:
        return None


def print_claim(claim: Claim) -> str:
    """A claim's value as every form of the report prints it."""
    value = _without_zeros(claim.value) if claim.metric in SHARES else claim.value
    return print_figure(value, claim.unit, signed=claim.metric not in POSITIONS)


def _without_zeros(value: Decimal) -> Decimal:
    """A number without trailing zeros: 35 for 35.00, and 40, not 4E+1."""
    return value.quantize(Decimal(1)) if value == value.to_integral_value() else value.normalize()


def print_day(day: date, precision: DatePrecision = DatePrecision.DAY) -> str:
    """A day within a sentence: `18 Sep`, or its month if no more is known."""
    if precision is DatePrecision.MONTH:
        return MONTHS[day.month - 1]
    return f"{day.day} {MONTHS[day.month - 1]}"


def print_weekday(day: date, precision: DatePrecision = DatePrecision.DAY) -> str:
    """A day of the weeks around the report: `Fri 18 Sep`, or its month if no more is known."""
    if precision is DatePrecision.MONTH:
        return print_known_day(day, precision)
    return f"{WEEKDAYS[day.weekday()]} {print_day(day)}"


def print_full_day(day: date) -> str:
    """A day with its year: `18 Sep 2026`."""
    return f"{print_day(day)} {day.year}"


def iso_known_day(day: date, precision: DatePrecision) -> str:
    """A day as ISO 8601 writes it, or its month (`2026-09`) if no more is known."""
    return f"{day:%Y-%m}" if precision is DatePrecision.MONTH else day.isoformat()


def print_known_day(day: date, precision: DatePrecision) -> str:
    """A day with its year, or only month and year (`Sep 2026`) if no more is known."""
    if precision is DatePrecision.MONTH:
        return f"{MONTHS[day.month - 1]} {day.year}"
    return print_full_day(day)
