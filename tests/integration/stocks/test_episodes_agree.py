"""An episode in the environment and the same actions through Temporal, with the project's own
servers and agents, come to the same blackboard after every step."""

import asyncio
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from desk.analytics.technical.series import close_known_from
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import Blackboard, Recommended
from desk.contracts.runs.episode import StockResult
from desk.platform.settings import DEFAULTS
from desk.platform.settings.desk_toml import read_desk_file
from desk.programs.episode.actions import ORDER
from desk.programs.episode.blackboard import StockBoard
from desk.programs.episode.encoding import Observation, encode
from desk.sources.analysis.generated import GENERATOR, SEED
from desk.training.charges import USUAL_CHARGES
from desk.training.company_figures import Facts
from desk.training.policies import ACTIONS
from desk.training.stock_env import StockResearchEnv
from desk.training.tables import stock_table
from desk.training.vector_env import StockResearchVectorEnv
from tests.support.processes.homes import PROJECT
from tests.support.processes.namespaces import Namespace
from tests.support.stocks.board import StockDesk, stock_desk

SYMBOLS: Final = ("NVDA", "TSLA", "^GSPC")
USUAL: Final = DEFAULTS / "desk.toml"
PRACTICE: Final = PROJECT / ".mcp.practice.json"
DRAWN_BY: Final = 1
"""The seed of those that are drawn, which would be that of the module's name otherwise."""

DRAWN: Final = 3
ENDED: Final = 0.8
A_WEEK: Final = 7 * 24
TECHNICAL: Final = (StockAction.RUN_TA_BASIC, StockAction.RUN_TA_ADVANCED)
ENDING: Final = (
    StockAction.GENERATE_INSIGHT,
    StockAction.GENERATE_RECOMMENDATION,
    StockAction.EVALUATE_PERFORMANCE,
)


class Drawn(NamedTuple):
    """An episode: of which stock, as of when, for how long, and what is done in it."""

    symbol: str
    as_of: datetime
    weeks: int
    actions: tuple[StockAction, ...]


class Step(NamedTuple):
    """What an episode had come to after a step."""

    action: StockAction
    refused: str | None
    reward: float
    board: Blackboard


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    """Any actions in any order, mostly with an ending somewhere after them; any instant of the
    week after a price, closed days and hours before the close included."""
    chance = draw(st.randoms(use_true_random=True))
    symbol = chance.choice(SYMBOLS)
    day = chance.choice(stock_table(symbol).days)
    as_of = close_known_from(day) + timedelta(hours=chance.randrange(A_WEEK))
    actions = chance.choices(ACTIONS, k=chance.randint(3, 7))
    if chance.random() < ENDED:
        actions = [*chance.sample(TECHNICAL, k=chance.randint(0, 2)), *actions]
        actions = [a for a in actions if a is not StockAction.EVALUATE_PERFORMANCE] + [*ENDING]
    return Drawn(symbol, as_of, chance.randint(1, 12), tuple(actions))


def chosen() -> tuple[Drawn, ...]:
    """A split within the horizon, nothing known but that there is no news, a sale, and no price at
    the horizon."""
    before_the_split = close_known_from(date(2024, 5, 24))
    last = close_known_from(stock_table("TSLA").days[-1])
    no_news = (StockAction.FETCH_NEWS, *ENDING)
    return (
        Drawn("NVDA", before_the_split, 4, ORDER),
        Drawn("NVDA", before_the_split, 4, no_news),
        Drawn("AMZN", close_known_from(date(2008, 10, 10)), 12, (*TECHNICAL, *ENDING)),
        Drawn("TSLA", last, 4, (*TECHNICAL, *ENDING)),
    )


