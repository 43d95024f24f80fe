"""Yahoo's daily closes: when they are known, and their conversion to figures."""

import math
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import NamedTuple

import numpy as np

CURRENCY_ZONE = "Europe/London"
"""The time zone of Yahoo's days for currency pairs: `exchangeTimezoneName` in the `meta` of every
chart of its exchange `CCY`, whose regular hours are 0:00 to 23:59 there."""

SETTLING = timedelta(hours=1)
"""How long after the end of its UTC day a close counts as not yet known."""

_SMALLEST, _LARGEST = 1e-9, 1e9


class Close(NamedTuple):
    """The last rate of a day, in units of the quote currency for one unit of the base."""

    day: date
    value: Decimal


def known_from(day: date) -> datetime:
    """The UTC instant from which the close of a day counts as known: 01:00 on the next day.

    Yahoo publishes no hour. Its days for currencies are London's (`CURRENCY_ZONE`), which end at
    23:00 UTC in summer and at 24:00 UTC in winter, so never after the UTC day; until then the row
    of the day is the current rate. The hour after it covers Yahoo's delay, for which `yfinance`
    allows 30 minutes (`data_delay` in its `scrapers/history.py`), and the minutes for which an
    answer is cached.
    """
    return datetime.combine(day + timedelta(days=1), time(), UTC) + SETTLING


def last_known_day(as_of: datetime, now: datetime) -> date:
    """The last day whose close, if there was one, is known at an instant, and is over by `now`.

    Both have a time zone. A day that is still running is never known, even if the as-of instant is
    in the future.
    """
    instant = min(as_of, now).astimezone(UTC)
    return (instant - SETTLING).date() - timedelta(days=1)


def closes_of(rows: Iterable[tuple[date, float]]) -> tuple[Close, ...]:
    """The rows with a close, oldest first.

    Yahoo leaves a close empty, or writes 0, on days without one; such a row is a day without a
    close, as is one with an impossible rate (up to 1e-9, or from 1e9).
    """
    usable = {
        day: as_figure(value)
        for day, value in rows
        if math.isfinite(value) and _SMALLEST < value < _LARGEST
    }
    return tuple(Close(day, usable[day]) for day in sorted(usable))


def as_figure(value: float) -> Decimal:
    """The exact figure behind a number in Yahoo's JSON.

    Yahoo stores rates in single precision and writes them as doubles: 157.252 comes as
    157.25199890136719. Returns the shortest decimal of the same single-precision number, or of the
    double if it is not one. Positive, below 1e9.
    """
    single = np.float32(value)
    exact = single if float(single) == value else np.float64(value)
    return Decimal(np.format_float_positional(exact, trim="-"))
