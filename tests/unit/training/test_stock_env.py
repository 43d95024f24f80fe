"""The stock episode as an environment: what an agent that learns in it can rely on."""

import importlib
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from desk.contracts.episode.actions import StockAction
from desk.contracts.findings.claims import Metric
from desk.platform.settings import DEFAULTS
from desk.platform.settings.desk_toml import read_desk_file
from desk.programs.episode.actions import ORDER
from desk.programs.episode.blackboard import StockBoard
from desk.programs.episode.encoding import encode
from desk.training.charges import USUAL_CHARGES
from desk.training.policies import ACTIONS
from desk.training.stock_days import with_a_horizon
from desk.training.stock_env import StockResearchEnv
from desk.training.tables import StockTable, stock_table

SYMBOLS = ("^GSPC", "TSLA")
DAY = date(2019, 6, 14)


@cache
def tables() -> dict[str, StockTable]:
    return {symbol: stock_table(symbol) for symbol in SYMBOLS}


def environment(**fields: Any) -> StockResearchEnv:
    return StockResearchEnv(tables=tables(), **fields)


def index(action: StockAction) -> int:
    return ACTIONS.index(action)


def taken(env: StockResearchEnv, actions: Sequence[StockAction]) -> list[Any]:
    return [env.step(index(action)) for action in actions]


def played(env: StockResearchEnv, seed: int, steps: int = 60) -> Iterator[tuple[Any, ...]]:
    """Steps by chance, makes no sense or not, over as many episodes as they are."""
    chance = np.random.default_rng(seed)
    yield env.reset(seed=seed)
    for _ in range(steps):
        told = env.step(int(chance.integers(len(ACTIONS))))
        yield told
        if told[2] or told[3]:
            yield env.reset()


def in_history(env: StockResearchEnv, **options: Any) -> dict[str, Any]:
    return env.reset(options={"symbol": "^GSPC", "as_of": DAY, **options})[1]


def test_gymnasium_finds_nothing_wrong_with_it() -> None:
    made = gymnasium.make("StockResearch-v0", tables=tables())
    assert isinstance(made.unwrapped, StockResearchEnv)
    # It raises on what is wrong and warns of what is doubtful, and a warning fails a test here.
    check_env(made.unwrapped)


def test_the_same_seed_draws_the_same_episodes() -> None:
    first, second = played(environment(), 7), played(environment(), 7)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_equal(one, other)


def test_environments_side_by_side_do_not_touch_each_other() -> None:
    alone = [np.array(told[0]["taken"]) for told in played(environment(), 3)]
    env, other = environment(), environment()
    beside = []
    for told, _ in zip(played(env, 3), played(other, 4), strict=False):
        beside.append(np.array(told[0]["taken"]))
    np.testing.assert_equal(beside, alone[: len(beside)])


def test_what_is_done_to_an_observation_changes_nothing() -> None:
    env = environment()
    in_history(env)
    seen = env.step(index(StockAction.RUN_TA_BASIC))[0]
    for values in seen.values():
        values[:] = -1
    env.action_masks()[:] = 0
    after = env.step(index(StockAction.FETCH_NEWS))[0]
    np.testing.assert_equal(after, encode(StockBoard.read_back(env.board)))
    assert env.action_masks().any()


def test_the_observation_is_the_blackboard_encoded() -> None:
    env = environment()
    in_history(env)
    for action in ORDER:
        seen = env.step(index(action))[0]
        np.testing.assert_equal(seen, encode(StockBoard.read_back(env.board)))
        assert seen in env.observation_space


def test_the_reward_comes_with_the_evaluation_and_is_the_evaluators() -> None:
    env = environment(weeks=8, cost=Decimal("0.25"))
    in_history(env)
    *before, last = taken(env, ORDER)
    assert [(reward, over) for _, reward, over, _, _ in before] == [(0.0, False)] * 7
    evaluation = env.board.evaluation
    assert evaluation is not None and evaluation.reward is not None
    assert last[1:4] == (float(evaluation.reward), True, False)
    assert evaluation.reward != 0


def test_an_action_that_makes_no_sense_yet_changes_nothing_and_says_why() -> None:
    env = environment()
    in_history(env)
    taken(env, [StockAction.FETCH_NEWS])
    before, seen = env.board, encode(StockBoard.read_back(env.board))
    after, reward, over, cut, told = env.step(index(StockAction.GENERATE_RECOMMENDATION))
    assert env.board == before
    np.testing.assert_equal(after, seen)
    assert (reward, over, cut) == (0.0, False, False)
    assert "no insights were generated" in told["refused"]


