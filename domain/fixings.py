"""When a daily reference rate is known, and how a cross follows from two euro rates.

The rule for the publication time follows the ECB, which publishes its reference rates at around
16:00 Central European Time on every day on which its payment system is open.
"""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, localcontext
from zoneinfo import ZoneInfo

FIXING_ZONE = ZoneInfo("Europe/Berlin")
PUBLISHED_AT = time(16)
SIGNIFICANT_DIGITS = 6
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


def has_lapsed(fixed_on: date, as_of: datetime) -> bool:
    """Whether a series whose last fixing is of `fixed_on` no longer gives a quote at an instant."""
    return last_known_day(as_of) - fixed_on > LONGEST_GAP


def cross_rate(base_per_euro: Decimal, quote_per_euro: Decimal) -> Decimal:
    """Units of the quote currency for one unit of the base, to six significant digits.

    Args:
        base_per_euro: units of the base currency for one euro, above zero.
        quote_per_euro: units of the quote currency for one euro, above zero.
    """
    with localcontext() as context:
        context.prec = SIGNIFICANT_DIGITS
        rate = quote_per_euro / base_per_euro
    exponent = min(0, rate.adjusted() - SIGNIFICANT_DIGITS + 1)
    return rate.quantize(Decimal((0, (1,), exponent)))
