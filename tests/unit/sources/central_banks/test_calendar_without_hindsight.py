"""Meetings that were scheduled and later moved or cancelled stand in the calendar until then."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from desk.analytics.weeks import as_of_of
from desk.contracts.agents.config import ScheduleConfig
from desk.sources.central_banks.facts.policy import read_facts
from desk.sources.central_banks.facts.tables import DamagedTable
from desk.sources.central_banks.server import CentralBankTools
from tests.support.files.facts_files import CALENDAR, write_facts

TOOLS = CentralBankTools()


def scheduled(area: str, first: str, last: str, as_of: datetime) -> list[str]:
    start, end = date.fromisoformat(first), date.fromisoformat(last)
    found = TOOLS.get_decision_calendar([area], start, end, as_of).scheduled
    return [meeting.day.isoformat() for meeting in found]


def end_of(week: str) -> datetime:
    """The instant at which the desk writes about a week."""
    return as_of_of(week, ScheduleConfig())


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_the_bank_of_englands_meeting_of_15_september_2022_stands_on_5_september() -> None:
    september = ("GB", "2022-09-01", "2022-09-30")
    assert scheduled(*september, end_of("2022-W35")) == ["2022-09-15"]
    assert scheduled(*september, at("2022-09-09T08:00:00+01:00")) == ["2022-09-15"]
    assert scheduled(*september, end_of("2022-W36")) == ["2022-09-22"]


@pytest.mark.parametrize(
    ("area", "day"),
    [("US", "2020-03-18"), ("NO", "2020-03-19"), ("JP", "2020-03-19"), ("NZ", "2020-03-25")],
)
def test_the_meetings_of_march_2020_stand_until_they_were_replaced(area: str, day: str) -> None:
    march = (area, "2020-03-09", "2020-03-31")
    assert scheduled(*march, end_of("2020-W10")) == [day]
    assert scheduled(*march, end_of("2020-W12")) == []


def test_the_indian_meeting_of_7_august_2025_stands_until_it_was_brought_forward() -> None:
    august = ("IN", "2025-08-01", "2025-08-31")
    assert scheduled(*august, at("2025-06-06T09:00:00+05:30")) == ["2025-08-07"]
    assert scheduled(*august, at("2025-06-07T09:00:00+05:30")) == ["2025-08-06"]


def test_the_second_day_of_the_japanese_meeting_of_april_2020_was_given_up() -> None:
    april = ("JP", "2020-04-01", "2020-04-30")
    assert scheduled(*april, at("2020-04-22T09:00:00+09:00")) == ["2020-04-28"]
    assert scheduled(*april, at("2020-04-24T09:00:00+09:00")) == ["2020-04-27"]


def test_a_meeting_that_was_given_up_lends_its_hour_to_no_decision() -> None:
    facts = read_facts()
    days = {(row.area.code, row.day) for rows in facts.decisions.values() for row in rows}
    withdrawn = {
        (row.area.code, row.day)
        for rows in facts.meetings.values()
        for row in rows
        if row.withdrawn_from is not None
    }
    assert len(withdrawn) == 7
    assert withdrawn & days == set()


def test_the_swiss_decision_of_15_january_2015_is_known_within_the_day_from_its_hour() -> None:
    # The SNB announced it at 10:30 in Zurich, which is 09:30 UTC, and not at its usual hour.
    january = (["CH"], date(2015, 1, 15), date(2015, 1, 15))
    assert TOOLS.get_rate_decisions(*january, at("2015-01-15T10:29:59+01:00")).decisions == ()
    (decision,) = TOOLS.get_rate_decisions(*january, at("2015-01-15T10:30:00+01:00")).decisions
    assert decision.change == -50
    assert decision.known_from == datetime(2015, 1, 15, 9, 30, tzinfo=UTC)


def test_a_day_to_move_to_without_the_day_of_the_change_is_refused(tmp_path: Path) -> None:
    calendar = CALENDAR.replace("2025-07-01,,,", "2025-07-01,,2026-07-30,", 1)
    with pytest.raises(DamagedTable, match=r"line 2, column withdrawn_from: a meeting that was"):
        read_facts(write_facts(tmp_path, calendar=calendar))
