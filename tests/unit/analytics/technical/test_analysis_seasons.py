"""Whether a month of the year goes otherwise than the others."""

import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from mcp.server.mcpserver.exceptions import ToolError
from numpy.typing import NDArray

from desk.analytics.technical.patterns import (
    FEWEST_YEARS,
    LEVEL,
    MONTHS,
    coming_month,
    group_p_values,
    is_significant,
    monthly_moves,
)
from desk.contracts.episode.analysis import Analysis, Hint
from desk.contracts.findings.claims import Metric
from desk.sources.analysis.server import AnalysisTools
from tests.support.files.price_series import store_of, walk, weekdays

LENGTH = 12 * 261 + 25
WALKS = 120
IN_MARCH = datetime(2011, 2, 24, 20, tzinfo=UTC)


def with_a_march(move: float, seed: int = 4, count: int = LENGTH) -> NDArray[np.float64]:
    """A walk that moves by so much more in each March."""
    days = weekdays(count)
    steps = np.diff(np.log(walk(count, seed)))
    steps += [np.log1p(move) / 21 if day.month == 3 else 0.0 for day in days[1:]]
    return np.asarray(np.exp(np.concatenate([[0.0], np.cumsum(steps)])))


def detected(folder: Path, levels: NDArray[np.float64], as_of: datetime = IN_MARCH) -> Analysis:
    return AnalysisTools(store_of(folder, levels)).seasonality_detector("EUR/USD", as_of)


@pytest.mark.parametrize(("move", "hint"), [(0.07, Hint.UP), (-0.07, Hint.DOWN)])
def test_a_season_that_is_there_is_found(tmp_path: Path, move: float, hint: Hint) -> None:
    answer = detected(tmp_path, with_a_march(move))
    found = {figure.metric: figure.value for figure in answer.figures}
    (signal,) = answer.signals
    assert signal.hint is hint
    assert "March" in signal.words
    assert found[Metric.SEASONAL_P_VALUE] < LEVEL
    assert float(found[Metric.SEASONAL_MOVE]) == pytest.approx(move * 100, abs=2)
    assert (found[Metric.SEASONAL_HIT_RATE] > 80) is (move > 0)


def test_on_random_walks_the_share_with_any_season_stays_below_the_level_claimed() -> None:
    """Of twelve months tested in each, not of one: without the adjustment it is near a half."""
    days, as_of = weekdays(LENGTH), datetime(2012, 6, 1, tzinfo=UTC)
    any_month = [
        any(
            map(
                is_significant, group_p_values(monthly_moves(days, walk(LENGTH, n).tolist(), as_of))
            )
        )
        for n in range(WALKS)
    ]
    level = float(LEVEL)
    assert sum(any_month) / WALKS <= level + 2 * (level * (1 - level) / WALKS) ** 0.5


def test_a_market_that_always_rises_has_no_season_for_that(tmp_path: Path) -> None:
    drift = np.exp(np.arange(LENGTH) * 0.001)
    (signal,) = detected(tmp_path, walk(LENGTH, 9) * drift).signals
    assert signal.hint is Hint.NEUTRAL
    assert signal.strength < 0.3


@pytest.mark.parametrize(
    ("day", "month"),
    [((2026, 11, 2), 11), ((2026, 11, 16), 11), ((2026, 11, 22), 12), ((2026, 12, 20), 1)],
)
def test_the_month_is_that_which_holds_most_of_the_coming_four_weeks(
    day: tuple[int, int, int], month: int
) -> None:
    assert coming_month(datetime(*day, 7, tzinfo=UTC)) == month


def test_fewer_than_eight_whole_years_tell_nothing(tmp_path: Path) -> None:
    answer = detected(
        tmp_path, with_a_march(0.07, count=8 * 261), datetime(2007, 12, 28, 20, tzinfo=UTC)
    )
    assert (answer.figures, answer.signals) == ((), ())
    assert answer.missing == (
        f"7 whole years of EUR/USD are too few; a season needs {FEWEST_YEARS}.",
    )


def test_a_month_counts_when_it_is_over_and_both_its_ends_are_there() -> None:
    days = (date(2020, 1, 31), date(2020, 2, 28), date(2020, 3, 10), date(2020, 4, 30))
    moves = monthly_moves(days, [1.0, 1.1, 1.2, 1.3], datetime(2020, 5, 1, tzinfo=UTC))
    counts = {MONTHS[at]: len(found) for at, found in enumerate(moves) if len(found)}
    assert counts == {"February": 1}
    assert moves[1][0] == pytest.approx(10)


def test_a_month_that_is_not_over_does_not_count() -> None:
    days, closes = (date(2020, 1, 31), date(2020, 2, 28)), [1.0, 1.1]
    running = monthly_moves(days, closes, datetime(2020, 2, 29, 23, tzinfo=UTC))
    over = monthly_moves(days, closes, datetime(2020, 3, 1, tzinfo=UTC))
    assert [len(running[1]), len(over[1])] == [0, 1]


def test_nothing_after_the_instant_is_used(tmp_path: Path) -> None:
    levels = with_a_march(0.07)
    known = [day <= IN_MARCH.date() for day in weekdays(len(levels))].count(True)
    changed = levels.copy()
    changed[known:] *= 5 * walk(len(levels) - known, 8)
    now, later = detected(tmp_path / "a", levels), detected(tmp_path / "b", changed)
    assert now.model_dump(exclude={"source"}) == later.model_dump(exclude={"source"})


def test_months_that_never_move_have_no_season(tmp_path: Path) -> None:
    answer = detected(tmp_path, np.full(LENGTH, 1.25))
    assert answer.figures[-1].value == Decimal("1.000")
    assert answer.signals[0].hint is Hint.NEUTRAL


def test_without_scipy_the_error_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(ToolError, match="make install-swarm"):
        detected(tmp_path, with_a_march(0.07))
