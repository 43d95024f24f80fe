"""The project's tables of official statistics: H.10 month averages and BIS month-end rates."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

from desk.sources.central_banks.facts.policy import FACTS_DIR
from desk.sources.central_banks.facts.tables import Row, figure, read_rows, required_text

CURRENCIES = (
    *("AUD", "CAD", "CHF", "CNY", "EUR", "GBP", "HKD", "INR", "JPY", "KRW", "MYR", "NOK", "NZD"),
    *("SEK", "SGD", "THB", "TWD"),
)
AREAS = (
    *("AU", "CA", "CH", "CN", "GB", "HK", "ID", "IN", "JP", "KR", "MY", "NO", "NZ", "PH", "SE"),
    *("TH", "US", "XM"),
)
AVERAGE_COLUMNS = ("month", *CURRENCIES)
MONTH_END_COLUMNS = ("month", *AREAS)
INSTRUMENT_COLUMNS = ("area", "from_month", "instrument")

_MONTH = re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])")

Series = Mapping[str, Decimal]
"""The figures of the months that have one, oldest first."""


@dataclass(frozen=True, slots=True)
class Instruments:
    """The instruments of one area's series: `names[i]` from `months[i]` on, oldest first."""

    months: tuple[str, ...]
    names: tuple[str, ...]

    def at(self, month: str) -> str | None:
        """The instrument of a month. None before the first."""
        at = bisect_right(self.months, month)
        return self.names[at - 1] if at else None


@dataclass(frozen=True, slots=True)
class OfficialTables:
    """All three tables, by currency and by area.

    `averages`: units of the currency for one US dollar. `month_ends`: percent a year.
    """

    averages: Mapping[str, Series]
    month_ends: Mapping[str, Series]
    instruments: Mapping[str, Instruments]

    def with_later(self, month_ends: Mapping[str, Series]) -> "OfficialTables":
        """A copy extended by the rates of the months after an area's last one."""
        joined = {
            area: {
                **known,
                **{
                    month: rate
                    for month, rate in month_ends.get(area, {}).items()
                    if month > max(known, default="")
                },
            }
            for area, known in self.month_ends.items()
        }
        return replace(self, month_ends=joined)


def read_official_tables(folder: Path = FACTS_DIR) -> OfficialTables:
    """Reads and validates the three tables of a folder.

    Raises:
        DamagedTable: a table is missing, a cell of it is malformed, its months are not in order, or
            a rate has no instrument.
    """
    averages = read_rows(folder / "h10_month_averages.csv", AVERAGE_COLUMNS)
    month_ends = read_rows(folder / "bis_month_end_rates.csv", MONTH_END_COLUMNS)
    instruments = _instruments(read_rows(folder / "bis_instruments.csv", INSTRUMENT_COLUMNS))
    _require_instruments(month_ends, instruments)
    return OfficialTables(
        averages=_by_column(averages, CURRENCIES, _positive),
        month_ends=_by_column(month_ends, AREAS, figure),
        instruments=instruments,
    )


def _by_column(
    rows: Sequence[Row], columns: Iterable[str], convert: Callable[[str], Decimal]
) -> dict[str, Series]:
    months = _months_of(rows, "month")
    return {
        column: {
            month: row.read(column, convert)
            for month, row in zip(months, rows, strict=True)
            if row.cells[column]
        }
        for column in columns
    }


def _instruments(rows: Sequence[Row]) -> dict[str, Instruments]:
    by_area: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_area[row.read("area", _area)].append(row)
    return {
        area: Instruments(
            months=tuple(_months_of(own, "from_month")),
            names=tuple(row.read("instrument", required_text) for row in own),
        )
        for area, own in by_area.items()
    }


def _require_instruments(rows: Iterable[Row], instruments: Mapping[str, Instruments]) -> None:
    for row in rows:
        for area in AREAS:
            known = instruments.get(area)
            if row.cells[area] and (known is None or known.at(row.cells["month"]) is None):
                raise row.damaged(area, "bis_instruments.csv names no instrument for this month")


def _months_of(rows: Sequence[Row], column: str) -> list[str]:
    """The months of a column, each later than the one before it."""
    months = [row.read(column, _month) for row in rows]
    for row, (earlier, later) in zip(rows[1:], pairwise(months), strict=True):
        if later <= earlier:
            raise row.damaged(column, f"{later!r} does not come after {earlier!r}")
    return months


def _month(cell: str) -> str:
    if _MONTH.fullmatch(cell):
        return cell
    raise ValueError("is not a month such as 2026-10")


def _area(cell: str) -> str:
    if cell in AREAS:
        return cell
    raise ValueError(f"must be one of {', '.join(AREAS)}")


def _positive(cell: str) -> Decimal:
    found = figure(cell)
    if found > 0:
        return found
    raise ValueError("is not an exchange rate: it must be above 0")
