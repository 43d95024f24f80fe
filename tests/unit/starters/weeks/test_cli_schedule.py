"""The weekly schedule as data, and the weeks of a backfill."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.weeks import latest_complete_week
from desk.contracts.agents.config import ScheduleConfig, Weekday
from desk.runs.schedule.schedule_spec import (
    MOST_BACKFILLED_WEEKS,
    Overlap,
    backfilled_weeks,
    scheduled_run_id,
    weekly_schedule,
)

LONDON = ScheduleConfig()


def test_days_count_from_sunday_as_temporal_counts_them() -> None:
    days = [weekly_schedule(ScheduleConfig(weekday=day)).day_of_week for day in Weekday]
    assert days == [1, 2, 3, 4, 5, 6, 0]


def test_the_schedule_holds_what_the_configuration_says() -> None:
    spec = weekly_schedule(
        ScheduleConfig(
            weekday=Weekday.TUESDAY,
            hour=6,
            minute=5,
            time_zone="Asia/Tokyo",
            catchup_window=timedelta(hours=5),
            jitter=timedelta(seconds=30),
        )
    )
    assert (spec.day_of_week, spec.hour, spec.minute, spec.time_zone) == (2, 6, 5, "Asia/Tokyo")
    assert (spec.catchup_window, spec.jitter) == (timedelta(hours=5), timedelta(seconds=30))
    assert "Tuesday at 06:05 Asia/Tokyo" in spec.note


def test_a_run_that_stays_open_does_not_keep_the_next_from_starting() -> None:
    assert weekly_schedule(LONDON).overlap is Overlap.ALLOW_ALL


def test_a_backfill_starts_each_week_when_it_would_have_started_summer_time_included() -> None:
    weeks = backfilled_weeks("2026-W42", "2026-W44", LONDON)
    assert [(week.week, week.start, week.workflow_id) for week in weeks] == [
        ("2026-W42", datetime(2026, 10, 19, 6, tzinfo=UTC), "weekly-2026-10-19T06:00:00Z"),
        ("2026-W43", datetime(2026, 10, 26, 7, tzinfo=UTC), "weekly-2026-10-26T07:00:00Z"),
        ("2026-W44", datetime(2026, 11, 2, 7, tzinfo=UTC), "weekly-2026-11-02T07:00:00Z"),
    ]


def test_a_backfill_crosses_a_year_of_53_weeks() -> None:
    weeks = backfilled_weeks("2026-W52", "2027-W01", LONDON)
    assert [week.week for week in weeks] == ["2026-W52", "2026-W53", "2027-W01"]


@given(
    st.integers(0, 400),
    st.sampled_from(list(Weekday)),
    st.sampled_from(["Europe/London", "Asia/Tokyo", "America/New_York", "Pacific/Auckland"]),
    st.integers(0, 23),
)
def test_every_backfilled_start_falls_on_the_schedule_and_is_that_of_its_week(
    weeks_back: int, weekday: Weekday, zone: str, hour: int
) -> None:
    config = ScheduleConfig(weekday=weekday, time_zone=zone, hour=hour)
    now = datetime(2026, 11, 21, tzinfo=UTC) - timedelta(weeks=weeks_back)
    week = latest_complete_week(now, config)
    (only,) = backfilled_weeks(week, week, config)
    local = only.start.astimezone(ZoneInfo(zone))
    assert list(Weekday)[local.weekday()] is weekday
    assert only.start <= now
    assert latest_complete_week(only.start, config) == week


def test_an_empty_or_endless_backfill_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="2026-W40 comes before 2026-W44"):
        backfilled_weeks("2026-W44", "2026-W40", LONDON)
    with pytest.raises(ValueError, match=f"at most {MOST_BACKFILLED_WEEKS}"):
        backfilled_weeks("2000-W01", "2026-W40", LONDON)


def test_a_scheduled_run_is_named_after_its_start() -> None:
    start = datetime(2026, 11, 2, 7, tzinfo=UTC)
    assert scheduled_run_id(start) == "weekly-2026-11-02T07:00:00Z"