def episodes() -> tuple[Drawn, ...]:
    """The chosen ones and drawn ones, the same every time."""
    found = list(chosen())

    @seed(DRAWN_BY)
    @settings(
        max_examples=DRAWN,
        derandomize=False,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(drawn())
    def keep(one: Drawn) -> None:
        found.append(one)

    keep()
    return tuple(found)


def in_the_environment(one: Drawn, facts: Facts = Facts.KNOWN) -> list[Step]:
    """The steps up to the end of the episode."""
    env = StockResearchEnv(symbols=[one.symbol], weeks=one.weeks, most_steps=30, facts=facts)
    env.reset(options={"symbol": one.symbol, "as_of": one.as_of})
    steps = []
    for action in one.actions:
        _, reward, over, _, told = env.step(ACTIONS.index(action))
        steps.append(Step(action, told.get("refused"), reward, env.board))
        if over:
            break
    return steps


def charged(one: Drawn, facts: Facts) -> float:
    """What an episode comes to in the environment after its charges."""
    env = StockResearchEnv(
        symbols=[one.symbol], weeks=one.weeks, most_steps=30, facts=facts, charges=USUAL_CHARGES
    )
    env.reset(options={"symbol": one.symbol, "as_of": one.as_of})
    rewards = []
    for action in one.actions:
        _, reward, over, _, _ = env.step(action)
        rewards.append(reward)
        if over:
            break
    return sum(rewards)


def side_by_side(one: Drawn, facts: Facts) -> list[tuple[Observation, float]]:
    """What the vectorised environment shows of the same episode after each step."""
    env = StockResearchVectorEnv(1, [one.symbol], one.weeks, most_steps=30, facts=facts)
    env.reset(options={"symbol": one.symbol, "as_of": one.as_of})
    told = []
    for action in one.actions:
        seen, rewards, over, _, info = env.step([action])
        shown = {name: values[0] for name, values in seen.items()}
        told.append((info["final_obs"][0] if over[0] else shown, float(rewards[0])))
        if over[0]:
            break
    return told


def encoded(steps: list[Step]) -> list[tuple[Observation, float]]:
    """What a learner is shown of the blackboards of an episode."""
    return [(encode(StockBoard.read_back(step.board)), step.reward) for step in steps]


def at_a_close(one: Drawn) -> bool:
    """Whether an episode begins with the close of a day, as those do that are side by side."""
    return one.as_of in {close_known_from(day) for day in stock_table(one.symbol).days}


def through_temporal(found: StockResult) -> list[Step]:
    return [Step(step.action, step.refused, float(step.reward), step.board) for step in found.steps]


async def ran(desk: StockDesk, one: Drawn) -> StockResult:
    return await desk.run_episode(
        one.symbol, one.as_of, one.actions, one.weeks, charges=read_desk_file(USUAL).charges
    )


@pytest.mark.parametrize("facts", Facts)
async def test_the_environment_and_the_workflow_come_to_the_same_blackboards(
    tmp_path: Path, namespace: Namespace, facts: Facts
) -> None:
    # Where facts come from does not change what an episode may do.
    every = episodes() if facts is Facts.KNOWN else chosen()[:1]
    sources = {"DESK_MCP_CONFIG": str(PRACTICE)} if facts is Facts.GENERATED else {}
    async with stock_desk(tmp_path, namespace, **sources) as desk:
        results = await asyncio.gather(*(ran(desk, one) for one in every))
    for one, found in zip(every, results, strict=True):
        assert through_temporal(found) == in_the_environment(one, facts), one
        assert found.board == found.steps[-1].board
        came_to = sum(step.reward - step.charge for step in found.steps)
        assert float(came_to) == pytest.approx(charged(one, facts))
        if at_a_close(one):
            np.testing.assert_equal(side_by_side(one, facts), encoded(through_temporal(found)))
    assert any(step.charge for found in results for step in found.steps)
    assert any(map(at_a_close, every))
    marked = {found.board.generated for found in results}
    by = f"{GENERATOR}, seed {SEED}" if facts is Facts.GENERATED else None
    assert by in marked
    assert marked <= {None, by}


def test_the_episodes_that_are_drawn_are_telling() -> None:
    """Among them are refused and repeated actions, episodes with and without a reward and an end,
    and every kind of recommendation."""
    played = [in_the_environment(one) for one in episodes()]
    steps = [step for one in played for step in one]
    evaluated = [one[-1].board.evaluation for one in played if one[-1].board.evaluation]
    assert {step.action for step in steps} == set(ACTIONS)
    assert sum(step.refused is not None for step in steps) >= 3
    assert any(len(set(one[-1].board.taken)) < len(one[-1].board.taken) for one in played)
    assert len(evaluated) < len(played)
    assert sum(bool(one.reward) for one in evaluated) >= 3
    assert any(one.reward is None for one in evaluated)
    assert {step.board.recommendation for step in steps} == {None, *Recommended}
