"""Answers from the records of policy rates, as far as they were known at an instant.

Some figures that follow from a policy rate and have another publisher corroborate it:

- The Hong Kong Monetary Authority sets its base rate at half a percentage point above the lower end
  of the Federal Reserve's target range, or at the mean of two interbank rates over five days if
  that is higher (https://www.hkma.gov.hk/eng/key-functions/money/liquidity-facility-framework/
  base-rate/). So its base rate gives the lower end on days on which it is above the mean, a day
  after the decision; and the Federal Reserve's range gives the base rate.
- The Bank of Japan guides the overnight call rate to "around" its policy rate, and publishes the
  average of actual deals. It has been up to three hundredths below.
- The Bank of Korea and the Reserve Bank of New Zealand keep the overnight rate at their policy
  rates. The OECD has its monthly averages.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Final

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import Provenance, RateRecord, RateRecords
from desk.sources.central_banks.facts.policy import read_facts
from desk.sources.central_banks.recorded import BIS_DAILY, HIBOR, RATE_SOURCES, month_end_rates
from desk.sources.serving.daily_series import (
    NOT_FETCHED,
    DailySeries,
    Publisher,
    Series,
    files_of,
)
from desk.sources.serving.origins import BIS, IMF
from desk.sources.statistics.bank_rates.economic_calendar import (
    BEFORE,
    DECIDED,
    is_final,
    pages,
)
from desk.sources.statistics.bank_rates.publishers import (
    CALL_RATE,
    EFFECTIVE_WITHIN,
    INSTRUMENTS,
    OVERNIGHT,
    RATE_PUBLISHERS,
)

MARGIN: Final = Decimal("0.5")
"""Percentage points of the base rate above the lower end of the range."""

DAYS_OF_THE_MEAN: Final = 5

AROUND: Final = Decimal("0.05")
"""The largest distance of an overnight rate from the policy rate that it is guided to, in
percentage points."""

DAYS_TO_FOLLOW: Final = 4
"""Days from a decision of the Federal Reserve until the base rate follows, a weekend included."""


def consequences(
    key: str, told: DailySeries, last: date | None, origin: str | None
) -> Iterator[RateRecord]:
    """What a publisher's file implies about the policy rates of others, or about its own by another
    figure, up to a day."""
    if last is None:
        return
    known = {
        name: {day: value for day, value in values.items() if day <= last}
        for name, values in told.series.items()
    }
    match key:
        case "hkma_base_rate":
            floor = _floor(known.get("HK", {}), [known.get(name, {}) for name in HIBOR])
            yield from _by_formula("US", "lower end of the target range", floor, origin)
        case "federal_reserve":
            base = {day: low + MARGIN for day, low in known.get("US low", {}).items()}
            yield from _by_formula("HK", "base rate", base, origin)
        case "bank_of_japan_call_rate":
            yield from _records_of({"JP": known.get(CALL_RATE, {})}, origin)
        case "oecd_overnight":
            yield from _records_of(
                {name[:2]: known.get(name, {}) for name in OVERNIGHT.values()}, origin
            )


def _records_of(rates: Mapping[str, Series], origin: str | None) -> Iterator[RateRecord]:
    """Actual overnight rates, by area. A month's average is dated to its first day."""
    for area, values in rates.items():
        if values:
            day = max(values)
            yield RateRecord(
                area=area,
                instrument="overnight rate, as dealt",
                rate=values[day],
                day=day,
                origin=origin,
                bears_out_within=AROUND,
            )


def _floor(base: Series, interbank: list[Series]) -> Series:
    """The lower end of the target range on the days on which the base rate follows it."""
    found: dict[date, Decimal] = {}
    days = [day for day in base if all(day in rates for rates in interbank)]
    for place, day in enumerate(days):
        window = days[max(0, place - DAYS_OF_THE_MEAN + 1) : place + 1]
        dealt = [rates[each] for rates in interbank for each in window]
        if len(window) == DAYS_OF_THE_MEAN and base[day] > sum(dealt, Decimal(0)) / len(dealt):
            found[day] = base[day] - MARGIN
    return found


