"""The ECB's rates beside an independent source: monthly averages of the Federal Reserve's H.10."""

import csv
from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from statistics import fmean

import pytest

from mcp_servers.ecb_rates import EuroRates, read_rates
from mcp_servers.ecb_store import packaged_file

H10 = Path(__file__).parents[3] / "shared" / "data" / "fx" / "fred_h10_monthly_1971_2026.csv"
FIRST_MONTH = "2006-01"
CLOSE_ENOUGH = 0.005

COUNTRIES = {
    "Australia": "AUD",
    "Canada": "CAD",
    "China": "CNY",
    "Euro": "EUR",
    "Hong Kong": "HKD",
    "India": "INR",
    "Japan": "JPY",
    "Malaysia": "MYR",
    "New Zealand": "NZD",
    "Norway": "NOK",
    "Singapore": "SGD",
    "South Korea": "KRW",
    "Sweden": "SEK",
    "Switzerland": "CHF",
    "Thailand": "THB",
    "United Kingdom": "GBP",
}
"""Quoted per US dollar in that file, all of them. H.10 has no rupiah and no Philippine peso."""

NOT_COMPARABLE = {
    ("CAD", "2008-10"),
    ("NOK", "2008-10"),
    ("AUD", "2008-12"),
    ("CHF", "2008-12"),
    ("EUR", "2008-12"),
    ("KRW", "2008-12"),
    ("NZD", "2008-12"),
    ("KRW", "2009-01"),
    ("NZD", "2009-01"),
}
"""Months of the financial crisis. Rates moved by several percent a day; the ECB fixes at about
14:15 in Frankfurt and H.10 at noon in New York, and each skips its own holidays, so the averages
are of other hours and other days."""


@pytest.fixture(scope="module")
def rates() -> EuroRates:
    return read_rates(packaged_file())


@pytest.fixture(scope="module")
def h10() -> dict[str, dict[str, float]]:
    if not H10.exists():
        pytest.skip(f"the file to compare with is not there: {H10}")
    averages: dict[str, dict[str, float]] = defaultdict(dict)
    with H10.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            month = row["Date"][:7]
            if row["Country"] in COUNTRIES and row["Exchange rate"] and month >= FIRST_MONTH:
                averages[COUNTRIES[row["Country"]]][month] = float(row["Exchange rate"])
    return averages


def monthly_averages(rates: EuroRates, currency: str) -> Mapping[str, float]:
    series = rates.between("USD", currency, date(2006, 1, 1), rates.last_day)
    months: dict[str, list[Decimal]] = defaultdict(list)
    for day, value in zip(series.days, series.values, strict=True):
        months[day.isoformat()[:7]].append(value)
    return {month: fmean(map(float, values)) for month, values in months.items()}


@pytest.mark.parametrize("currency", sorted(COUNTRIES.values()))
def test_monthly_averages_agree_to_half_a_percent(
    currency: str, rates: EuroRates, h10: dict[str, dict[str, float]]
) -> None:
    ours = monthly_averages(rates, currency)
    shared = sorted(ours.keys() & h10[currency].keys())
    assert len(shared) >= 200
    apart = {
        (currency, month)
        for month in shared
        if abs(ours[month] / h10[currency][month] - 1) > CLOSE_ENOUGH
    }
    assert apart == {pair for pair in NOT_COMPARABLE if pair[0] == currency}
