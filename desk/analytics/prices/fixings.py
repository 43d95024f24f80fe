"""The time at which a daily reference rate becomes known, and cross rates from two euro rates.

The publication time is the ECB's, which publishes its reference rates at about 16:00 Central
European Time on every day on which its payment system is open.
"""

from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_05UP, Decimal, localcontext
from zoneinfo import ZoneInfo

FIXING_ZONE = ZoneInfo("Europe/Berlin")
PUBLISHED_AT = time(16)
CROSS_DIGITS = 10
"""Significant digits of a cross: at least one more than any formatted level has."""
LONGEST_GAP = timedelta(days=14)
"""A series without a fixing for longer than this has ended, or its file is too old to be used."""


def known_from(day: date) -> datetime:
    """The UTC instant from which the fixing of a day is known: 16:00 in Frankfurt on that day."""
    return datetime.combine(day, PUBLISHED_AT, FIXING_ZONE).astimezone(UTC)


def last_known_day(as_of: datetime) -> date:
    """The last calendar day whose fixing, if there was one, is known at an instant.

    Raises:
        ValueError: the instant has no time zone.
    """
    if as_of.tzinfo is None:
        raise ValueError(f"{as_of} has no time zone, so it is not an instant")
    today = as_of.astimezone(FIXING_ZONE).date()
    return today if known_from(today) <= as_of else today - timedelta(days=1)


def last_expected_day(as_of: datetime) -> date:
    """The last day whose fixing must be known at an instant, by the ECB's calendar.

    Raises:
        ValueError: the instant has no time zone.
    """
    day = last_known_day(as_of)
    while not is_fixing_day(day):
        day -= timedelta(days=1)
    return day


def covered_to(last_day: date) -> date:
    """The last day up to which no fixing is awaited by a series that ends on `last_day`: the day
    before the ECB fixes next. On Christmas Eve it is the Sunday after, if Christmas is a Friday."""
    day = last_day
    while not is_fixing_day(day + timedelta(days=1)):
        day += timedelta(days=1)
    return day


def is_fixing_day(day: date) -> bool:
    """Whether the ECB's payment system, TARGET, is open on a day.

    It is closed on weekends, 1 January, Good Friday, Easter Monday, 1 May, 25 and 26 December, and
    until 2001 on the last day of the year.
    """
    closed = {(1, 1), (5, 1), (12, 25), (12, 26)}
    if day.year <= 2001:
        closed.add((12, 31))
    from_easter = (day - _easter(day.year)).days
    return day.weekday() < 5 and (day.month, day.day) not in closed and from_easter not in (-2, 1)


def _easter(year: int) -> date:
    """Easter Sunday by the Gregorian rule (Meeus, Astronomical Algorithms, 1991)."""
    golden = year % 19
    century, of_century = divmod(year, 100)
    leap, over = divmod(century, 4)
    shift = (century - (century + 8) // 25 + 1) // 3
    moon = (19 * golden + century - leap - shift + 15) % 30
    quarters, rest = divmod(of_century, 4)
    weekday = (32 + 2 * over + 2 * quarters - moon - rest) % 7
    late = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def has_lapsed(fixed_on: date, as_of: datetime) -> bool:
    """Whether the series has ended: its last fixing is too old to be a quote at the instant."""
    return last_known_day(as_of) - fixed_on > LONGEST_GAP


def cross_rate(base_per_euro: Decimal, quote_per_euro: Decimal) -> Decimal:
    """Units of the quote currency for one unit of the base, to ten significant digits.

    The last digit is truncated so that rounding the result gives the same as rounding the exact
    quotient: only the final formatting rounds.

    Args:
        base_per_euro: units of the base currency for one euro, above zero.
        quote_per_euro: units of the quote currency for one euro, above zero.
    """
    with localcontext(prec=CROSS_DIGITS, rounding=ROUND_05UP):
        rate = quote_per_euro / base_per_euro
    exponent = min(0, rate.adjusted() - CROSS_DIGITS + 1)
    return rate.quantize(Decimal((0, (1,), exponent)))
