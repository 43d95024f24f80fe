"""Episodes side by side: each is the episode of the single environment, and faster."""

from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any

import gymnasium
import numpy as np
import pytest

import desk.training
from desk.contracts.episode.actions import StockAction
from desk.programs.episode.actions import ORDER, PART_METRICS
from desk.programs.episode.encoding import encode_figures, figure_rows
from desk.training.charges import USUAL_CHARGES
from desk.training.company_figures import Facts
from desk.training.policies import ACTIONS, UnknownAction
from desk.training.stock_env import StockResearchEnv
from desk.training.tables import StockTable, stock_table
from desk.training.vector_env import StockResearchVectorEnv

SYMBOLS = ("TSLA", "FB", "NFLX")
NUMBER = 12
USUAL = [ACTIONS.index(action) for action in ORDER]


@cache
def tables() -> Mapping[str, StockTable]:
    return {symbol: stock_table(symbol, facts=Facts.GENERATED) for symbol in SYMBOLS}


def side_by_side(number: int = NUMBER, **fields: Any) -> StockResearchVectorEnv:
    return StockResearchVectorEnv(number, tables=tables(), **fields)


def alone(**fields: Any) -> StockResearchEnv:
    return StockResearchEnv(tables=tables(), **fields)


def one(seen: Mapping[str, Any], place: int) -> dict[str, Any]:
    return {name: values[place] for name, values in seen.items()}


def test_each_is_the_episode_of_the_single_environment() -> None:
    """Actions by chance, those that make no sense among them, over many episodes: observations,
    rewards, ends, masks and refusals are the same to the last bit."""
    chance = np.random.default_rng(0)
    fields: dict[str, Any] = {"charges": USUAL_CHARGES, "most_steps": 9, "weeks": 2}
    envs, singles = side_by_side(**fields), [alone(**fields) for _ in range(NUMBER)]

    def begun(place: int) -> dict[str, Any]:
        symbol, day = envs.episodes[place]
        return singles[place].reset(options={"symbol": symbol, "as_of": day})[0]

    seen, _ = envs.reset(seed=0)
    for place in range(NUMBER):
        np.testing.assert_equal(begun(place), one(seen, place))
    ended = refused = 0
    for _ in range(90):
        usual = chance.random(NUMBER) < 0.6
        counts = np.round(seen["taken"] * 30).sum(axis=1).astype(int) % len(ORDER)
        drawn = chance.integers(len(ACTIONS), size=NUMBER)
        actions = np.where(usual, np.array(USUAL)[counts], drawn)
        seen, rewards, terminated, truncated, info = envs.step(actions)
        for place, single in enumerate(singles):
            told = single.step(int(actions[place]))
            over = bool(told[2] or told[3])
            last = info["final_obs"][place] if over else one(seen, place)
            np.testing.assert_equal(told[0], last)
            assert told[1:4] == (rewards[place], terminated[place], truncated[place])
            assert told[4].get("refused") == info.get("refused", {place: None})[place]
            without = info.get("without_reward", np.zeros(NUMBER, bool))[place]
            assert told[4].get("without_reward", False) == without
            refused += "refused" in told[4]
            ended += bool(told[2])
            if over:
                np.testing.assert_equal(begun(place), one(seen, place))
            np.testing.assert_equal(single.action_masks(), info["action_mask"][place])
    assert ended >= 20
    assert refused >= 20


@pytest.mark.parametrize("action", [a for a in PART_METRICS if a in USUAL_CHARGES])
def test_rows_are_encoded_as_single_figures_are(action: StockAction) -> None:
    table = tables()["TSLA"]
    basic = table.rows(StockAction.RUN_TA_BASIC)
    numbers, known = figure_rows(action, table.rows(action), basic[:, 0])
    for at in range(0, len(table.days), 29):
        values = {**table.values(StockAction.RUN_TA_BASIC, at), **table.values(action, at)}
        np.testing.assert_equal(
            [*encode_figures(values, action).values()], [numbers[at], known[at]]
        )


def test_actions_are_told_by_name_as_well() -> None:
    named, numbered, mixed = side_by_side(), side_by_side(), alone()
    day = {"symbol": "TSLA", "as_of": date(2021, 8, 6)}
    for env in (named, numbered):
        env.reset(options=day)
    mixed.reset(options=day)
    for place, action in enumerate(ORDER):
        one_way = named.step([action.lower().replace("_", "-")] * NUMBER)
        other = numbered.step(np.full(NUMBER, ACTIONS.index(action)))
        np.testing.assert_equal(one_way[1], other[1])
        told = mixed.step(action if place % 2 else ACTIONS.index(action))
        assert told[1] == one_way[1][0]
    assert mixed.board.generated == "desk facts of companies, version 4, seed 2026"


@pytest.mark.parametrize("given", ["FETCH_NEW", 8, -1, 1.5, None])
def test_what_is_no_action_is_told_with_all_that_are(given: Any) -> None:
    single, envs = alone(), side_by_side(1)
    single.reset()
    envs.reset()
    words = "0 to 7, or a name: FETCH_NEWS, FETCH_FUND"
    with pytest.raises(UnknownAction, match=words):
        single.step(given)
    with pytest.raises(UnknownAction, match=words):
        envs.step([given])


def test_research_is_charged_and_a_refusal_is_not() -> None:
    env = alone(charges={"FETCH_NEWS": 0.25})
    env.reset(seed=1)
    assert env.step("GENERATE_INSIGHT")[1] == 0
    assert env.step("FETCH_NEWS")[1] == -0.25
    assert env.step("FETCH_NEWS")[1] == -0.25
    assert env.step("RUN_TA_BASIC")[1] == 0


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"charges": {"FETCH_NEW": 1}}, "is no action"),
        ({"charges": {"FETCH_NEWS": -1}}, "a charge is 0 to 10 units of the reward"),
        ({"facts": "invented"}, "invented"),
        ({"weeks": 0}, "weeks are 1 to 52"),
    ],
)
def test_environments_that_cannot_be_are_told(fields: dict[str, Any], words: str) -> None:
    for make in (side_by_side, alone):
        with pytest.raises(ValueError, match=words):
            make(**fields)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"symbol": "TSLA", "as_of": "2021-08-07"}, "such as 2021-08-06"),
        ({"symbol": "TSLA", "as_of": "1999-01-04"}, "TSLA go from 2021-03-"),
        ({"symbol": "IBM", "as_of": "2021-08-06"}, "is not among TSLA, FB, NFLX"),
        ({"symbol": "TSLA"}, "symbol and as_of, both"),
    ],
)
def test_days_that_there_are_not_are_told(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        side_by_side().reset(options=options)


def test_the_registered_environment_has_generated_facts_and_charges() -> None:
    assert desk.training.__doc__
    made = gymnasium.make_vec("StockPractice-v0", num_envs=3, tables=tables())
    assert isinstance(made, StockResearchVectorEnv)
    made.reset(seed=2)
    rewards = made.step(["FETCH_FUNDAMENTALS"] * 3)[1]
    assert list(rewards) == [-USUAL_CHARGES[StockAction.FETCH_FUNDAMENTALS]] * 3
    old = gymnasium.make("StockResearch-v0", tables=tables())
    old.reset(seed=2)
    assert old.step(0)[1] == 0
