"""Intervals of means over dates: how often they hold the true mean, and when there is none."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from desk.training.walk_forward.intervals import FEWEST_DATES, mean_over


def test_symbols_of_one_date_count_as_one_in_the_interval() -> None:
    chance = np.random.default_rng(1)
    figures = list(chance.normal(size=40))
    once = mean_over(range(40), figures)
    thrice = mean_over([*range(40)] * 3, figures * 3)
    assert once is not None and thrice is not None
    assert thrice.count == 3 * once.count
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))


def test_dates_in_a_row_that_are_alike_widen_the_interval() -> None:
    chance = np.random.default_rng(1)
    alike = np.repeat(chance.normal(size=30), 3)
    mixed = chance.permutation(alike)
    runs, mixture = (mean_over(range(90), list(each)) for each in (alike, mixed))
    assert runs is not None and mixture is not None
    assert runs.mean == pytest.approx(mixture.mean)
    assert _width(runs) > 1.3 * _width(mixture)


def test_a_mean_that_never_varies_has_no_width() -> None:
    found = mean_over(range(20), [0.5] * 20)
    assert found is not None
    assert (found.mean, found.low, found.high) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize("alike", [0.0, 0.2])
@pytest.mark.parametrize("dates", [FEWEST_DATES, 13, 26, 52, 100, 500])
def test_the_interval_covers_the_mean_about_as_often_as_it_says(dates: int, alike: float) -> None:
    chance = np.random.default_rng(dates)
    walks = neighbours_alike(chance, 1_000, dates, alike)
    assert 0.9 <= covered(range(dates), walks) <= 0.975


def test_the_interval_covers_the_mean_where_later_dates_have_more_symbols() -> None:
    at = [date for date in range(52) for _ in range(1 + date // 6)]
    walks = neighbours_alike(np.random.default_rng(5), 1_000, 52, 0.2)[:, at]
    assert 0.9 <= covered(at, walks) <= 0.975


def test_thirteen_dates_that_vary_have_a_width() -> None:
    found = mean_over(range(13), list(np.random.default_rng(1).normal(size=13)))
    assert found is not None
    assert _width(found) > 0


def test_few_dates_have_a_mean_and_no_interval() -> None:
    found = mean_over(range(FEWEST_DATES - 1), [1.0] * (FEWEST_DATES - 1))
    assert found is not None
    assert (found.mean, found.low, found.high) == (1.0, None, None)
    assert mean_over([], []) is None


def test_a_date_that_has_nearly_all_figures_leaves_no_interval() -> None:
    found = mean_over([*range(12)] + [12] * 200, list(map(float, range(212))))
    assert found is not None
    assert (found.count, found.low, found.high) == (212, None, None)


def neighbours_alike(
    chance: np.random.Generator, walks: int, dates: int, alike: float
) -> NDArray[np.float64]:
    """A row of figures for each walk, of mean 0, each correlated with the one before."""
    drawn = chance.normal(size=(walks, dates))
    for at in range(1, dates):
        drawn[:, at] = alike * drawn[:, at - 1] + np.sqrt(1 - alike**2) * drawn[:, at]
    return drawn


def covered(at: Sequence[int], walks: NDArray[np.float64]) -> float:
    """The share of walks whose interval has the true mean, 0, in it."""
    held = 0
    for figures in walks:
        found = mean_over(at, list(figures))
        assert found is not None and found.low is not None and found.high is not None
        held += found.low <= 0 <= found.high
    return held / len(walks)


def _width(interval: object) -> float:
    low, high = getattr(interval, "low", None), getattr(interval, "high", None)
    assert low is not None and high is not None
    return float(high - low)
