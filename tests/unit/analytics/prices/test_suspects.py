"""Fixings that leap away and come straight back."""

from collections import Counter
from datetime import date
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from desk.analytics.prices.price_view import find_suspects, last_is_unconfirmed
from tests.support.builders import PAIRS, real_fixings

YEAR_OF_FIXINGS = 280
FLAGGED_SINCE_2006 = 12
LAST_DAY = date(2026, 10, 30)


def calm_levels(count: int = 280, seed: int = 5) -> NDArray[np.float64]:
    moves = np.random.default_rng(seed).normal(0.0, 0.004, count)
    return np.asarray(100 * np.exp(np.cumsum(moves)), dtype=np.float64)


@cache
def suspects_since_2006() -> set[tuple[str, date]]:
    """Every fixing of the 18 pairs that is flagged in one of the overlapping years it is in."""
    found = set()
    for pair in PAIRS:
        series = [(d, float(v)) for d, v in real_fixings(pair) if date(2005, 1, 1) <= d <= LAST_DAY]
        starts = range(0, len(series) - YEAR_OF_FIXINGS + 65, 65)
        for start in starts:
            year = series[start : start + YEAR_OF_FIXINGS]
            flagged = find_suspects([level for _, level in year])
            found |= {(pair, year[at][0]) for at in flagged if year[at][0].year >= 2006}
    return found


def test_a_spike_that_reverts_is_suspect() -> None:
    levels = calm_levels()
    levels[200] *= 1.05
    assert find_suspects(levels) == (200,)


def test_a_move_that_stays_is_not_suspect() -> None:
    levels = calm_levels()
    levels[200:] *= 0.85
    assert find_suspects(levels) == ()


def test_a_spike_that_only_half_reverts_is_not_suspect() -> None:
    levels = calm_levels()
    levels[200] *= 1.08
    levels[201:] *= 1.04
    assert find_suspects(levels) == ()


def test_a_spike_among_equally_wild_days_is_not_suspect() -> None:
    levels = calm_levels()
    levels[190:212:2] *= 1.05
    assert find_suspects(levels) == ()


def test_the_rounding_of_a_pegged_cross_is_not_suspect() -> None:
    levels = np.full(280, 7.8)
    levels[100] += 0.01
    assert find_suspects(levels) == ()


def test_a_series_too_short_to_judge_by_has_no_suspects() -> None:
    levels = calm_levels(40)
    levels[20] *= 1.2
    assert find_suspects(levels) == ()
    assert not last_is_unconfirmed(levels)


def test_a_last_fixing_that_leaps_is_unconfirmed_but_not_suspect() -> None:
    levels = calm_levels()
    assert not last_is_unconfirmed(levels)
    levels[-1] *= 1.05
    assert last_is_unconfirmed(levels)
    assert find_suspects(levels) == ()


@given(
    st.lists(st.floats(-0.02, 0.02), min_size=70, max_size=120),
    st.dictionaries(st.integers(0, 69), st.floats(-0.5, 0.5), max_size=5),
)
def test_the_first_and_the_last_fixing_are_never_suspect(
    moves: list[float], spikes: dict[int, float]
) -> None:
    levels = np.exp(np.cumsum(moves))
    for at, size in spikes.items():
        levels[-1 - at] *= np.exp(size)
    assert not {0, len(levels) - 1} & set(find_suspects(levels))


@given(st.floats(0.001, 1_000.0))
def test_suspects_do_not_depend_on_the_scale_of_the_levels(scale: float) -> None:
    levels = calm_levels()
    levels[[50, 120]] *= (1.06, 0.95)
    assert find_suspects(scale * levels) == find_suspects(levels) == (50, 120)


def test_twenty_years_of_real_fixings_hold_few_suspects_and_the_known_ones() -> None:
    found = suspects_since_2006()
    print(f"{len(found)} suspect fixings of 18 pairs since 2006: {sorted(found)}")
    known = {("USD/HKD", date(2009, 3, 26)), ("USD/HKD", date(2013, 4, 2))}
    assert known <= found
    assert ("USD/IDR", date(2013, 10, 18)) in found
    assert len(found) == FLAGGED_SINCE_2006
    assert set(Counter(pair for pair, _ in found)) == {"USD/CNY", "USD/HKD", "USD/IDR"}


@pytest.mark.parametrize(
    ("pair", "day"),
    [
        ("USD/CHF", date(2015, 1, 15)),
        ("USD/CHF", date(2015, 1, 16)),
        ("USD/JPY", date(2008, 12, 18)),
        ("GBP/USD", date(2016, 6, 24)),
        ("USD/CNY", date(2015, 8, 11)),
    ],
)
def test_history_s_real_shocks_are_not_suspect(pair: str, day: date) -> None:
    assert (pair, day) not in suspects_since_2006()
