"""A policy rate as the steps of a line."""

from datetime import date
from decimal import Decimal

from desk.analytics.prices.rate_steps import Point, rate_steps

FIRST, LAST = date(2025, 11, 1), date(2026, 10, 30)


def at(month: int, day: int, rate: str, year: int = 2026) -> Point:
    return date(year, month, day), Decimal(rate)


def test_a_change_is_a_step_on_its_day_and_the_line_ends_with_the_span() -> None:
    steps = rate_steps([at(9, 16, "0.75"), at(1, 5, "0.50")], (), FIRST, LAST)
    assert steps == (at(1, 5, "0.50"), at(9, 16, "0.75"), at(10, 30, "0.75"))


def test_a_rate_from_before_the_span_holds_from_its_first_day() -> None:
    assert rate_steps([at(3, 1, "2.00", 2024)], (), FIRST, LAST) == (
        at(11, 1, "2.00", 2025),
        at(10, 30, "2.00"),
    )


def test_the_ends_of_months_tell_only_of_the_time_before_the_first_known_change() -> None:
    ends = [at(5, 31, "1.00"), at(6, 30, "1.00"), at(7, 31, "1.25"), at(8, 31, "9.99")]
    steps = rate_steps([at(8, 10, "1.50")], ends, FIRST, LAST)
    assert steps == (
        at(5, 31, "1.00"),
        at(7, 31, "1.25"),
        at(8, 10, "1.50"),
        at(10, 30, "1.50"),
    )


def test_what_nobody_knows_is_not_drawn() -> None:
    assert rate_steps((), (), FIRST, LAST) == ()
    assert rate_steps([at(12, 1, "3.00")], (), FIRST, LAST) == ()
