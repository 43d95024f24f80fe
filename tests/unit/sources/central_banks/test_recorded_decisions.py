"""What a daily series says of decisions, beside the tables and the banks' calendars."""

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.findings.source_results import DatePrecision
from desk.sources.central_banks.facts.policy import PolicyFacts, read_facts
from desk.sources.central_banks.recorded.decisions import RecordedRates, with_recorded
from desk.sources.central_banks.recorded.rate_series import RateSeries
from tests.support.files.facts_files import CALENDAR, write_facts

FED = """\
US,2026-10-28,2025-07-01,,,Fed calendar for 2026
US,2026-12-09,2025-07-01,,,Fed calendar for 2026
"""
TABLE_END, MEETING = date(2026, 9, 30), date(2026, 10, 28)
NEW_YEAR = date(2026, 1, 1)


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> PolicyFacts:
    folder: Path = tmp_path_factory.mktemp("facts")
    return read_facts(write_facts(folder, calendar=CALENDAR + FED))


def recorded(levels: dict[date, str], name: str = "BIS CBPOL daily") -> RecordedRates:
    return RecordedRates(
        RateSeries({day: Decimal(level) for day, level in levels.items()}), "the BIS", name
    )


def fed(until: date, **steps: str) -> RecordedRates:
    """The US series from New Year to a day, with steps such as `d1029="3.375"`."""
    levels = {NEW_YEAR: "0.125", date(2026, 7, 30): "3.625"}
    levels |= {date(2026, int(key[1:3]), int(key[3:])): rate for key, rate in steps.items()}
    last = levels[max(day for day in levels if day <= until)]
    return recorded({**{day: rate for day, rate in levels.items() if day <= until}, until: last})


def test_a_step_on_the_day_after_a_meeting_is_the_decision_of_the_meeting(
    facts: PolicyFacts,
) -> None:
    told = with_recorded(facts, {"US": [fed(date(2026, 11, 17), d1029="3.375")]})
    row = told.decisions["US"][-1]
    assert (row.day, row.rate, str(row.change)) == (MEETING, Decimal("3.375"), "-25")
    assert (row.precision, row.origin) == (DatePrecision.DAY, "the BIS")
    assert row.known_from == datetime(2026, 10, 28, 18, tzinfo=UTC)
    assert row.source == ("BIS CBPOL daily, 3.375 from 2026-10-29; meeting: Fed calendar for 2026")
    assert told.areas["US"].covered_until == date(2026, 11, 16)


def test_a_meeting_without_a_step_was_a_hold_by_both_sources(facts: PolicyFacts) -> None:
    told = with_recorded(facts, {"US": [fed(date(2026, 10, 29))]})
    row = told.decisions["US"][-1]
    assert (row.day, row.rate, row.change) == (MEETING, Decimal("3.625"), Decimal(0))
    assert row.source == (
        "held, derived: BIS CBPOL daily has 3.625 before the meeting and until 2026-10-29; "
        "meeting: Fed calendar for 2026"
    )


def test_a_series_that_ends_before_a_decision_would_show_says_nothing_of_it(
    facts: PolicyFacts,
) -> None:
    told = with_recorded(facts, {"US": [fed(MEETING)]})
    assert told.decisions["US"] == facts.decisions["US"]
    assert told.areas["US"].covered_until == date(2026, 10, 27)


def test_a_step_without_a_meeting_is_dated_by_the_day_it_took_effect(facts: PolicyFacts) -> None:
    told = with_recorded(facts, {"US": [fed(date(2026, 11, 17), d1110="2.625")]})
    row = told.decisions["US"][-1]
    assert (row.day, row.precision) == (date(2026, 11, 10), DatePrecision.EFFECTIVE)
    assert row.known_from == datetime(2026, 11, 11, 4, 59, tzinfo=UTC)


def test_a_decision_of_the_tables_stays_and_its_source_tells_the_difference(
    facts: PolicyFacts,
) -> None:
    told = with_recorded(facts, {"US": [fed(date(2026, 10, 20), d0917="3.875")]})
    september = told.decisions["US"][-1]
    assert (september.day, september.rate) == (date(2026, 9, 16), Decimal("3.625"))
    assert september.source == "Fed 16 September 2026; BIS CBPOL daily has 3.875 instead"


def test_a_rate_that_takes_effect_after_the_tables_end_is_no_second_decision(
    facts: PolicyFacts,
) -> None:
    late = recorded({NEW_YEAR: "1.75", date(2026, 9, 3): "2.00", date(2026, 11, 17): "2.00"})
    told = with_recorded(facts, {"SE": [late]})
    assert [row.day for row in told.decisions["SE"]] == [date(2026, 3, 24), date(2026, 5, 31)]


def test_a_change_known_by_its_month_takes_its_day_from_the_series(facts: PolicyFacts) -> None:
    series = recorded({NEW_YEAR: "1.75", date(2026, 5, 13): "2.00", date(2026, 8, 1): "2.00"})
    may = with_recorded(facts, {"SE": [series]}).decisions["SE"][-1]
    assert (may.day, may.precision) == (date(2026, 5, 13), DatePrecision.EFFECTIVE)
    assert may.source == "BIS CBPOL 2026-05; day: BIS CBPOL daily"


def test_the_banks_own_series_comes_before_the_biss(facts: PolicyFacts) -> None:
    own = fed(date(2026, 11, 5), d1029="3.375")
    bis = fed(date(2026, 11, 17), d1029="3.125")
    own = RecordedRates(own.series, "Federal Reserve", "Federal Reserve, daily")
    row = with_recorded(facts, {"US": [own, bis]}).decisions["US"][-1]
    assert (row.rate, row.origin) == (Decimal("3.375"), "Federal Reserve")
    assert row.source.endswith("; BIS CBPOL daily has 3.125 instead")


def test_areas_without_a_rate_in_the_tables_stay_without_one(facts: PolicyFacts) -> None:
    told = with_recorded(facts, {"SG": [fed(MEETING)], "ZZ": [fed(MEETING)]})
    assert told == facts


@given(
    st.dates(date(2026, 9, 1), date(2026, 12, 31)),
    st.dictionaries(
        st.dates(date(2026, 7, 31), date(2026, 12, 31)), st.integers(0, 40), max_size=6
    ),
)
def test_no_decision_is_known_before_its_day_and_the_levels_follow_the_series(
    facts: PolicyFacts, until: date, steps: dict[date, int]
) -> None:
    levels = {NEW_YEAR: "0.125", date(2026, 7, 30): "3.625"}
    levels |= {day: str(Decimal(step) / 8) for day, step in steps.items() if day <= until}
    series = recorded({**levels, until: levels[max(levels)]})
    told = with_recorded(facts, {"US": [series]})
    rows = told.decisions["US"]
    later = [row for row in rows if row.day > TABLE_END]
    assert [row.day for row in later] == sorted({row.day for row in later})
    assert all(row.known_from.date() >= row.day for row in later)
    assert not later or rows[-1].rate == series.series.level_on(until)
    covered = told.areas["US"].covered_until
    assert covered is not None
    assert all(row.day <= covered for row in rows)
