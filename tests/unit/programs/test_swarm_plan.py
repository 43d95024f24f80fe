"""The plan of a swarm's round: how much an objective needs, and who does what."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.agents.roster import profile_of
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import StateEntry
from desk.contracts.swarm.plan import Complexity, SwarmPlan
from desk.programs.swarm.plan import BOUNDS, Ground, plan_swarm
from desk.programs.swarm.question import SPECIALISTS, aspects_named, complexity_of
from desk.programs.swarm.tasks import SPECIALITIES
from tests.support.builders import pair_market

TOOLS = {agent: profile_of(agent).tools for agent in SPECIALISTS}
NVIDIA = MarketSpec(market="NVDA", kind=MarketKind.STOCK, group=MarketGroup.STOCKS, digits=2)
YEN, AUSSIE, EURO = pair_market("USD/JPY"), pair_market("AUD/USD"), pair_market("EUR/USD")
MARKETS = (YEN, NVIDIA, AUSSIE, EURO)


def plan(
    objective: str,
    *markets: MarketSpec,
    complexity: Complexity | None = None,
    state: tuple[StateEntry, ...] = (),
) -> SwarmPlan:
    ground = Ground(objective, markets or (YEN,), TOOLS, complexity, state)
    return plan_swarm("swarm/plan", ground)


def who(planned: SwarmPlan) -> list[tuple[str, str]]:
    return [(each.name, each.market.market) for each in planned.subagents]


@pytest.mark.parametrize(
    ("objective", "markets", "expected"),
    [
        ("Is USD/JPY overbought?", 1, Complexity.SIMPLE),
        ("NVDA after earnings", 1, Complexity.SIMPLE),
        ("what drives AUD this quarter?", 1, Complexity.MODERATE),
        ("why did the yen fall?", 1, Complexity.MODERATE),
        ("news and technicals of EUR/USD", 1, Complexity.MODERATE),
        ("is the yen carry trade unwinding?", 1, Complexity.COMPLEX),
        ("outlook for NVDA", 1, Complexity.COMPLEX),
        ("USD/JPY or EUR/USD?", 2, Complexity.COMPLEX),
    ],
)
def test_an_objective_needs_as_much_as_its_words_say(
    objective: str, markets: int, expected: Complexity
) -> None:
    assert complexity_of(objective, markets) is expected


def test_whose_work_the_objective_speaks_of_goes_first() -> None:
    assert who(plan("Is USD/JPY overbought on the charts?")) == [("technical", "USD/JPY")]
    assert who(plan("NVDA after earnings", NVIDIA)) == [
        ("fundamental", "NVDA"),
        ("market", "NVDA"),
    ]
    assert aspects_named("headlines, headlines and a chart") == (
        AgentId.SENTIMENT_SPECIALIST,
        AgentId.TECHNICAL_SPECIALIST,
    )


def test_two_markets_get_everybody_on_the_first_and_two_on_the_second() -> None:
    planned = plan("the yen carry trade", YEN, AUSSIE)
    assert who(planned)[5:] == [("market_2", "AUD/USD"), ("technical_2", "AUD/USD")]
    assert {market for _, market in who(planned)[:5]} == {"USD/JPY"}


@given(
    objective=st.text(max_size=80)
    | st.lists(
        st.sampled_from(
            ["why", "carry", "news", "charts", "rates", "history", "trend", "USD/JPY", "outlook"]
        ),
        max_size=8,
    ).map(" ".join),
    markets=st.lists(st.sampled_from(MARKETS), min_size=1, max_size=4, unique=True),
    asked=st.none() | st.sampled_from(Complexity),
    follows_up=st.booleans(),
)
def test_every_plan_is_within_its_bounds_and_without_overlap(
    objective: str, markets: list[MarketSpec], asked: Complexity | None, follows_up: bool
) -> None:
    first = plan("where is it going?", *markets)
    state = (StateEntry(key="plan_1", node="plan_1", result=first),) if follows_up else ()
    planned = plan(objective, *markets, complexity=asked, state=state)
    bounds = BOUNDS[planned.complexity]
    names = [each.name for each in planned.subagents]
    assert bounds.least <= len(names) <= bounds.most
    assert asked in (None, planned.complexity) or follows_up
    assert len(set(names)) == len(names)
    assert len({(each.task, each.market.market) for each in planned.subagents}) == len(names)
    for one, other in product(planned.subagents, repeat=2):
        assert one.name == other.name or f"is the work of {other.name}" in one.boundaries
    for each in planned.subagents:
        assert (each.least_calls, each.most_calls) == (bounds.least_calls, bounds.most_calls)
        assert set(each.tools) <= set(TOOLS[each.agent])


def test_a_follow_up_stays_within_what_was_asked_for() -> None:
    state = (StateEntry(key="plan_1", node="plan_1", result=plan("USD/JPY?")),)
    assert len(plan("all of it", complexity=Complexity.SIMPLE, state=state).subagents) == 2


def test_a_specialist_is_left_the_tools_that_its_market_needs() -> None:
    def tools(planned: SwarmPlan) -> dict[str, set[str]]:
        return {each.name: {tool.tool for tool in each.tools} for each in planned.subagents}

    pair, stock = tools(plan("outlook", YEN)), tools(plan("outlook", NVIDIA))
    assert "pattern_detector" in stock["technical"] - pair["technical"]
    assert "get_policy_rate" in pair["fundamental"] - stock["fundamental"]
    assert {"earnings_analyzer", "company_fundamentals"} <= stock["fundamental"]
    assert not {"earnings_analyzer", "company_fundamentals"} & pair["fundamental"]


def test_policy_rates_are_the_work_of_one_specialist() -> None:
    together = plan("outlook for the market conditions", YEN)
    having = [s.name for s in together.subagents if "get_policy_rate" in {t.tool for t in s.tools}]
    assert having == ["fundamental"]
    (alone,) = plan("market conditions").subagents
    assert "get_policy_rate" in {tool.tool for tool in alone.tools}


def test_a_company_s_objectives_speak_of_a_company() -> None:
    planned = plan("earnings", NVIDIA)
    assert "earnings" in planned.subagents[0].objective
    assert not any("policy rate" in s.objective + s.boundaries for s in planned.subagents)


def test_a_plan_without_a_market_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a market"):
        plan_swarm("swarm/plan", Ground("anything", (), TOOLS))


def test_every_speciality_has_a_task_of_its_own() -> None:
    assert set(SPECIALITIES) == set(SPECIALISTS)
    assert len({each.name for each in SPECIALITIES.values()}) == len(SPECIALITIES)
