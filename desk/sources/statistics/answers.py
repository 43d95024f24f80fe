"""Answers from the tables of official statistics as of an instant, in the form of the contracts."""

from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal

from desk.contracts.findings.source_results import MonthAverage, MonthEndRate
from desk.sources.statistics.tables import AREAS, CURRENCIES, OfficialTables

DOLLAR = "USD"
QUOTED_IN_DOLLARS = frozenset({"AUD", "EUR", "GBP", "NZD"})
"""The Federal Reserve quotes these in dollars for one unit, all others in units for one dollar."""

INVERTED_PRECISION = Decimal("0.0001")
"""The table has every currency in units for one dollar, with at most four decimals. Inverted, an
average below one dollar equals that of the release; above, its last digit can be off by two."""

AVERAGE_KNOWN_ON = 8
"""The release G.5 with a month's averages is dated the first business day of the next month (for
example 1 October 2010, 1 March 2019, 1 July 2024); this allows for a week's delay."""

RATE_KNOWN_ON = 21
"""The BIS updated its monthly series until the 20th of the next month (for example on 18 April 2018
and 20 October 2021), and now updates it every week; this is the day after."""

LATE_AREAS = frozenset({"IN"})
"""The BIS publishes these a month later than the others."""


def month_averages(
    tables: OfficialTables, currency: str, start: str, end: str, as_of: datetime
) -> tuple[MonthAverage, ...]:
    """The averages of a currency in the Federal Reserve's own quotation, oldest first, from the
    first month to the last, both included, as far as they were known by an instant."""
    inverted = currency in QUOTED_IN_DOLLARS
    return tuple(
        MonthAverage(
            month=month,
            value=(1 / units).quantize(INVERTED_PRECISION) if inverted else units,
            known_from=known_from,
        )
        for month, units in tables.averages[currency].items()
        if start <= month <= end and (known_from := average_known_from(month)) <= as_of
    )


def month_end_rates(
    tables: OfficialTables, areas: Iterable[str], start: str, end: str, as_of: datetime
) -> list[MonthEndRate]:
    """The rates of areas at month ends that were known by an instant, oldest first."""
    found = [
        MonthEndRate(
            area=area, month=month, rate=rate, instrument=instrument, known_from=known_from
        )
        for area in dict.fromkeys(areas)
        for month, rate in tables.month_ends.get(area, {}).items()
        if start <= month <= end
        and (known_from := rate_known_from(area, month)) <= as_of
        and (instrument := tables.instruments[area].at(month)) is not None
    ]
    return sorted(found, key=lambda row: (row.month, row.area))


def average_known_from(month: str) -> datetime:
    """The instant from which an H.10 average counts as known."""
    return _day_after(month, 1, AVERAGE_KNOWN_ON)


def rate_known_from(area: str, month: str) -> datetime:
    """The instant from which a month-end rate of the BIS counts as known."""
    return _day_after(month, 2 if area in LATE_AREAS else 1, RATE_KNOWN_ON)


def quoted_currency(symbol: str) -> tuple[str | None, str | None]:
    """The currency beside the dollar in a pair of the table, or the reason why the table does not
    have it."""
    base, _, quote = symbol.partition("/")
    if DOLLAR not in (base, quote):
        return None, f"H.10 has rates against the US dollar only, and no cross such as {symbol}."
    other = quote if base == DOLLAR else base
    if other not in CURRENCIES:
        return None, f"{other} is not in the table of H.10 rates; it has {', '.join(CURRENCIES)}."
    if (quote == DOLLAR) is not (other in QUOTED_IN_DOLLARS):
        return None, f"H.10 quotes {quote}/{base}, not {symbol}; ask for that."
    return other, None


def no_averages(symbol: str, start: str, end: str, as_of: datetime) -> str:
    """The reason why there are no averages of a pair that H.10 has."""
    return f"No H.10 average of {symbol} from {start} to {end} was known by {as_of.isoformat()}."


def rate_gaps(
    found: Iterable[MonthEndRate], areas: Iterable[str], start: str, end: str, as_of: datetime
) -> dict[str, str]:
    """The reason for each area without a rate."""
    there = {row.area for row in found}
    return {area: _gap(area, start, end, as_of) for area in areas if area not in there}


def _gap(area: str, start: str, end: str, as_of: datetime) -> str:
    if area not in AREAS:
        return f"{area} is not in the table of BIS policy rates; it has {', '.join(AREAS)}."
    return f"No BIS rate of {area} from {start} to {end} was known by {as_of.isoformat()}."


def _day_after(month: str, months: int, day: int) -> datetime:
    """A day of a later month, at midnight UTC."""
    year, number = int(month[:4]), int(month[5:]) - 1 + months
    return datetime(year + number // 12, number % 12 + 1, day, tzinfo=UTC)
