"""What the records of policy rates say of areas, as far as it was known at an instant."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Final

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import Provenance, RateRecord, RateRecords
from desk.sources.central_banks.recorded import BIS_DAILY, RATE_SOURCES, month_end_rates
from desk.sources.serving.daily_series import (
    NOT_FETCHED,
    DailySeries,
    Publisher,
    Series,
    files_of,
)
from desk.sources.serving.origins import BIS, IMF
from desk.sources.statistics.bank_rates.consequences import consequences, last_change
from desk.sources.statistics.bank_rates.publishers import (
    EFFECTIVE_WITHIN,
    INSTRUMENTS,
    KEPT,
)

SOURCE: Final = Provenance(
    name="Policy rates as recorded by banks, the BIS and the IMF", tier=SourceTier.AUTHORITATIVE
)
"""Of the answer as a whole: each row of it has its own origin."""

LONGEST_LAG: Final = 8
"""Days until a decision shows in any record, at the latest."""

POLICY_RATE: Final = "policy rate"


class BankRates:
    """The kept files of all records, and what they say."""

    def __init__(self, cache_dir: Path | None, addresses: Mapping[str, str] | None = None) -> None:
        """`addresses` take the place of publishers' own, by their keys."""
        self.files = files_of(KEPT, addresses)
        self._records = [
            (publisher, publisher.series_file(cache_dir)) for publisher in (*KEPT, *RATE_SOURCES)
        ]
        self._bis = next(file for publisher, file in self._records if publisher is BIS_DAILY)

    def month_ends(self, as_of: datetime) -> Mapping[str, Mapping[str, Decimal]]:
        """The BIS's rates at the ends of whole months, by area and month, as its daily series told
        them at an instant. When a month became known is the caller's to heed."""
        told = self._bis.as_of(as_of)
        return month_end_rates(told) if told is not None else {}

    def answer(self, areas: Iterable[str], as_of: datetime) -> RateRecords:
        """Every record of some areas, and of those without any why."""
        asked = list(dict.fromkeys(areas))
        rows: list[RateRecord] = []
        fetched = False
        for publisher, file in self._records:
            series = file.as_of(as_of)
            if series is not None:
                fetched = True
                last = _last_known(publisher, series, as_of)
                origin = publisher.source.origin
                rows += _rows(asked, series, last, origin)
                others = consequences(publisher.key, series, last, origin)
                rows += (row for row in others if row.area in asked)
        found = {row.area for row in rows}
        why = "No record of it was known." if fetched else NOT_FETCHED
        missing = {area: why for area in asked if area not in found}
        return RateRecords(as_of=as_of, source=SOURCE, recorded=tuple(rows), missing=missing)


def _last_known(publisher: Publisher, series: DailySeries, as_of: datetime) -> date | None:
    """The newest day that had been published by an instant."""
    newest = reversed(series.days)
    return next((day for day in newest if publisher.published(day, series.days) <= as_of), None)


def _rows(
    areas: Iterable[str], series: DailySeries, last: date | None, origin: str | None
) -> Iterator[RateRecord]:
    for area in areas:
        if last is None:
            return
        if values := _until(series, area, last):
            low, high = (_until(series, f"{area} {end}", last) for end in ("low", "high"))
            yield _row(area, values, origin, low=low, high=high)


def _until(series: DailySeries, name: str, last: date) -> Series:
    return {day: value for day, value in series.series.get(name, {}).items() if day <= last}


def _row(
    area: str,
    values: Series,
    origin: str | None,
    low: Series | None = None,
    high: Series | None = None,
) -> RateRecord:
    days = [*values]
    rate = values[days[-1]]
    since, previous = last_change(values)
    bank = origin not in (BIS, IMF) and area in INSTRUMENTS
    return RateRecord(
        area=area,
        instrument=INSTRUMENTS[area] if bank else POLICY_RATE,
        rate=rate,
        low=low.get(days[-1]) if low else None,
        high=high.get(days[-1]) if high else None,
        day=days[-1],
        since=since,
        previous=previous,
        effective_within=EFFECTIVE_WITHIN.get(area, LONGEST_LAG) if bank else LONGEST_LAG,
        origin=origin,
    )