def test_the_mask_tells_what_makes_sense() -> None:
    env = environment()
    told = in_history(env)
    for action in ORDER:
        mask = told["action_mask"]
        np.testing.assert_array_equal(mask, env.action_masks())
        for other in ACTIONS:
            tried = environment()
            in_history(tried)
            taken(tried, env.board.taken)
            refused = "refused" in tried.step(index(other))[4]
            assert refused is not bool(mask[index(other)])
        told = env.step(index(action))[4]
    assert not told["action_mask"].any()


def test_an_episode_is_cut_off_after_so_many_steps_refused_ones_too() -> None:
    env = environment(most_steps=3)
    in_history(env)
    steps = taken(env, [StockAction.EVALUATE_PERFORMANCE] * 2 + [StockAction.FETCH_NEWS])
    assert [(over, cut) for _, _, over, cut, _ in steps] == [(False, False)] * 2 + [(False, True)]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_an_evaluation_in_the_last_step_ends_the_episode_and_does_not_cut_it_off() -> None:
    env = environment(most_steps=len(ORDER))
    in_history(env)
    assert taken(env, ORDER)[-1][2:4] == (True, False)


def test_an_evaluation_without_a_price_at_the_horizon_has_no_reward_and_says_so() -> None:
    env = environment()
    in_history(env, as_of=tables()["^GSPC"].days[-1])
    last = taken(env, ORDER)[-1]
    assert last[1:4] == (0.0, True, False)
    assert last[4]["without_reward"] is True
    assert env.board.evaluation is not None
    assert env.board.evaluation.reward is None
    assert Metric.REWARD in env.board.evaluation.lacking


def test_before_the_first_reset_there_is_no_episode() -> None:
    env = environment()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    with pytest.raises(gymnasium.error.ResetNeeded):
        _ = env.board


@pytest.mark.parametrize("action", [-1, len(ACTIONS)])
def test_what_is_no_action_is_told(action: int) -> None:
    env = environment()
    in_history(env)
    with pytest.raises(ValueError, match="an index from 0 to 7"):
        env.step(action)


@pytest.mark.parametrize(
    "as_of",
    [DAY, "2019-06-14", "2019-06-14T22:00:00+00:00", datetime(2019, 6, 14, 22, tzinfo=UTC)],
)
def test_a_day_stands_for_its_close(as_of: Any) -> None:
    env = environment()
    told = in_history(env, as_of=as_of)
    assert told["as_of"] == "2019-06-14T22:00:00+00:00"
    taken(env, [StockAction.RUN_TA_BASIC])
    part = env.board.ta_basic_data
    assert part is not None
    assert {figure.as_of for figure in part.figures} == {DAY}


