"""What the fixings of some days come to is counted from them alone."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from desk.analytics.prices.counted import CountedDays, counted_days
from desk.analytics.prices.series import Fixings

MONDAY = date(2026, 6, 1)


def fixings(*weeks: str) -> Fixings:
    """The fixings of some weeks, one a working day from a Monday on."""
    days, values = [], []
    for week, told in enumerate(weeks):
        for day, value in enumerate(told.split()):
            days.append(MONDAY + timedelta(weeks=week, days=day))
            values.append(Decimal(value))
    return Fixings.from_days(days, values)


def test_days_that_rose_and_fell_are_counted_from_the_fixing_before_the_first() -> None:
    days = CountedDays(fixings("10 11 12 11 11", "12 10"), date(2026, 6, 2), date(2026, 6, 8))
    assert (days.moved(1), days.moved(-1), len(days.within.items)) == (3, 1, 5)


def test_the_mean_is_that_of_the_days_alone() -> None:
    days = CountedDays(fixings("10 11 13"), date(2026, 6, 2), date(2026, 6, 3))
    assert days.mean == 12


def test_the_days_beyond_a_level_are_those_truly_beyond_it() -> None:
    days = CountedDays(fixings("10 11 12 11 10"), MONDAY, MONDAY + timedelta(days=4))
    assert [each.day.day for each in days.beyond(Decimal(11), 1)] == [3]
    assert [each.day.day for each in days.beyond(Decimal(11), -1)] == [1, 5]


def test_weeks_in_a_row_end_with_the_last_friday() -> None:
    known = fixings("1 1 1 1 5", "1 1 1 1 6", "1 1 1 1 7", "1 1")
    assert CountedDays(known, MONDAY, date(2026, 6, 23)).week_streak == 2
    assert CountedDays(known, MONDAY, date(2026, 6, 18)).week_streak == 1


def test_the_week_that_rose_most_goes_from_the_friday_before() -> None:
    known = fixings("1 1 1 1 10", "1 1 1 1 11", "1 1 1 1 10", "1 1 1 1 12")
    steps = CountedDays(known, date(2026, 6, 8), date(2026, 6, 26)).extreme_weeks()
    told = [(before.day.day, after.day.day) for before, after in steps]
    assert told == [(12, 19), (19, 26)]


def test_the_volatility_is_the_deviation_of_the_days_told_for_a_year() -> None:
    still = CountedDays(fixings("1 2 4 8 16", "32"), MONDAY, date(2026, 6, 8))
    assert still.volatility == pytest.approx(0)
    assert CountedDays(fixings("1 2"), MONDAY, date(2026, 6, 2)).volatility is None


def test_an_error_of_the_source_counts_nowhere() -> None:
    level = [f"{100 + (day % 3) / 10}" for day in range(100)]
    level[50] = "190"
    known = fixings(*(" ".join(level[at : at + 5]) for at in range(0, 100, 5)))
    days = counted_days(known, MONDAY, known.items[-1].day)
    assert days.beyond(Decimal(150), 1) == ()
    assert len(days.within.items) == 99


def test_the_longest_run_is_of_days_that_all_went_one_way() -> None:
    days = CountedDays(fixings("5 4 3 4 3", "2 1 1 2 1"), MONDAY, date(2026, 6, 12))
    told = [(before.day.day, after.day.day) for before, after in days.longest_run(-1)]
    assert told == [(4, 5), (5, 8), (8, 9)]
    assert [after.day.day for _, after in days.longest_run(1)] == [11]
    assert CountedDays(fixings("1 2"), MONDAY, date(2026, 6, 2)).longest_run(-1) == ()


def test_the_month_that_rose_most_goes_from_the_last_fixing_of_the_one_before() -> None:
    known = fixings(*["1 1 1 1 1"] * 4, "1 2 3 3 3", *["3 3 3 3 3"] * 6, "2 2 2 2 2")
    days = CountedDays(known, date(2026, 6, 30), date(2026, 8, 21))
    steps = [(before.day, after.day) for before, after in days.extreme_months()]
    assert steps == [
        (date(2026, 6, 30), date(2026, 7, 31)),
        (date(2026, 7, 31), date(2026, 8, 21)),
    ]


@pytest.mark.parametrize(("first", "last"), [((7, 2), (8, 21)), ((7, 1), (8, 7))])
def test_a_month_counts_from_its_first_day_and_once_it_is_half_over(
    first: tuple[int, int], last: tuple[int, int]
) -> None:
    known = fixings(*["1 2 3 4 5"] * 12)
    days = CountedDays(known, date(2026, *first), date(2026, *last))
    assert list(days.extreme_months()) == []
