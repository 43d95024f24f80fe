"""What came of a recommendation, in figures."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.evaluation import EVALUATION_METRICS, POSITIONS, performance, position_name
from desk.analytics.units import UNITS
from desk.contracts.episode.stock import Recommended
from desk.contracts.findings.claims import Metric
from tests.support.processes.homes import PROJECT

COST = Decimal("0.10")
RATE = Decimal("5.375")
SWINGS = Decimal("51.70")

prices = st.decimals("0.01", "5000", places=2)
rates = st.decimals("0", "20", places=3)
swings = st.decimals("0.5", "300", places=2)
costs = st.decimals("0", "5", places=2)
weeks = st.integers(1, 52)
CENT = Decimal("0.01")


def measured(entry: str, exit_: str, position: int) -> dict[Metric, Decimal]:
    return performance(Decimal(entry), Decimal(exit_), position, COST, RATE, SWINGS, 28)


def test_a_bought_stock_is_measured_by_hand() -> None:
    # 28 days: cash 5.375 x 28/365 = 0.412; risk 51.7 x sqrt(28/365) = 14.319
    assert measured("100.00", "110.00", 1) == {
        Metric.ENTRY: Decimal("100.00"),
        Metric.EXIT: Decimal("110.00"),
        Metric.FORWARD_MOVE: Decimal("10.00"),
        Metric.CASH_MOVE: Decimal("0.41"),
        Metric.RISK: Decimal("14.32"),
        Metric.OVER_CASH: Decimal("9.39"),
        Metric.OVER_HOLDING: Decimal("0.00"),
        Metric.REWARD: Decimal("0.66"),
    }


def test_a_stock_sold_short_gains_by_a_fall_and_pays_the_same_costs() -> None:
    fallen = measured("100.00", "90.00", -1)
    assert fallen[Metric.OVER_CASH] == Decimal("10.21")
    assert fallen[Metric.REWARD] == Decimal("0.71")
    risen = measured("100.00", "110.00", -1)
    assert risen[Metric.OVER_CASH] == Decimal("-9.79")
    assert risen[Metric.REWARD] < 0


def test_what_cannot_be_had_is_left_out() -> None:
    entry, exit_ = Decimal(100), Decimal(110)
    no_rate = performance(entry, exit_, 1, COST, None, SWINGS, 28)
    assert set(no_rate) == {Metric.ENTRY, Metric.EXIT, Metric.FORWARD_MOVE, Metric.RISK}
    for none in (None, Decimal(0)):
        assert Metric.REWARD not in performance(entry, exit_, 1, COST, RATE, none, 28)
        assert performance(entry, exit_, 0, COST, RATE, none, 28)[Metric.REWARD] == 0
    assert Metric.RISK not in performance(entry, exit_, 1, COST, RATE, None, 28)


@pytest.mark.parametrize(("entry", "exit_"), [("0", "1"), ("1", "0"), ("-1", "1")])
def test_a_price_that_is_none_is_refused(entry: str, exit_: str) -> None:
    with pytest.raises(ValueError, match="positive"):
        measured(entry, exit_, 1)


def test_figures_come_in_their_order_and_without_a_minus_nothing() -> None:
    flat = Decimal("100.00")
    found = performance(flat, flat, 1, Decimal(0), Decimal("0.01"), SWINGS, 28)
    assert tuple(found) == EVALUATION_METRICS
    assert found[Metric.OVER_CASH] == 0
    assert not any(value.is_zero() and value.is_signed() for value in found.values())


@given(prices, prices, costs, rates, swings, weeks)
def test_no_position_earns_nothing_and_forgoes_what_holding_earned(
    entry: Decimal, exit_: Decimal, cost: Decimal, rate: Decimal, swing: Decimal, horizon: int
) -> None:
    days = 7 * horizon
    found = performance(entry, exit_, 0, cost, rate, swing, days)
    assert found[Metric.REWARD] == found[Metric.OVER_CASH] == 0
    held = (exit_ / entry - 1) * 100 - rate * (days / Decimal(365)) - 2 * cost
    assert abs(found[Metric.OVER_HOLDING] + held) <= CENT


@given(prices, prices, costs, rates, swings, weeks)
def test_to_buy_is_to_hold(
    entry: Decimal, exit_: Decimal, cost: Decimal, rate: Decimal, swing: Decimal, horizon: int
) -> None:
    found = performance(entry, exit_, 1, cost, rate, swing, 7 * horizon)
    assert found[Metric.OVER_HOLDING] == 0
    apart = found[Metric.FORWARD_MOVE] - found[Metric.CASH_MOVE] - 2 * cost
    assert abs(found[Metric.OVER_CASH] - apart) <= 2 * CENT


@given(prices, prices, costs, rates, swings, weeks)
def test_long_and_short_together_lose_both_costs(
    entry: Decimal, exit_: Decimal, cost: Decimal, rate: Decimal, swing: Decimal, horizon: int
) -> None:
    long, short = (
        performance(entry, exit_, position, cost, rate, swing, 7 * horizon) for position in (1, -1)
    )
    assert abs(long[Metric.OVER_CASH] + short[Metric.OVER_CASH] + 4 * cost) <= CENT
    for found in (long, short):
        assert found[Metric.REWARD] * found[Metric.OVER_CASH] >= 0


@given(prices, prices, st.sampled_from((1, -1)), rates, swings, weeks, costs, costs)
def test_a_higher_cost_is_never_better(
    entry: Decimal,
    exit_: Decimal,
    position: int,
    rate: Decimal,
    swing: Decimal,
    horizon: int,
    cost: Decimal,
    more: Decimal,
) -> None:
    cheap, dear = (
        performance(entry, exit_, position, each, rate, swing, 7 * horizon)
        for each in (cost, cost + more)
    )
    assert dear[Metric.OVER_CASH] <= cheap[Metric.OVER_CASH]
    assert dear[Metric.REWARD] <= cheap[Metric.REWARD]


@pytest.mark.parametrize("metric", EVALUATION_METRICS)
def test_the_document_defines_each_metric_in_its_unit(metric: Metric) -> None:
    text = (PROJECT / "docs" / "stock.md").read_text(encoding="utf-8")
    assert f"| `{metric}` | {UNITS[metric]} |" in text


def test_a_recommendation_takes_a_position_with_a_name() -> None:
    named = {each: (POSITIONS[each], position_name(each)) for each in Recommended}
    assert named == {
        Recommended.BUY: (1, "long"),
        Recommended.HOLD: (0, "none"),
        Recommended.SELL: (-1, "short"),
        Recommended.ABSTAIN: (0, "none"),
    }
