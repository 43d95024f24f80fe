"""How figures are printed."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.figures import (
    print_claim,
    print_day,
    print_figure,
    print_full_day,
    print_known_day,
    print_weekday,
)
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.findings.source_results import DatePrecision


@pytest.mark.parametrize(
    ("value", "unit", "printed"),
    [
        ("1.23", Unit.PERCENT, "+1.23 %"),
        ("-0.40", Unit.PERCENT, "-0.40 %"),
        ("25", Unit.BASIS_POINTS, "+25 bp"),
        ("-262.5", Unit.BASIS_POINTS, "-262.5 bp"),
        ("1309.22", Unit.LEVEL, "1,309.22"),
        ("0.6540", Unit.LEVEL, "0.6540"),
        ("1E+4", Unit.LEVEL, "10,000"),
        ("3.75", Unit.PERCENT_A_YEAR, "3.75 %"),
        ("-0.10", Unit.PERCENT_A_YEAR, "-0.10 %"),
        ("2.1", Unit.STANDARD_DEVIATIONS, "+2.1 σ"),
        ("5", Unit.DAYS, "5 days"),
        ("-5", Unit.DAYS, "5 days"),
        ("1", Unit.DAYS, "1 day"),
    ],
)
def test_a_figure_is_printed_in_its_unit(value: str, unit: Unit, printed: str) -> None:
    assert print_figure(Decimal(value), unit) == printed


@pytest.mark.parametrize("zero", ["0.00", "-0.00"])
def test_no_change_has_no_sign(zero: str) -> None:
    assert print_figure(Decimal(zero), Unit.PERCENT) == "0.00 %"


@pytest.mark.parametrize("metric", [Metric.RANGE_POSITION, Metric.BAND_POSITION])
def test_a_position_is_no_change_and_has_no_sign(metric: Metric) -> None:
    assert print_claim(_claim(metric, "83.2", Unit.PERCENT)) == "83.2 %"


@pytest.mark.parametrize(
    ("value", "printed"),
    [("35.00", "35 %"), ("96.40", "96.4 %"), ("68.97", "68.97 %"), ("100.00", "100 %")],
)
def test_how_often_something_was_so_is_printed_without_zeros_at_its_end(
    value: str, printed: str
) -> None:
    assert print_claim(_claim(Metric.ANALOGUE_HIT_RATE, value, Unit.PERCENT)) == printed
    assert print_claim(_claim(Metric.MOVE, "1.20", Unit.PERCENT)) == "+1.20 %"


def test_a_move_is_printed_with_its_sign() -> None:
    assert print_claim(_claim(Metric.MOVE, "0.83", Unit.PERCENT)) == "+0.83 %"


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9
    )
)
def test_printing_a_level_loses_no_digit(value: Decimal) -> None:
    assert Decimal(print_figure(value, Unit.LEVEL).replace(",", "")) == value


def test_days_are_printed_the_same_in_every_language() -> None:
    day = date(2026, 9, 18)
    assert (print_day(day), print_full_day(day), print_weekday(day)) == (
        "18 Sep",
        "18 Sep 2026",
        "Fri 18 Sep",
    )


def _claim(metric: Metric, value: str, unit: Unit) -> Claim:
    return Claim(
        claim_id=claim_id("USD/JPY", metric),
        subject="USD/JPY",
        metric=metric,
        value=Decimal(value),
        unit=unit,
        as_of=date(2026, 9, 18),
        evidence=("e",),
    )


@pytest.mark.parametrize(
    ("precision", "printed"),
    [
        (DatePrecision.DAY, "31 May 2026"),
        (DatePrecision.EFFECTIVE, "31 May 2026"),
        (DatePrecision.MONTH, "May 2026"),
    ],
)
def test_no_day_is_printed_where_only_the_month_is_known(
    precision: DatePrecision, printed: str
) -> None:
    assert print_known_day(date(2026, 5, 31), precision) == printed
