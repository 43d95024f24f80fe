"""Which actions of a stock's episode make sense when, and what belongs to each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.units import UNITS
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import MOST_STEPS, Blackboard
from desk.programs.episode.actions import (
    DATA,
    ORDER,
    PART_FIELDS,
    PART_METRICS,
    sensible,
    why_not,
)
from tests.unit.programs.episode.builtin.test_stock_board import AS_OF, after

INSIGHT = StockAction.GENERATE_INSIGHT
RECOMMENDATION = StockAction.GENERATE_RECOMMENDATION
EVALUATION = StockAction.EVALUATE_PERFORMANCE


def told(*taken: StockAction) -> Blackboard:
    return Blackboard(symbol="NVDA", as_of=AS_OF, taken=taken)


def test_the_order_of_the_seed_has_every_action_once() -> None:
    assert sorted(ORDER) == sorted(StockAction)
    assert all(why_not(after(*ORDER[:n]), action) is None for n, action in enumerate(ORDER))


def test_every_action_writes_a_field_of_the_blackboard_and_every_figure_has_one_part() -> None:
    assert {PART_FIELDS[action] for action in StockAction} <= set(Blackboard.model_fields)
    owned = [metric for metrics in PART_METRICS.values() for metric in metrics]
    assert len(owned) == len(set(owned))
    assert set(owned) <= set(UNITS)


def test_nothing_but_fetching_makes_sense_at_the_start() -> None:
    possible = [action for action, fits in zip(StockAction, sensible(told()), strict=True) if fits]
    assert sorted(possible) == sorted(DATA)


@pytest.mark.parametrize("data", DATA)
def test_one_part_with_data_is_enough_for_an_insight(data: StockAction) -> None:
    assert why_not(told(), INSIGHT) is not None
    assert why_not(told(data), INSIGHT) is None


def test_a_recommendation_needs_insights_and_an_evaluation_a_recommendation() -> None:
    assert why_not(told(*DATA), RECOMMENDATION) is not None
    assert why_not(told(*DATA, INSIGHT), RECOMMENDATION) is None
    assert why_not(told(*DATA, INSIGHT), EVALUATION) is not None
    assert why_not(told(*DATA, INSIGHT, RECOMMENDATION), EVALUATION) is None


def test_everything_may_be_repeated_until_it_was_evaluated() -> None:
    taken = ORDER[:-1]
    assert all(why_not(told(*taken), action) is None for action in StockAction)
    assert not any(sensible(told(*taken, EVALUATION)))


def test_an_episode_ends_with_its_most_steps() -> None:
    assert not any(sensible(told(*[StockAction.FETCH_NEWS] * MOST_STEPS)))


@given(st.lists(st.sampled_from(StockAction), max_size=MOST_STEPS))
def test_what_makes_sense_is_what_nothing_speaks_against(taken: list[StockAction]) -> None:
    board = told(*taken)
    assert sensible(board) == tuple(why_not(board, action) is None for action in StockAction)
