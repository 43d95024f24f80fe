"""The blackboard as arrays."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given

from desk.analytics.units import UNITS
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import MOST_STEPS, Recommended
from desk.contracts.findings.claims import Metric, Unit
from desk.contracts.findings.results import Leaning
from desk.programs.episode.actions import DATA, ORDER, PART_FIELDS, PART_METRICS, Pointer, why_not
from desk.programs.episode.blackboard import StockBoard
from desk.programs.episode.encoding import (
    OBSERVATION,
    PRICES,
    SCALES,
    Observation,
    empty_observation,
    encode,
    encode_after,
    mask_of,
)
from desk.programs.episode.wording import Topic
from tests.unit.programs.episode.builtin.test_stock_board import (
    ADVANCED,
    BASIC,
    DAY,
    FOUND,
    after,
    board,
    steps,
    take,
)


def same(one: Observation, other: Observation) -> bool:
    return set(one) == set(other) and all(np.array_equal(one[name], other[name]) for name in one)


def assert_in_space(observation: Observation) -> None:
    assert set(observation) == set(OBSERVATION)
    for name, (shape, low, high) in OBSERVATION.items():
        array = observation[name]
        assert array.dtype == np.float32
        assert array.shape == shape
        assert np.isfinite(array).all()
        assert array.min() >= low
        assert array.max() <= high


def place(observation: Observation, action: StockAction, metric: Metric) -> float | None:
    """A figure's number; None where it is not known."""
    name, at = PART_FIELDS[action], PART_METRICS[action].index(metric)
    number = float(observation[name][at])
    if observation[mask_of(name)][at] == 1:
        return number
    assert number == 0
    return None


def test_an_empty_blackboard_is_all_nothing_but_its_horizon() -> None:
    assert same(empty_observation(), encode(board()))
    assert same(empty_observation(weeks=26), encode(board(weeks=26)))
    assert [name for name, array in empty_observation().items() if array.any()] == ["horizon"]


def test_every_figure_has_a_scale_or_is_a_price_told_by_another() -> None:
    owned = {metric for metrics in PART_METRICS.values() for metric in metrics}
    assert set(SCALES) | set(PRICES) == owned
    assert set(PRICES) == {metric for metric in owned if UNITS[metric] is Unit.LEVEL}


def test_the_places_of_a_finished_episode_are_those_that_are_documented() -> None:
    seen = encode(after(*ORDER))
    basic, advanced = StockAction.RUN_TA_BASIC, StockAction.RUN_TA_ADVANCED
    tone = place(seen, StockAction.FETCH_SENTIMENT, Metric.NEWS_TONE)
    assert tone == pytest.approx(0.215)
    assert place(seen, basic, Metric.RSI) == pytest.approx(0.462)
    assert place(seen, basic, Metric.LAST) == 0
    assert place(seen, basic, Metric.YEAR_MOVE) == 1
    target = place(seen, advanced, Metric.TARGET)
    assert target == pytest.approx((129 / 121.79 - 1) / 0.5, abs=1e-6)
    gone = place(seen, StockAction.EVALUATE_PERFORMANCE, Metric.EXIT)
    assert gone == pytest.approx((128.2 / 121.79 - 1) / 0.5, abs=1e-6)
    assert place(seen, StockAction.EVALUATE_PERFORMANCE, Metric.RISK) is None
    assert seen["taken"] == pytest.approx(np.full(8, 1 / MOST_STEPS))


def test_insights_stand_at_their_topics_and_others_are_left_out() -> None:
    on = after(StockAction.FETCH_NEWS)
    on.write_insights(
        [
            Pointer(Topic.BANDS, Leaning.DOWN, 0.6, ()),
            Pointer(Topic.STRETCH, Leaning.NEUTRAL, 0.9, ()),
            Pointer("a model's own", Leaning.UP, 1.0, ()),
        ]
    )
    seen = encode(on)
    topics = list(Topic)
    assert seen["insights"][topics.index(Topic.BANDS)] == pytest.approx(-0.6)
    assert np.flatnonzero(seen["insights"]).tolist() == [topics.index(Topic.BANDS)]
    assert np.flatnonzero(seen["insights_known"]).tolist() == [
        topics.index(Topic.STRETCH),
        topics.index(Topic.BANDS),
    ]


def test_a_recommendation_is_one_of_four_with_its_confidence_and_probability() -> None:
    on = after(*ORDER[:-1])
    seen = encode(on)["recommendation"]
    chosen = on.recommendation
    assert chosen is not None
    assert chosen.action is Recommended.BUY
    assert seen[:4].tolist() == [1, 0, 0, 0]
    assert seen[4:] == pytest.approx([chosen.confidence, chosen.probability])


def test_without_a_last_price_other_prices_are_not_known_until_it_comes() -> None:
    on = after(StockAction.RUN_TA_ADVANCED)
    before = encode(on)
    assert place(before, StockAction.RUN_TA_ADVANCED, Metric.TARGET) is None
    assert place(before, StockAction.RUN_TA_ADVANCED, Metric.ADX) is not None
    take(on, StockAction.RUN_TA_BASIC)
    seen = encode_after(before, on, StockAction.RUN_TA_BASIC)
    assert place(seen, StockAction.RUN_TA_ADVANCED, Metric.TARGET) is not None
    assert same(seen, encode(on))


@pytest.mark.parametrize("ratio", [Decimal(10), Decimal("0.1"), Decimal(4)])
def test_a_split_changes_nothing(ratio: Decimal) -> None:
    def episode(times: Decimal) -> Observation:
        on = board()
        for action in DATA:
            found = FOUND[action]
            on.write_part(
                action, {m: v * times if m in PRICES else v for m, v in found.items()}, DAY
            )
        return encode(on)

    one, other = episode(Decimal(1)), episode(ratio)
    for name in one:
        assert other[name] == pytest.approx(one[name], abs=1e-6)


@pytest.mark.parametrize("extreme", [1e300, -1e300, 5e-324])
def test_what_is_beyond_all_bounds_is_clipped(extreme: float) -> None:
    on = board()
    on.write_part(StockAction.RUN_TA_BASIC, {**BASIC, Metric.LAST: extreme}, DAY)
    on.write_part(StockAction.RUN_TA_ADVANCED, dict.fromkeys(ADVANCED, extreme), DAY)
    assert_in_space(encode(on))


@given(steps())
def test_an_observation_kept_step_by_step_is_the_one_from_scratch(
    taken: list[tuple[StockAction, dict[Metric, Decimal]]],
) -> None:
    on, seen = board(), empty_observation()
    for action, found in taken:
        if why_not(on, action) is not None:
            continue
        before, kept = seen, {name: array.copy() for name, array in seen.items()}
        take(on, action, found)
        seen = encode_after(seen, on, action)
        assert_in_space(seen)
        assert same(seen, encode(on))
        assert same(before, kept)


def test_the_same_blackboard_is_seen_alike_however_it_came_about() -> None:
    on = after(*ORDER)
    assert same(encode(on), encode(StockBoard.read_back(on.snapshot())))