def test_before_its_close_a_day_is_not_known() -> None:
    env = environment()
    in_history(env, as_of="2019-06-14T21:59:59+00:00")
    taken(env, [StockAction.RUN_TA_BASIC])
    part = env.board.ta_basic_data
    assert part is not None
    assert {figure.as_of for figure in part.figures} == {DAY - timedelta(days=1)}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"symbol": "GSPC"}, r"nearest: \^GSPC"),
        ({"symbol": 42}, "42 is no symbol of a stock; write one, such as 'NVDA'"),
        ({"symbol": ["TSLA"]}, "is no symbol of a stock"),
        ({"symbol": ""}, "no offline series of ''"),
        ({"symbol": "^GSPC", "as_of": "1990-01-02"}, "go from 2015-11-23 to 2020-11-20"),
        ({"symbol": "^GSPC", "as_of": "2031-01-02"}, "go from 2015-11-23 to 2020-11-20"),
        (
            {"as_of": "1990-01-02"},
            "none has prices as of 1990-01-02.*: \\^GSPC from 2015-11-23 to 2020-11-20",
        ),
        ({"as_of": "last Friday"}, "no day and no instant"),
        ({"as_of": "2019-06-14T10:00:00"}, "has no offset"),
        ({"as_of": 20190614}, "no day and no instant"),
        ({"stock": "^GSPC"}, "there is no option 'stock'"),
    ],
)
def test_options_that_ask_for_what_there_is_not_are_told(
    options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        environment().reset(options=options)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"symbols": ["NVDI"]}, "NVDA"),
        ({"symbols": "NVDI"}, "no offline series of 'NVDI'; nearest: NVDA"),
        ({"symbols": [42]}, "42 is no symbol of a stock"),
        ({"symbols": 42}, "42 is no symbol of a stock"),
        ({"first": date(2031, 1, 1)}, "no day of"),
        ({"first": date(2031, 1, 1), "weeks": 1}, "has a week after it"),
        ({"weeks": 0}, "weeks are 1 to 52"),
        ({"cost": Decimal(-1)}, "a cost 0 to 10"),
        ({"most_steps": 31}, "1 to 30 steps"),
    ],
)
def test_an_environment_that_cannot_be_is_told(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        environment(**fields)


@pytest.mark.parametrize("symbols", ["TSLA", " tsla ", ["tsla"], ("TSLA", "tsla")])
def test_a_symbol_is_read_as_the_command_reads_it(symbols: Any) -> None:
    env = environment(symbols=symbols)
    assert {env.reset(seed=seed)[1]["symbol"] for seed in range(5)} == {"TSLA"}
    assert in_history(env, symbol=" ^gspc")["symbol"] == "^GSPC"


def test_drawn_days_lie_between_the_two_with_their_horizons() -> None:
    first, last = date(2018, 1, 1), date(2018, 6, 30)
    env = environment(first=first, last=last)
    drawn = []
    for seed in range(50):
        as_of = datetime.fromisoformat(env.reset(seed=seed)[1]["as_of"])
        drawn.append(as_of.date())
    assert first <= min(drawn) and max(drawn) + timedelta(weeks=4) <= last
    assert len(set(drawn)) > 20


def test_what_is_not_given_is_drawn() -> None:
    env = environment()
    assert {env.reset(seed=s)[1]["symbol"] for s in range(20)} == set(SYMBOLS)
    days = {env.reset(options={"symbol": "TSLA"})[1]["as_of"][:4] for _ in range(20)}
    assert days <= {"2021", "2022"}
    assert env.reset(options={"as_of": "2021-06-14"})[1]["symbol"] == "TSLA"


def test_a_drawn_day_has_a_price_soon_after_it_and_one_at_its_horizon() -> None:
    days = [date(2020, 1, day) for day in (1, 2, 3, 6, 7, 8)]
    days += [date(2020, 3, day) for day in range(2, 31)]
    found = [days[at] for at in with_a_horizon(days, weeks=1)]
    assert found[:2] == [date(2020, 1, 1), date(2020, 1, 2)]
    assert date(2020, 1, 8) not in found
    assert found[-1] == date(2020, 3, 23)


def test_no_day_is_drawn_whose_horizon_the_prices_are_cut_off_from() -> None:
    days = [date(2020, 1, day) for day in (1, 2, 3, 6, 7, 8)]
    days += [date(2020, 3, day) for day in range(2, 31)]
    found = [days[at] for at in with_a_horizon(days, weeks=2)]
    assert found[:2] == [date(2020, 1, 1), date(2020, 3, 2)]


def together(count: int = 2) -> list[Any]:
    return [lambda: StockResearchEnv(symbols=["TSLA"]) for _ in range(count)]


def test_many_are_stepped_together_as_each_alone() -> None:
    many = SyncVectorEnv(together())
    seen, told = many.reset(seed=[1, 2])
    alone = [environment(symbols=["TSLA"]) for _ in range(2)]
    for place, env in enumerate(alone):
        assert env.reset(seed=place + 1)[1]["as_of"] == told["as_of"][place]
    for action in ORDER:
        seen, rewards, *_ = many.step([index(action)] * 2)
        for place, env in enumerate(alone):
            own, reward, *_ = env.step(index(action))
            assert reward == rewards[place]
            np.testing.assert_array_equal(own["taken"], seen["taken"][place])
    many.close()


def test_many_are_stepped_in_processes_of_their_own() -> None:
    here, there = SyncVectorEnv(together(1)), AsyncVectorEnv(together(1), context="forkserver")
    try:
        np.testing.assert_equal(there.reset(seed=5)[0], here.reset(seed=5)[0])
        for action in ORDER:
            np.testing.assert_equal(there.step([index(action)])[:4], here.step([index(action)])[:4])
    finally:
        there.close()
        here.close()


def test_without_gymnasium_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "desk.training.stock_env")
    with pytest.raises(ModuleNotFoundError, match="make install-episodes"):
        importlib.import_module("desk.training.stock_env")


def test_the_usual_charges_are_those_of_the_usual_configuration() -> None:
    configured = read_desk_file(DEFAULTS / "desk.toml").charges
    assert {name: float(charge) for name, charge in configured.items()} == dict(USUAL_CHARGES)
