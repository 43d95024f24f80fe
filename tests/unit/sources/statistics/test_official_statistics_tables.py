"""The tables of official statistics: what a damaged one says, and that the project's are sound."""

import csv
import shutil
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from desk.sources.central_banks.facts.policy import FACTS_DIR
from desk.sources.central_banks.facts.tables import DamagedTable
from desk.sources.statistics.tables import (
    AREAS,
    CURRENCIES,
    OfficialTables,
    Series,
    read_official_tables,
)
from tests.support.processes.homes import PROJECT

SHARED = PROJECT.parent / "shared" / "data"
H10_FILE = SHARED / "fx" / "fred_h10_monthly_1971_2026.csv"
BIS_FILE = SHARED / "policy_rates" / "bis_cbpol_monthly_g10_asia.csv"
CHANGES_FILE = SHARED / "policy_rates" / "policy_rate_changes_2025-08_2026-09.csv"
TABLES = ("h10_month_averages.csv", "bis_month_end_rates.csv", "bis_instruments.csv")

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
    "Taiwan": "TWD",
    "Thailand": "THB",
    "United Kingdom": "GBP",
}


def calendar_from(first: str, last: str) -> Iterator[str]:
    month = first
    while month <= last:
        yield month
        year, number = int(month[:4]), int(month[5:])
        month = f"{year + number // 12}-{number % 12 + 1:02d}"


NO_RATE_TARGET = {
    *calendar_from("1999-03", "2000-07"),
    *calendar_from("2001-04", "2006-02"),
    *calendar_from("2013-05", "2016-08"),
}
"""The months in which the Bank of Japan steered something else than a rate."""


@pytest.fixture(scope="module")
def ours() -> OfficialTables:
    return read_official_tables()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in TABLES:
        shutil.copy(FACTS_DIR / name, tmp_path)
    return tmp_path


def gaps(series: Series) -> set[str]:
    months = list(calendar_from(min(series), max(series)))
    return set(months) - series.keys()


def rows_of(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        pytest.skip(f"the file to compare with is not there: {path}")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_currency_has_every_month_since_1999(ours: OfficialTables) -> None:
    assert ours.averages.keys() == set(CURRENCIES)
    for series in ours.averages.values():
        assert list(series) == list(calendar_from("1999-01", "2026-06"))


def test_an_areas_months_have_no_gap_but_japans_years_without_a_rate(ours: OfficialTables) -> None:
    assert ours.month_ends.keys() == set(AREAS)
    for area, series in ours.month_ends.items():
        assert gaps(series) == (NO_RATE_TARGET if area == "JP" else set()), area
        assert max(series) >= ("2026-03" if area == "IN" else "2026-04")


def test_every_instrument_begins_with_a_month_that_has_a_rate(ours: OfficialTables) -> None:
    for area, instruments in ours.instruments.items():
        assert instruments.months[0] == min(ours.month_ends[area])
        assert set(instruments.months) <= ours.month_ends[area].keys(), area
        assert len(set(instruments.names)) == len(instruments.names), area


def test_the_euro_area_switches_its_instrument_in_september_2024(ours: OfficialTables) -> None:
    series, instruments = ours.month_ends["XM"], ours.instruments["XM"]
    assert (series["2024-08"], series["2024-09"]) == (Decimal("4.25"), Decimal("3.5"))
    assert instruments.at("2024-08") == "main refinancing operations rate"
    assert instruments.at("2024-09") == "deposit facility rate"
    assert instruments.at("1998-12") is None


def test_the_tables_are_small() -> None:
    assert sum((FACTS_DIR / name).stat().st_size for name in TABLES) < 150_000


def test_the_averages_are_those_of_the_file_they_were_typed_from(ours: OfficialTables) -> None:
    theirs = {
        (COUNTRIES[row["Country"]], row["Date"][:7]): row["Exchange rate"]
        for row in rows_of(H10_FILE)
        if row["Country"] in COUNTRIES and row["Date"] >= "1999"
    }
    found = {(c, month): str(rate) for c, of in ours.averages.items() for month, rate in of.items()}
    assert found == theirs


def test_the_month_end_rates_are_those_of_the_file_they_were_typed_from(
    ours: OfficialTables,
) -> None:
    theirs = {
        (row["ref_area"], row["month"]): row["rate_pct"]
        for row in rows_of(BIS_FILE)
        if row["ref_area"] in AREAS and row["month"] >= "1999"
    }
    found = {
        (area, month): str(rate)
        for area, series in ours.month_ends.items()
        for month, rate in series.items()
        if (area, month) in theirs or month <= "2026-03"
    }
    assert found == theirs


def test_later_months_reach_to_the_last_listed_change_and_follow_from_the_list(
    ours: OfficialTables,
) -> None:
    listed = [row for row in rows_of(CHANGES_FILE) if row["month"] > "2026-04"]
    steps = {(row["ref_area"], row["month"]): Decimal(row["change_bp"]) for row in listed}
    for area, series in ours.month_ends.items():
        own = [month for changed, month in steps if changed == area]
        later = [month for month in series if month > "2026-04"]
        assert max(later, default=None) == max(own, default=None), area
        for before, month in zip(["2026-04", *later], later, strict=False):
            step = (series[month] - series[before]) * 100
            assert step == steps.get((area, month), 0), (area, month)


@pytest.mark.parametrize(
    ("table", "good", "bad", "place"),
    [
        (TABLES[0], "113.2900", "113,2900", "line 2, column the whole line"),
        (TABLES[0], "113.2900", "n/a", "line 2, column JPY: 'n/a' is not a number"),
        (TABLES[0], "113.2900", "0", "line 2, column JPY: '0' is not an exchange rate"),
        (TABLES[0], "1999-02,", "1999-01,", "line 3, column month: '1999-01' does not come after"),
        (TABLES[0], "1999-02,", "1999-2,", "line 3, column month: '1999-2' is not a month"),
        (TABLES[0], ",JPY,", ",YEN,", "line 1, .* the header must be month,AUD"),
        (TABLES[1], "1999-01,4.75", "1999-01,4.75%", "line 2, column AU"),
        (TABLES[2], "XM,2024-09", "XM,1999-01", "line 38, column from_month: '1999-01' does not"),
        (TABLES[2], "SE,2022-06", "DK,2022-06", "line 32, column area: 'DK' must be one of AU,"),
        (
            TABLES[2],
            "deposit facility rate",
            "",
            "line 38, column instrument: '' must not be empty",
        ),
    ],
)
def test_a_damaged_table_names_file_line_and_column(
    folder: Path, table: str, good: str, bad: str, place: str
) -> None:
    text = (folder / table).read_text(encoding="utf-8")
    assert good in text
    (folder / table).write_text(text.replace(good, bad, 1), encoding="utf-8")
    with pytest.raises(DamagedTable, match=f"{table}, {place}"):
        read_official_tables(folder)


def test_a_rate_without_an_instrument_is_damage(folder: Path) -> None:
    table = folder / TABLES[2]
    table.write_text(table.read_text(encoding="utf-8").replace("AU,1999-01", "AU,1999-02"))
    with pytest.raises(DamagedTable, match=rf"{TABLES[1]}, line 2, column AU: .* names no instr"):
        read_official_tables(folder)


def test_a_missing_table_is_named(folder: Path) -> None:
    (folder / TABLES[1]).unlink()
    with pytest.raises(DamagedTable, match=rf"{TABLES[1]}, line 1, .*No such file"):
        read_official_tables(folder)
