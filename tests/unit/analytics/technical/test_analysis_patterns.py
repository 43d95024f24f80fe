"""Analogues and anomalies in a market's own past."""

import re
import sys
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.server.mcpserver.exceptions import ToolError
from numpy.typing import NDArray

from desk.analytics.technical.patterns import (
    ALIKE,
    FEWEST,
    HORIZON,
    LEVEL,
    MOST,
    MOST_STRENGTH,
    PATH,
    find_analogues,
    is_significant,
    printed_p_value,
    share_p_value,
    strength_of,
)
from desk.contracts.episode.analysis import Analysis, Hint
from desk.contracts.findings.claims import Metric
from desk.sources.analysis.server import AnalysisTools
from tests.support.files.price_series import evening_of, store_of, walk, weekdays

WALKS = 150
LENGTH = 2_500


def figures(answer: Analysis) -> dict[Metric, Decimal]:
    return {figure.metric: figure.value for figure in answer.figures}


def mined(folder: Path, levels: NDArray[np.float64], place: int | None = None) -> Analysis:
    as_of = evening_of(len(levels) - 1 if place is None else place)
    return AnalysisTools(store_of(folder, levels)).pattern_miner("EUR/USD", as_of)


def with_a_motif(move: float, seed: int = 7) -> NDArray[np.float64]:
    """A walk in which one path came up fifteen times, followed by a move, and comes up again."""
    quiet = np.diff(np.log(walk(3_200, seed, 0.003)))
    motif = np.sin(np.linspace(0, 3 * np.pi, PATH)) * 0.04
    for start in range(100, 3_100, 200):
        quiet[start : start + PATH - 1] = np.diff(motif)
        quiet[start + PATH - 1 : start + PATH - 1 + HORIZON] += np.log1p(move) / HORIZON
    quiet[-PATH + 1 :] = np.diff(motif)
    return np.asarray(np.exp(np.concatenate([[0.0], np.cumsum(quiet)])))


@pytest.mark.parametrize(("move", "hint"), [(0.08, Hint.UP), (-0.08, Hint.DOWN)])
def test_a_path_that_was_always_followed_by_a_move_is_found(
    tmp_path: Path, move: float, hint: Hint
) -> None:
    levels = with_a_motif(move)
    answer = mined(tmp_path, levels)
    found, signal = figures(answer), answer.signals[-1]
    assert signal.hint is hint
    assert 0.3 <= signal.strength <= MOST_STRENGTH
    assert FEWEST <= found[Metric.ANALOGUES] <= MOST
    assert (found[Metric.ANALOGUE_MOVE] > 2) if move > 0 else (found[Metric.ANALOGUE_MOVE] < -2)
    assert (found[Metric.TARGET] > levels[-1]) is (move > 0)


def test_on_random_walks_the_share_found_significant_stays_below_the_level_claimed() -> None:
    days, tested = weekdays(LENGTH), []
    for seed in range(WALKS):
        found = find_analogues(days, walk(LENGTH, seed).tolist())
        if len(found.ends) >= FEWEST:
            others = len(found.other_moves)
            p_value = share_p_value(found.rises, len(found.ends), found.other_rises, others)
            tested.append(is_significant(p_value))
    allowed = float(LEVEL) + 2 * (float(LEVEL) * (1 - float(LEVEL)) / len(tested)) ** 0.5
    assert len(tested) > WALKS / 2
    assert sum(tested) / len(tested) <= allowed


def test_a_market_that_always_rises_has_no_pattern_for_that(tmp_path: Path) -> None:
    """What rises after any stretch rises after these too: that tells nothing of the path."""
    drift = np.exp(np.arange(LENGTH) * 0.002)
    answer = mined(tmp_path, walk(LENGTH, 3, 0.004) * drift)
    assert figures(answer)[Metric.ANALOGUE_HIT_RATE] > 80
    assert answer.signals[-1].hint is Hint.NEUTRAL


