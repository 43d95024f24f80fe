"""Fixings, windows and weeks."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from desk.analytics.prices.series import Fixing, Fixings, week_closes, window_days
from desk.contracts.weeks import TimeWindow
from tests.support.builders import history, window

MONDAY = date(2026, 10, 26)


def weekdays(first: date, count: int) -> list[date]:
    days = (first + timedelta(days=n) for n in range(2 * count))
    return [day for day in days if day.weekday() < 5][:count]


def fixings(days: list[date]) -> Fixings:
    return Fixings(tuple(Fixing(day, Decimal(n)) for n, day in enumerate(days, start=1)))


def test_a_series_is_cut_at_a_day_into_before_and_since() -> None:
    series = fixings(weekdays(MONDAY, 5))
    assert [f.value for f in series.before(date(2026, 10, 28)).items] == [1, 2]
    assert [f.value for f in series.since(date(2026, 10, 28)).items] == [3, 4, 5]
    assert series.without({MONDAY}).first == Fixing(date(2026, 10, 27), Decimal(2))


def test_of_equal_extremes_the_newest_is_named() -> None:
    items = [Fixing(day, Decimal(1)) for day in weekdays(MONDAY, 3)]
    assert Fixings(tuple(items)).highest == items[-1]
    assert Fixings(tuple(items)).lowest == items[-1]


def test_days_that_run_backwards_are_refused() -> None:
    backwards = [(date(2026, 10, 27), Decimal(1)), (MONDAY, Decimal(2))]
    answer = history("USD/JPY", backwards, window("2026-W44").end)
    with pytest.raises(ValueError, match="do not run forward"):
        Fixings.of(answer)


def test_a_window_is_counted_in_days_of_its_own_zone() -> None:
    auckland = TimeWindow(
        start=datetime(2026, 10, 24, 11, tzinfo=UTC),
        end=datetime(2026, 11, 1, 18, tzinfo=UTC),
        time_zone="Pacific/Auckland",
    )
    assert window_days(auckland) == (date(2026, 10, 25), date(2026, 11, 2))


def test_a_week_closes_with_its_last_fixing() -> None:
    series = fixings(weekdays(MONDAY, 15))
    closes = week_closes(series, date(2026, 11, 15), 3)
    assert closes is not None
    assert [close.day for close in closes] == [
        date(2026, 10, 30),
        date(2026, 11, 6),
        date(2026, 11, 13),
    ]


def test_a_week_that_ends_in_a_holiday_closes_earlier() -> None:
    series = fixings(weekdays(MONDAY, 5)).without({date(2026, 10, 30)})
    closes = week_closes(series, date(2026, 11, 1), 1)
    assert closes == (Fixing(date(2026, 10, 29), Decimal(4)),)


def test_a_week_without_fixings_leaves_no_closes() -> None:
    days = weekdays(MONDAY, 15)
    gap = fixings(days).without(set(days[5:10]))
    assert week_closes(gap, date(2026, 11, 15), 3) is None
    assert week_closes(gap, date(2026, 11, 15), 1) is not None
