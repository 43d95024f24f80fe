"""When a fixing is known, and what a cross is."""

from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.prices.fixings import (
    CROSS_DIGITS,
    cross_rate,
    has_lapsed,
    known_from,
    last_known_day,
)

INSTANTS = st.datetimes(datetime(1999, 1, 1), datetime(2100, 1, 1), timezones=st.timezones())
DAYS = st.dates(date(1999, 1, 4), date(2100, 1, 1))
RATES = st.decimals("0.00001", "99999", places=5)


@pytest.mark.parametrize(
    ("day", "instant"),
    [
        (date(2026, 1, 15), datetime(2026, 1, 15, 15, tzinfo=UTC)),
        (date(2026, 7, 15), datetime(2026, 7, 15, 14, tzinfo=UTC)),
        (date(2026, 3, 27), datetime(2026, 3, 27, 15, tzinfo=UTC)),
        (date(2026, 3, 30), datetime(2026, 3, 30, 14, tzinfo=UTC)),
        (date(2026, 10, 23), datetime(2026, 10, 23, 14, tzinfo=UTC)),
        (date(2026, 10, 26), datetime(2026, 10, 26, 15, tzinfo=UTC)),
    ],
)
def test_a_fixing_is_known_from_four_in_the_afternoon_in_frankfurt(
    day: date, instant: datetime
) -> None:
    assert known_from(day) == instant


def test_a_fixing_is_known_at_the_minute_of_its_publication_and_not_before() -> None:
    publication = datetime(2026, 10, 30, 15, tzinfo=UTC)
    assert last_known_day(publication) == date(2026, 10, 30)
    assert last_known_day(publication - timedelta(microseconds=1)) == date(2026, 10, 29)


@given(INSTANTS)
def test_the_last_known_day_is_known_and_the_next_is_not(as_of: datetime) -> None:
    day = last_known_day(as_of)
    assert known_from(day) <= as_of < known_from(day + timedelta(days=1))


@given(DAYS)
def test_days_become_known_in_their_order(day: date) -> None:
    assert known_from(day) < known_from(day + timedelta(days=1))


def test_an_instant_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        last_known_day(datetime(2026, 10, 30, 16))


def test_a_series_lapses_after_fourteen_days_without_a_fixing() -> None:
    fixed_on = date(2022, 3, 1)
    assert not has_lapsed(fixed_on, known_from(date(2022, 3, 15)))
    assert has_lapsed(fixed_on, known_from(date(2022, 3, 16)))


def test_the_yen_against_the_dollar_follows_from_both_euro_rates() -> None:
    assert str(cross_rate(Decimal("1.1172"), Decimal("175.68"))) == "157.2502686"


@given(RATES, RATES, st.integers(1, CROSS_DIGITS - 1))
def test_a_cross_rounds_to_fewer_digits_as_the_exact_quotient_does(
    base: Decimal, quote: Decimal, digits: int
) -> None:
    cross = cross_rate(base, quote)
    exact = Fraction(quote) / Fraction(base)
    step = Decimal((0, (1,), cross.adjusted() - digits + 1))
    rounded = cross.quantize(step, ROUND_HALF_EVEN) / step
    assert rounded == round(exact / Fraction(step))
    assert len(cross.as_tuple().digits) == max(CROSS_DIGITS, cross.adjusted() + 1)


def test_a_level_is_rounded_once() -> None:
    cross = cross_rate(Decimal(1_000_000), Decimal(1_177_546))
    assert str(cross.quantize(Decimal("0.0001"))) == "1.1775"


@given(RATES)
def test_a_currency_against_an_equal_rate_is_one(rate: Decimal) -> None:
    assert str(cross_rate(rate, rate)) == "1.000000000"
