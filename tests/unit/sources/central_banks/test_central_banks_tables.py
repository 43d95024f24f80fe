"""Reading the tables: what a damaged one says, and that the project's own are sound."""

from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest

from desk.sources.central_banks.facts.policy import PolicyFacts, read_facts
from desk.sources.central_banks.facts.tables import DamagedTable
from tests.support.files.facts_files import AREAS, CALENDAR, DECISIONS, write_facts


@pytest.fixture(scope="module")
def ours() -> PolicyFacts:
    return read_facts()


def test_a_decision_holds_what_its_row_says(tmp_path: Path) -> None:
    july = read_facts(write_facts(tmp_path)).decisions["US"][2]
    assert (july.day, july.rate, july.change) == (date(2026, 7, 29), Decimal("3.625"), Decimal(350))
    assert (str(july.low), str(july.high)) == ("3.50", "3.75")
    assert july.source == "Fed 29 July 2026"


@pytest.mark.parametrize(
    ("area", "day", "known_from"),
    [
        ("US", date(2026, 7, 29), datetime(2026, 7, 29, 18, tzinfo=UTC)),
        ("US", date(2020, 3, 15), datetime(2020, 3, 16, 3, 59, tzinfo=UTC)),
        ("JP", date(2024, 7, 31), datetime(2024, 7, 31, 14, 59, tzinfo=UTC)),
        ("SE", date(2026, 3, 24), datetime(2026, 3, 24, 22, 59, tzinfo=UTC)),
        ("SE", date(2026, 5, 31), datetime(2026, 5, 31, 21, 59, tzinfo=UTC)),
    ],
    ids=["usual hour", "unscheduled", "no fixed hour", "effective day", "month"],
)
def test_a_decision_is_known_from_the_usual_hour_or_the_end_of_its_day(
    tmp_path: Path, area: str, day: date, known_from: datetime
) -> None:
    rows = read_facts(write_facts(tmp_path)).decisions[area]
    assert next(row.known_from for row in rows if row.day == day) == known_from


@pytest.mark.parametrize(
    ("good", "bad", "place"),
    [
        ("0.25,20", "0.25%,20", "line 4, column rate_pct: '0.25%' is not a number"),
        ("0.25,20", ",20", "line 4, column rate_pct"),
        ("0.25,20", "0.25,NaN", "line 4, column change_bp"),
        ("0.25,20", "0.25,2e1", "line 4, column change_bp"),
        ("2024-07-31,day", "31.07.2024,day", "line 4, column decision_date"),
        ("2024-07-31,day", "20240731,day", "line 4, column decision_date"),
        ("2024-07-31,day", "2024-07-31,about", "line 4, column date_precision: .* month"),
        ("2024-07-31,day", "2024-03-19,day", "line 4, column decision_date: JP .* twice"),
        ("JP,2024-07-31", "ZZ,2024-07-31", "line 4, column area: 'ZZ' is not in areas.csv"),
        ("BoJ 31 July 2024", "", "line 4, column source: '' must not be empty"),
        (",BoJ 31 July 2024", "", "line 4, column source: 9 cells"),
        ("BoJ 31 July 2024", "BoJ, 31 July 2024", "line 4, column the whole line: 11 cells"),
        ("change_bp", "change", "line 1, .* the header must be area,decision_date"),
    ],
)
def test_a_malformed_row_is_named_by_file_line_and_column(
    tmp_path: Path, good: str, bad: str, place: str
) -> None:
    damaged = DECISIONS.replace(good, bad, 1)
    assert damaged != DECISIONS
    with pytest.raises(DamagedTable, match=rf"rate_decisions\.csv, {place}"):
        read_facts(write_facts(tmp_path, decisions=damaged))


@pytest.mark.parametrize(
    ("good", "bad", "place"),
    [
        ("14:00", "2 pm", "line 2, column announcement_time_local: '2 pm' is not an hour"),
        ("Asia/Tokyo", "Asia/Edo", "line 3, column time_zone: 'Asia/Edo' is not an IANA"),
        ("Asia/Tokyo", "", "line 3, column time_zone"),
        ("JP,Bank", "jp,Bank", "line 3, column area: 'jp' is not an area code"),
        ("2026-08-31", "2026-08-32", "line 4, column covered_until"),
    ],
)
def test_a_malformed_area_is_named(tmp_path: Path, good: str, bad: str, place: str) -> None:
    with pytest.raises(DamagedTable, match=rf"areas\.csv, {place}"):
        read_facts(write_facts(tmp_path, areas=AREAS.replace(good, bad, 1)))


def test_a_malformed_decision_day_is_named(tmp_path: Path) -> None:
    calendar = CALENDAR.replace("2026-08-10", "soon")
    with pytest.raises(DamagedTable, match=r"calendar\.csv, line 4, column announced_from: 'soon'"):
        read_facts(write_facts(tmp_path, calendar=calendar))


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    folder = write_facts(tmp_path)
    (folder / "areas.csv").unlink()
    with pytest.raises(DamagedTable, match=r"areas\.csv, line 1, .*No such file"):
        read_facts(folder)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b'area,"unclosed', b""])
def test_a_file_that_is_no_table_is_named(tmp_path: Path, content: bytes) -> None:
    folder = write_facts(tmp_path)
    (folder / "decision_calendar.csv").write_bytes(content)
    with pytest.raises(DamagedTable, match=r"decision_calendar\.csv, line 1"):
        read_facts(folder)


def test_our_tables_hold_eighteen_areas_with_rates_and_two_without(ours: PolicyFacts) -> None:
    assert len(ours.decisions) == 18
    assert ours.areas.keys() - ours.decisions.keys() == {"SG", "TW"}
    assert all(
        (area.covered_from is None) == (area.covered_until is None) for area in ours.areas.values()
    )


def test_the_changes_of_our_table_are_the_steps_between_its_levels(ours: PolicyFacts) -> None:
    for rows in ours.decisions.values():
        for before, after in pairwise(rows):
            step = (after.rate - before.rate) * 100
            assert after.change in (None, step), (after.area.code, after.day)


def test_our_target_ranges_have_their_midpoint_as_the_rate(ours: PolicyFacts) -> None:
    ranges = [row for rows in ours.decisions.values() for row in rows if row.low is not None]
    assert {row.area.code for row in ranges} == {"US"}
    for row in ranges:
        assert row.low is not None
        assert row.high is not None
        assert (row.low + row.high) / 2 == row.rate


def test_no_row_of_our_table_lies_outside_its_cover_but_the_opening_level(
    ours: PolicyFacts,
) -> None:
    for rows in ours.decisions.values():
        area = rows[0].area
        assert area.covered_from is not None
        assert area.covered_until is not None
        assert rows[0].day <= area.covered_from
        assert all(area.covered_from <= row.day <= area.covered_until for row in rows[1:])