@given(st.integers(0, 10_000), st.integers(60, 1_500))
def test_stretches_are_apart_and_what_followed_them_was_known(seed: int, length: int) -> None:
    levels = walk(length, seed)
    found = find_analogues(weekdays(length), levels.tolist())
    ends = sorted(found.ends)
    assert all(later - earlier >= PATH + HORIZON for earlier, later in pairwise(ends))
    assert all(PATH - 1 <= end <= length - 1 - PATH for end in ends)
    for end, move in zip(found.ends, found.moves, strict=True):
        assert move == pytest.approx((levels[end + HORIZON] / levels[end] - 1) * 100)
        path = np.log(levels[end - PATH + 1 : end + 1])
        assert np.corrcoef(path, np.log(levels[-PATH:]))[0, 1] >= ALIKE - 1e-9


def test_nothing_after_the_instant_is_used(tmp_path: Path) -> None:
    levels = with_a_motif(0.08)
    later = np.concatenate([levels, levels[-1] * 2 * walk(300, 5)])
    now = mined(tmp_path / "now", levels)
    then = mined(tmp_path / "then", later, place=len(levels) - 1)
    assert then.model_dump(exclude={"source"}) == now.model_dump(exclude={"source"})


def test_a_move_unlike_any_of_the_year_is_an_anomaly_that_points_nowhere(tmp_path: Path) -> None:
    levels = walk(LENGTH, 1)
    levels[-2:] *= 1.15
    answer = mined(tmp_path, levels)
    assert figures(answer)[Metric.ANOMALY_SCORE] > 5
    anomaly = answer.signals[0]
    assert (anomaly.name, anomaly.hint) == ("anomaly", Hint.NEUTRAL)
    assert "far outside" in anomaly.words


def test_a_short_history_gives_reasons_and_no_figures(tmp_path: Path) -> None:
    answer = mined(tmp_path, walk(150, 1))
    assert answer.figures == ()
    assert len(answer.missing) == 2


def test_a_series_that_does_not_move_gives_reasons_and_no_figures(tmp_path: Path) -> None:
    answer = mined(tmp_path, np.full(600, 1.25))
    assert answer.figures == ()
    assert len(answer.missing) == 2


def test_figures_are_of_the_last_day_and_rounded_as_the_pair_is(tmp_path: Path) -> None:
    levels = with_a_motif(0.08)
    answer = mined(tmp_path, levels)
    assert {figure.as_of for figure in answer.figures} == {weekdays(len(levels))[-1]}
    exponents = {m: v.as_tuple().exponent for m, v in figures(answer).items()}
    assert exponents[Metric.ANALOGUES] == 0
    assert exponents[Metric.ANALOGUE_MOVE] == exponents[Metric.ANALOGUE_HIT_RATE] == -2
    assert exponents[Metric.TARGET] == -4


def test_the_words_of_signals_hold_no_figures(tmp_path: Path) -> None:
    for place, answer in enumerate((with_a_motif(0.08), walk(LENGTH, 2))):
        for signal in mined(tmp_path / str(place), answer).signals:
            assert re.search(r"\d", signal.words) is None


def test_without_prices_the_reason_is_told(tmp_path: Path) -> None:
    tools = AnalysisTools(store_of(tmp_path, walk(100, 1)))
    with pytest.raises(ToolError, match="no prices of NVDA"):
        tools.pattern_miner("NVDA", evening_of(50))
    with pytest.raises(ToolError, match="is not a symbol"):
        tools.seasonality_detector("yen", evening_of(50))


def test_without_scipy_the_error_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(ToolError, match="make install-swarm"):
        mined(tmp_path, with_a_motif(0.08))


def test_a_result_speaks_the_louder_the_less_it_may_be_chance() -> None:
    strengths = [strength_of(p) for p in (0.9, 0.05, 0.04, 0.01, 0.001, 1e-9)]
    assert strengths == sorted(strengths)
    assert strengths[0] == strengths[1] < 0.3 <= strengths[2]
    assert strengths[-1] == MOST_STRENGTH


def test_a_p_value_is_never_told_as_smaller_than_it_is() -> None:
    assert [str(printed_p_value(p)) for p in (1e-9, 0.0491, 0.0499, 1.0)] == [
        "0.001",
        "0.050",
        "0.050",
        "1.000",
    ]
    assert is_significant(0.049)
    assert not is_significant(0.0491)