def _by_formula(
    area: str, instrument: str, values: Mapping[date, Decimal], origin: str | None
) -> Iterator[RateRecord]:
    if not values:
        return
    day = max(values)
    since, previous = last_change(values)
    yield RateRecord(
        area=area,
        instrument=f"{instrument}, by the formula of the HKMA's base rate",
        rate=values[day],
        low=values[day] if area == "US" else None,
        day=day,
        since=since,
        previous=previous,
        effective_within=DAYS_TO_FOLLOW,
        origin=origin,
        bears_out_within=Decimal(0),
    )


def last_change(values: Series) -> tuple[date | None, Decimal | None]:
    """The first day of the last level, and the level before. None for both if the level never
    changed."""
    since: date | None = None
    level: Decimal | None = None
    for day, value in reversed([*values.items()]):
        if level is not None and value != level:
            return since, value
        since, level = day, value
    return None, None


SOURCE: Final = Provenance(
    name="Policy rates as recorded by banks, the BIS and the IMF", tier=SourceTier.AUTHORITATIVE
)
"""The source of the whole answer: each row of it has its own origin."""

LONGEST_LAG: Final = 8
"""Days until a decision appears in any record, at the latest."""

POLICY_RATE: Final = "policy rate"


class BankRates:
    """The cached files of all records, and the answers from them. `upkept` are those that can still
    change."""

    def __init__(
        self,
        cache_dir: Path | None,
        addresses: Mapping[str, str] | None = None,
        today: date | None = None,
    ) -> None:
        """`addresses` replace publishers' own, by their keys. `today` is the day, UTC, up to which
        the economic calendar is cached: by default the present one."""
        calendar = pages(read_facts(), today or datetime.now(UTC).date())
        self.files = files_of((*RATE_PUBLISHERS, *calendar), addresses)
        self._pages = [(page, page.series_file(cache_dir)) for page in calendar]
        over = {page.file for page in calendar if cache_dir and is_final(page, cache_dir)}
        self.upkept = tuple(file for file in self.files if file.name not in over)
        self._records = [
            (publisher, publisher.series_file(cache_dir))
            for publisher in (*RATE_PUBLISHERS, *RATE_SOURCES)
        ]
        self._bis = next(file for publisher, file in self._records if publisher is BIS_DAILY)

    def month_ends(self, as_of: datetime) -> Mapping[str, Mapping[str, Decimal]]:
        """The BIS's rates at the ends of complete months, by area and month, as its daily series
        had them at an instant. The caller checks when a month became known."""
        told = self._bis.as_of(as_of)
        return month_end_rates(told) if told is not None else {}

    def answer(self, areas: Iterable[str], as_of: datetime) -> RateRecords:
        """Every record of some areas, and the reason for those without any."""
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
        announced = list(self._announced(asked, as_of))
        rows += announced
        fetched = fetched or bool(announced)
        found = {row.area for row in rows}
        why = "No record of it was known." if fetched else NOT_FETCHED
        missing = {area: why for area in asked if area not in found}
        return RateRecords(as_of=as_of, source=SOURCE, recorded=tuple(rows), missing=missing)

    def _announced(self, areas: Iterable[str], as_of: datetime) -> Iterator[RateRecord]:
        """The last decision of each area that the economic calendar had by an instant."""
        told = [
            (series, page.source.origin)
            for page, file in self._pages
            if (series := file.as_of(as_of)) and page.published(date.min, ()) <= as_of
        ]
        for area in areas:
            decisions = [
                (day, rate, series.series.get(BEFORE.format(area), {}).get(day), origin)
                for series, origin in told
                for day, rate in series.series.get(DECIDED.format(area), {}).items()
            ]
            if decisions:
                day, rate, before, origin = max(decisions, key=lambda each: each[0])
                yield RateRecord(
                    area=area,
                    instrument="policy rate, as announced",
                    rate=rate,
                    day=day,
                    previous=before,
                    origin=origin,
                    bears_out_within=Decimal(0),
                    decided_on=day,
                )


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
    # A month's mean does not show the day of a change, nor the level before.
    since, previous = (None, None) if origin == IMF else last_change(values)
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
