"""The ECB's rates beside an independent source: monthly averages of the Federal Reserve's H.10."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from statistics import fmean

import pytest

from desk.sources.ecb.rates import EuroRates, read_rates
from desk.sources.ecb.store import packaged_file
from desk.sources.statistics.answers import DOLLAR, QUOTED_IN_DOLLARS
from desk.sources.statistics.server import OfficialStatisticsTools
from desk.sources.statistics.tables import CURRENCIES
from tests.support.processes.homes import PROJECT

H10 = OfficialStatisticsTools()
FIRST_MONTH = "2006-01"
LAST_MONTH = "2026-06"
LATER = datetime(2026, 11, 1, tzinfo=UTC)
CLOSE_ENOUGH = 0.5
"""Percent."""

PAIRS = sorted(
    f"{code}/{DOLLAR}" if code in QUOTED_IN_DOLLARS else f"{DOLLAR}/{code}"
    for code in CURRENCIES
    if code != "TWD"
)
"""The ECB has no Taiwan dollar; H.10 has no rupiah and no Philippine peso."""

NOT_COMPARABLE = {
    ("USD/CAD", "2008-10"),
    ("USD/NOK", "2008-10"),
    ("AUD/USD", "2008-10"),
    ("USD/CHF", "2008-12"),
    ("USD/KRW", "2008-12"),
    ("USD/KRW", "2009-01"),
}
"""Months of the financial crisis. Rates moved by several percent a day; the ECB fixes at about
14:15 in Frankfurt and H.10 at noon in New York, and each skips its own holidays, so the averages
are of other hours and other days."""


@pytest.fixture(scope="module")
def rates() -> EuroRates:
    return read_rates(packaged_file())


def ecb_averages(rates: EuroRates, symbol: str) -> Mapping[str, float]:
    base, _, quote = symbol.partition("/")
    series = rates.between(base, quote, date(2006, 1, 1), rates.last_day)
    months: dict[str, list[Decimal]] = defaultdict(list)
    for day, value in zip(series.days, series.values, strict=True):
        months[day.isoformat()[:7]].append(value)
    return {month: fmean(map(float, values)) for month, values in months.items()}


def differences(rates: EuroRates, symbol: str) -> Mapping[str, float]:
    """By month, how far the ECB's mean lies from the H.10 average, in percent, without its sign."""
    ours = ecb_averages(rates, symbol)
    theirs = H10.get_month_averages(symbol, FIRST_MONTH, LAST_MONTH, LATER).averages
    return {
        row.month: abs(ours[row.month] / float(row.value) - 1) * 100
        for row in theirs
        if row.month in ours
    }


@pytest.mark.parametrize("symbol", PAIRS)
def test_monthly_averages_agree_to_half_a_percent(symbol: str, rates: EuroRates) -> None:
    found = differences(rates, symbol)
    assert len(found) == (210 if symbol == "USD/INR" else 246)
    apart = {(symbol, month) for month, percent in found.items() if percent > CLOSE_ENOUGH}
    assert apart == {entry for entry in NOT_COMPARABLE if entry[0] == symbol}


@pytest.mark.parametrize("symbol", PAIRS)
def test_the_document_has_the_differences_as_measured(symbol: str, rates: EuroRates) -> None:
    found = differences(rates, symbol)
    month = max(found, key=lambda key: found[key])
    row = (
        f"| {symbol} | {len(found)} | {fmean(found.values()):.3f} % "
        f"| {found[month]:.2f} % | {month} |"
    )
    assert row in (PROJECT / "desk/sources/central_banks/facts/README.md").read_text(
        encoding="utf-8"
    )
