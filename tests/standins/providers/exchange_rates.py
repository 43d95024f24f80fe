"""Daily exchange rates of five publishers, each near the ECB's fixing of the day but not at it.

The files are written as their publishers write them (`tests.support.files.daily_rates`); the rates
are the ECB's, those after its packaged history invented, each moved a little as by another hour of
the day. What a publisher had released by a day is in its file, and nothing later.
"""

import math
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cache, partial

from desk.sources.serving.daily_series import Publisher
from desk.sources.statistics.daily_rates import PUBLISHERS
from tests.standins.provider import NOT_FOUND, Ask, Provider, Reply
from tests.standins.providers.ecb import header, rows_until
from tests.support.files.daily_rates import file_of

CURRENCIES = (
    *("AUD", "CAD", "CHF", "CNY", "EUR", "GBP", "HKD", "IDR", "INR", "JPY", "KRW", "MYR", "NOK"),
    *("NZD", "PHP", "SEK", "SGD", "THB"),
)
HOURS_APART = 0.0009
"""The most that a rate lies from the ECB's, as a share; a twentieth of the Hong Kong dollar."""

FIRST_DAY = "2025-01-01"

Fixings = Mapping[str, Mapping[date, Decimal]]


@cache
def per_dollar(until: date) -> Fixings:
    """Units of each currency for one dollar by the ECB's fixings since `FIRST_DAY`, to a day."""
    columns = header().rstrip(",").split(",")[1:]
    found: dict[str, dict[date, Decimal]] = {code: {} for code in CURRENCIES}
    for row in rows_until(until):
        if row[:10] < FIRST_DAY:
            break
        day, *cells = row.split(",")
        rates = {code: cell for code, cell in zip(columns, cells, strict=False) if cell != "N/A"}
        dollar = Decimal(rates["USD"])
        for code in CURRENCIES:
            euro = Decimal(1) if code == "EUR" else Decimal(rates[code]) if code in rates else None
            if euro is not None:
                found[code][date.fromisoformat(day)] = euro / dollar
    return {code: dict(sorted(values.items())) for code, values in found.items()}


def _told(publisher: Publisher, number: int, until: date, *, late: bool) -> Fixings:
    """What a publisher had released by the end of a day."""
    fixings = per_dollar(until)
    days = tuple(sorted(fixings["JPY"]))
    instant = datetime.combine(until, time(23, 59), UTC)
    released = {day for day in days if publisher.published(day, days) <= instant}
    if late:
        released -= set(sorted(released)[-3:])
    return {
        code: {
            day: rate * _apart(code, day, number) for day, rate in values.items() if day in released
        }
        for code, values in fixings.items()
    }


def _apart(code: str, day: date, number: int) -> Decimal:
    size = HOURS_APART / 20 if code == "HKD" else HOURS_APART
    wave = math.sin(day.toordinal() * 1.7 + number * 2.3 + CURRENCIES.index(code))
    return 1 + Decimal(f"{size * wave:.8f}")


RENAMED = {
    "bank_of_canada": b"FXJPYCAD",
    "reserve_bank_of_australia": b"FXRJY",
    "bank_of_england": b"XUDLJYD",
    "federal_reserve": b"RXI_N.B.JA",
    "bis": b"OBS_VALUE",
}
"""A column of each file."""


def _answer(publisher: Publisher, number: int, ask: Ask) -> Reply:
    if ask.route != publisher.path.partition("?")[0].lstrip("/"):
        return NOT_FOUND
    told = _told(publisher, number, ask.until, late=ask.late)
    if ask.revised:
        newest = max(told["JPY"])
        told = {**told, "JPY": {**told["JPY"], newest: told["JPY"][newest] * Decimal("1.01")}}
    content = file_of(publisher.key, told)
    if ask.renamed:
        content = content.replace(RENAMED[publisher.key], b"RENAMED")
    return Reply(content, "text/csv; charset=utf-8")


def _arguments(publisher: Publisher, url: str) -> Mapping[str, tuple[str, ...]]:
    return {"official_statistics": ("--url", f"{publisher.key}={url}")}


PROVIDERS = tuple(
    Provider(
        f"{each.key}_exchange_rates", partial(_answer, each, number), partial(_arguments, each)
    )
    for number, each in enumerate(PUBLISHERS)
)
