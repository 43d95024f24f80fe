"""Weeks, as-of instants and windows."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.prices.fixings import covered_to
from desk.analytics.weeks import (
    as_of_of,
    latest_complete_week,
    latest_covered_week,
    week_ended_before,
    window_of,
)
from desk.contracts.agents.config import ScheduleConfig, Weekday
from desk.contracts.weeks import monday_of, next_week, parse_week, previous_week, week_of

LONDON = ScheduleConfig()
weeks = st.dates(date(1999, 1, 4), date(2099, 12, 28)).map(week_of)
zones = st.sampled_from(["Europe/London", "Asia/Singapore", "America/New_York", "UTC"])
schedules = st.builds(
    ScheduleConfig,
    weekday=st.sampled_from(Weekday),
    hour=st.integers(0, 23),
    time_zone=zones,
)


@pytest.mark.parametrize(
    ("week", "as_of"),
    [
        ("2026-W44", datetime(2026, 11, 2, 7, tzinfo=UTC)),
        ("2026-W26", datetime(2026, 6, 29, 6, tzinfo=UTC)),  # summer time in London
        ("2020-W53", datetime(2021, 1, 4, 7, tzinfo=UTC)),
    ],
)
def test_a_week_is_written_about_on_the_monday_after_it(week: str, as_of: datetime) -> None:
    assert as_of_of(week, LONDON) == as_of


def test_a_window_starts_eight_days_before_the_monday_after() -> None:
    window = window_of("2026-W44", LONDON)
    assert window.start == datetime(2026, 10, 25, tzinfo=UTC) - timedelta(hours=1)  # still summer
    assert window.end == datetime(2026, 11, 2, 7, tzinfo=UTC)
    assert window.time_zone == "Europe/London"


@given(weeks, schedules)
def test_every_day_of_a_week_lies_in_its_window(week: str, schedule: ScheduleConfig) -> None:
    window = window_of(week, schedule)
    monday = datetime.combine(monday_of(week), datetime.min.time(), UTC)
    assert window.start <= monday
    assert monday + timedelta(days=6) <= window.end


@given(weeks, schedules)
def test_the_run_of_a_week_finds_its_own_week(week: str, schedule: ScheduleConfig) -> None:
    as_of = as_of_of(week, schedule)
    assert latest_complete_week(as_of, schedule) == week
    assert latest_complete_week(as_of - timedelta(seconds=1), schedule) != week


@given(weeks)
def test_the_next_week_begins_seven_days_later(week: str) -> None:
    assert monday_of(next_week(week)) - monday_of(week) == timedelta(days=7)
    assert previous_week(next_week(week)) == week


def test_a_run_on_a_wednesday_is_about_the_week_before() -> None:
    assert week_ended_before(datetime(2026, 11, 4, tzinfo=UTC), LONDON) == "2026-W44"


@pytest.mark.parametrize(
    ("last_day", "week"),
    [
        (date(2026, 10, 30), "2026-W44"),
        (date(2026, 10, 29), "2026-W43"),
        (date(2026, 11, 20), "2026-W46"),
    ],
)
def test_the_latest_covered_week_has_its_friday(last_day: date, week: str) -> None:
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    assert latest_covered_week(now, covered_to(last_day), LONDON) == week


@pytest.mark.parametrize(
    ("last_day", "now", "week"),
    [
        (date(2026, 12, 24), datetime(2026, 12, 28, 7, tzinfo=UTC), "2026-W52"),
        (date(2026, 12, 31), datetime(2027, 1, 4, 7, tzinfo=UTC), "2026-W53"),
        (date(2026, 12, 23), datetime(2026, 12, 28, 7, tzinfo=UTC), "2026-W51"),
        (date(2026, 4, 2), datetime(2026, 4, 6, 7, tzinfo=UTC), "2026-W14"),
    ],
    ids=["Christmas", "New Year", "the day before is awaited", "Easter"],
)
def test_a_week_whose_friday_has_no_fixing_is_covered_without(
    last_day: date, now: datetime, week: str
) -> None:
    assert latest_covered_week(now, covered_to(last_day), LONDON) == week


@pytest.mark.parametrize("text", ["2026-w44", " 2026-W44 "])
def test_a_week_may_be_written_carelessly(text: str) -> None:
    assert parse_week(text) == "2026-W44"


@pytest.mark.parametrize("text", ["2026-44", "2026-W54", "W44", "2025-W53", "", "2026-W4"])
def test_what_is_no_week_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="week"):
        parse_week(text)
