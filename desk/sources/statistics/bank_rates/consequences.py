"""Figures that follow from a policy rate and are published by somebody else: they bear it out.

- The Hong Kong Monetary Authority sets its base rate at half a percentage point above the lower end
  of the Federal Reserve's target range, or at the mean of two interbank rates over five days where
  that is higher (https://www.hkma.gov.hk/eng/key-functions/money/liquidity-facility-framework/
  base-rate/). So its base rate tells the lower end on days on which it is above the mean, a day
  after the decision; and the Federal Reserve's range tells the base rate.
- The Bank of Japan guides the overnight call rate to "around" its policy rate, and publishes the
  average of what was dealt. It has been up to three hundredths below.
- The Bank of Korea and the Reserve Bank of New Zealand keep the overnight rate at their policy
  rates. The OECD has its averages of whole months.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Final

from desk.contracts.findings.source_results import RateRecord
from desk.sources.central_banks.recorded import HIBOR
from desk.sources.serving.daily_series import DailySeries, Series
from desk.sources.statistics.bank_rates.publishers import CALL_RATE, OVERNIGHT

MARGIN: Final = Decimal("0.5")
"""Percentage points of the base rate above the lower end of the range."""

DAYS_OF_THE_MEAN: Final = 5

AROUND: Final = Decimal("0.05")
"""How near an overnight rate is to the policy rate that it is guided to, in percentage points."""

DAYS_TO_FOLLOW: Final = 4
"""Days from a decision of the Federal Reserve until the base rate follows, a weekend included."""


def consequences(
    key: str, told: DailySeries, last: date | None, origin: str | None
) -> Iterator[RateRecord]:
    """What a publisher's file says of the policy rates of others, or of its own by another figure,
    up to a day."""
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
            yield from _dealt({"JP": known.get(CALL_RATE, {})}, origin)
        case "oecd_overnight":
            yield from _dealt(
                {name[:2]: known.get(name, {}) for name in OVERNIGHT.values()}, origin
            )


def _dealt(rates: Mapping[str, Series], origin: str | None) -> Iterator[RateRecord]:
    """What was dealt overnight, by area; a month's average stands on its first day."""
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
    """The first day of the last level and the level before; nothing where there was but one."""
    since: date | None = None
    level: Decimal | None = None
    for day, value in reversed([*values.items()]):
        if level is not None and value != level:
            return since, value
        since, level = day, value
    return None, None
