"""The formulas behind derived claims."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from desk.analytics.formulas import (
    CLAIM_FORMULAS,
    band_position,
    basis_point_difference,
    highest,
    lowest,
    percent_change,
    range_position,
    streak,
)
from desk.analytics.prices.moves import log_moves, robust_deviation, z_score

levels = st.decimals("0.0001", "100000", places=4)
rates = st.decimals("-5", "30", places=3)
moves = st.lists(st.floats(-0.2, 0.2), min_size=5, max_size=60)


@pytest.mark.parametrize(
    ("previous", "last", "percent"),
    [("100", "101", "1"), ("160", "152", "-5"), ("1.25", "1.25", "0"), ("0.5", "1", "100")],
)
def test_a_percent_change_is_relative_to_the_earlier_level(
    previous: str, last: str, percent: str
) -> None:
    assert percent_change(Decimal(previous), Decimal(last)) == Decimal(percent)


@pytest.mark.parametrize(("previous", "last"), [("0", "1"), ("1", "0"), ("-1", "1"), ("1", "-1")])
def test_a_level_that_is_not_above_zero_has_no_percent_change(previous: str, last: str) -> None:
    with pytest.raises(ValueError, match="positive"):
        percent_change(Decimal(previous), Decimal(last))


@given(levels, levels)
def test_a_percent_change_and_the_one_back_undo_each_other(one: Decimal, other: Decimal) -> None:
    there, back = percent_change(one, other), percent_change(other, one)
    assert abs((1 + there / 100) * (1 + back / 100) - 1) < Decimal("1e-15")


def test_a_quarter_of_a_point_is_twenty_five_basis_points() -> None:
    assert basis_point_difference(Decimal("4.50"), Decimal("4.25")) == 25
    assert basis_point_difference(Decimal("3.625"), Decimal("0.5")) == Decimal("312.5")


@given(rates, rates)
def test_a_differential_seen_from_the_other_side_has_the_other_sign(
    one: Decimal, other: Decimal
) -> None:
    assert basis_point_difference(one, other) == -basis_point_difference(other, one)


@given(levels, levels, levels)
def test_a_value_within_a_range_stands_between_0_and_100_percent(
    one: Decimal, two: Decimal, three: Decimal
) -> None:
    low, value, high = sorted((one, two, three))
    assume(low < high)
    assert 0 <= range_position(value, low, high) <= 100
    assert range_position(low, low, high) == 0
    assert range_position(high, low, high) == 100


def test_a_pair_beyond_its_band_stands_below_0_or_above_100_percent() -> None:
    assert band_position(Decimal("7.76"), Decimal("7.75"), Decimal("7.85")) == 10
    assert band_position(Decimal("7.74"), Decimal("7.75"), Decimal("7.85")) == -10
    assert band_position(Decimal("7.86"), Decimal("7.75"), Decimal("7.85")) == 110


def test_a_range_without_width_has_no_positions() -> None:
    with pytest.raises(ValueError, match="high above its low"):
        range_position(Decimal(1), Decimal(1), Decimal(1))


def test_the_extremes_are_the_largest_and_the_smallest_level() -> None:
    values = [Decimal("1.2"), Decimal("1.4"), Decimal("1.1")]
    assert (highest(values), lowest(values)) == (Decimal("1.4"), Decimal("1.1"))


@pytest.mark.parametrize(
    ("values", "length"),
    [
        ([], 0),
        ([1], 0),
        ([1, 1], 0),
        ([1, 2], 1),
        ([2, 1], -1),
        ([3, 1, 2, 3, 4], 3),
        ([1, 4, 3, 2, 1], -3),
        ([1, 2, 2, 3], 1),
        ([1, 2, 3, 3], 0),
    ],
)
def test_a_streak_counts_the_last_steps_in_one_direction(values: list[int], length: int) -> None:
    assert streak([Decimal(value) for value in values]) == length


@given(st.lists(levels, min_size=2, max_size=30))
def test_a_streak_has_the_sign_of_the_last_step(values: list[Decimal]) -> None:
    step = values[-1] - values[-2]
    assert np.sign(streak(values)) == np.sign(float(step))
    assert abs(streak(values)) <= len(values) - 1


@given(st.lists(levels, min_size=2, max_size=30))
def test_a_streak_read_in_the_other_quotation_is_the_opposite(values: list[Decimal]) -> None:
    assert streak([-value for value in values]) == -streak(values)


def test_a_z_score_is_the_standard_score_with_the_sample_deviation() -> None:
    assert z_score(4.0, [0.0, 2.0]) == pytest.approx((4.0 - 1.0) / 2**0.5)


@given(st.floats(-0.3, 0.3), moves)
def test_a_z_score_agrees_with_numpy(move: float, trailing: list[float]) -> None:
    assume(np.std(trailing, ddof=1) > 1e-6)
    expected = (move - np.mean(trailing)) / np.std(trailing, ddof=1)
    assert z_score(move, trailing) == pytest.approx(expected)


@given(st.lists(st.floats(0.5, 2.0), min_size=10, max_size=54), st.floats(0.001, 1_000.0))
def test_a_z_score_does_not_depend_on_the_scale_of_the_levels(
    series: list[float], scale: float
) -> None:
    plain, scaled = log_moves(series), log_moves([scale * level for level in series])
    assume(np.std(plain[:-1], ddof=1) > 1e-3)
    expected = z_score(plain[-1], plain[:-1])
    assert z_score(scaled[-1], scaled[:-1]) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("trailing", [[], [0.01], [0.01] * 52])
def test_moves_that_do_not_vary_give_no_z_score(trailing: list[float]) -> None:
    assert z_score(0.02, trailing) is None


def test_log_moves_need_levels_above_zero() -> None:
    assert log_moves([1.0, np.e]).tolist() == pytest.approx([1.0])
    with pytest.raises(ValueError, match="positive"):
        log_moves([1.0, 0.0])


def test_a_robust_deviation_ignores_a_few_wild_moves() -> None:
    normal = np.random.default_rng(7).normal(0.0, 0.01, 4_000)
    wild = np.concatenate([normal, np.full(200, 5.0)])
    assert robust_deviation(normal) == pytest.approx(0.01, rel=0.05)
    assert robust_deviation(wild) == pytest.approx(0.01, rel=0.1)
    assert robust_deviation([]) == 0.0


def test_claims_find_their_formulas_by_name() -> None:
    assert CLAIM_FORMULAS["percent_change"](Decimal(100), Decimal(102)) == 2
    assert CLAIM_FORMULAS["basis_point_difference"](Decimal(2), Decimal(1)) == 100
    assert CLAIM_FORMULAS["range_position"](Decimal(5), Decimal(0), Decimal(10)) == 50
