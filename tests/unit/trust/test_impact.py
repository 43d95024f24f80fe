"""Impact by rule."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from desk.analytics.prices.impact import (
    decision_impact,
    floating_pair_impact,
    pegged_pair_impact,
    scheduled_impact,
)
from desk.contracts.findings.results import Impact
from desk.trust.confidence import DEDUCTIONS, NOTHING_FOUND, Weakness, confidence

AS_OF = date(2026, 11, 2)


@pytest.mark.parametrize(
    ("z_score", "months", "impact"),
    [
        ("2.0", 0, Impact.HIGH),
        ("-2.0", 0, Impact.HIGH),
        ("1.9", 0, Impact.MEDIUM),
        ("-1.0", 0, Impact.MEDIUM),
        ("0.9", 0, Impact.LOW),
        ("0.1", 1, Impact.LOW),
        ("0.1", 3, Impact.MEDIUM),
        ("0.1", 12, Impact.HIGH),
        (None, 0, Impact.LOW),
        (None, 12, Impact.HIGH),
    ],
)
def test_a_floating_pair_matters_by_its_z_score_and_the_extremes_it_breaks(
    z_score: str | None, months: int, impact: Impact
) -> None:
    assert floating_pair_impact(Decimal(z_score) if z_score else None, months) is impact


@pytest.mark.parametrize(
    ("position", "previous", "impact"),
    [
        ("50", "40", Impact.LOW),
        ("89.9", "80", Impact.LOW),
        ("90", "80", Impact.MEDIUM),
        ("10", "20", Impact.MEDIUM),
        ("99", "90", Impact.HIGH),
        ("99.5", "99.2", Impact.MEDIUM),
        ("1", "5", Impact.HIGH),
        ("1", "0.5", Impact.MEDIUM),
        ("0", None, Impact.HIGH),
        ("-0.1", "-0.2", Impact.HIGH),
        ("100.1", "100.1", Impact.HIGH),
    ],
)
def test_a_pegged_pair_matters_by_its_distance_to_the_edges(
    position: str, previous: str | None, impact: Impact
) -> None:
    before = Decimal(previous) if previous else None
    assert pegged_pair_impact(Decimal(position), before) is impact


def test_a_change_of_rates_matters_more_than_a_hold() -> None:
    assert decision_impact(Decimal(25)) is decision_impact(Decimal(-25)) is Impact.HIGH
    assert decision_impact(Decimal(0)) is Impact.MEDIUM


@pytest.mark.parametrize(
    ("days", "impact"), [(0, Impact.MEDIUM), (7, Impact.MEDIUM), (8, Impact.LOW)]
)
def test_a_scheduled_decision_matters_in_its_last_week(days: int, impact: Impact) -> None:
    assert scheduled_impact(AS_OF + timedelta(days=days), AS_OF) is impact


def test_confidence_loses_a_fixed_amount_for_each_weakness_once() -> None:
    assert confidence([]) == 1.0
    assert confidence([Weakness.SINGLE_SOURCE]) == 0.95
    assert confidence([Weakness.STALE, Weakness.STALE, Weakness.SINGLE_SOURCE]) == 0.65


def test_confidence_never_falls_below_that_of_an_empty_result() -> None:
    assert confidence(DEDUCTIONS) == NOTHING_FOUND
