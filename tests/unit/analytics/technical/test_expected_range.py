"""The range expected over four weeks: by today's swings, from the market's own past, as known."""

import numpy as np
import pytest

from desk.analytics.prices.indicator_marks import WITHIN
from desk.analytics.technical.expected_range import (
    FEWEST_STARTS,
    FOUR_WEEKS,
    MOVES,
    PAST_STARTS,
    expected_moves,
    measured_coverage,
)
from desk.analytics.technical.measures import Floats


def walk(days: int, seed: int = 1, *, size: float = 0.005) -> Floats:
    """Prices that move by chance, as far on every day."""
    moves = np.random.default_rng(seed).normal(0, size, days)
    return np.asarray(100 * np.exp(np.cumsum(moves)), dtype=np.float64)


@pytest.mark.parametrize("at", [MOVES, MOVES + FEWEST_STARTS + 30, 1_700, 2_400])
def test_what_is_told_of_a_day_is_the_same_whatever_follows_it(at: int) -> None:
    closes = walk(2_500)
    all_days = expected_moves(closes, MOVES)
    (alone,) = expected_moves(closes[: at + 1], at)
    assert alone == all_days[at - MOVES]
    other_future = np.concatenate([closes[: at + 1], 3 * closes[at + 1 :]])
    assert expected_moves(other_future, MOVES)[at - MOVES] == alone


def test_nothing_older_than_the_years_that_are_looked_at_counts() -> None:
    closes = walk(2_500)
    kept = MOVES + PAST_STARTS + FOUR_WEEKS
    (recent,) = expected_moves(closes[-kept:], kept - 1)
    assert recent == expected_moves(closes, len(closes) - 1)[0]


def test_a_market_that_swings_more_has_a_wider_range_within_weeks() -> None:
    calm = walk(2_000)
    wild = np.concatenate([calm[:-40], calm[-41] * walk(40, seed=2, size=0.02) / 100])
    before, after = (expected_moves(each, len(each) - 1)[0] for each in (calm, wild))
    assert after > 2 * before


def test_the_range_holds_as_often_as_it_says() -> None:
    shares = []
    for seed in range(8):
        closes = walk(4_000, seed)
        at = np.arange(MOVES + FOUR_WEEKS + FEWEST_STARTS, len(closes) - FOUR_WEEKS)
        gone = np.abs(np.log(closes[at + FOUR_WEEKS] / closes[at]))
        shares.append(np.mean(gone <= expected_moves(closes, MOVES)[at - MOVES]))
    assert np.mean(shares) == pytest.approx(WITHIN, abs=0.03)


def test_moves_of_a_kind_that_a_normal_distribution_does_not_have_are_met() -> None:
    rng = np.random.default_rng(5)
    jumps = rng.normal(0, 0.001, 3_000) + (rng.random(3_000) < 0.02) * rng.normal(0, 0.03, 3_000)
    closes = np.asarray(100 * np.exp(np.cumsum(jumps)), dtype=np.float64)
    at = np.arange(MOVES + FOUR_WEEKS + FEWEST_STARTS, len(closes) - FOUR_WEEKS)
    gone = np.abs(np.log(closes[at + FOUR_WEEKS] / closes[at]))
    held = np.mean(gone <= expected_moves(closes, MOVES)[at - MOVES])
    assert held == pytest.approx(WITHIN, abs=0.06)


def test_a_price_that_stood_still_is_no_division_by_nothing() -> None:
    still = np.concatenate([np.full(400, 7.8), walk(900)])
    assert np.isfinite(expected_moves(still, MOVES)).all()
    assert expected_moves(np.full(1_000, 7.8), 999)[0] == 0


def test_how_often_ranges_held_is_counted_over_starts_whose_weeks_are_over() -> None:
    found = measured_coverage(walk(2_600))
    assert found is not None
    starts, held = found
    assert starts == PAST_STARTS // 5 + 1
    assert 55 < held < 80


def test_a_market_that_broke_out_of_its_swings_has_ranges_that_held_less() -> None:
    calm = walk(2_600)
    shaken = np.concatenate([calm[:2_400], calm[2_400] * np.exp(np.linspace(0, 2, 200))])
    before, after = measured_coverage(calm), measured_coverage(shaken)
    assert before is not None and after is not None
    assert after[1] < before[1]


def test_less_than_a_year_of_starts_is_no_measure() -> None:
    assert measured_coverage(walk(MOVES + FOUR_WEEKS + 200)) is None
