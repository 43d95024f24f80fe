"""The plan of a swarm's round: how much an objective needs, and who does what."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.agents.roster import profile_of
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.runs.turns import StateEntry
from desk.contracts.swarm.plan import Complexity, SwarmPlan
from desk.programs.swarm.builtin.plan import BOUNDS, Ground, plan_swarm
from desk.programs.swarm.objectives import FORMS
from desk.programs.swarm.tasks import SPECIALISTS, SPECIALITIES
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
    form: str = "",
) -> SwarmPlan:
    ground = Ground(objective, markets or (YEN,), TOOLS, complexity, state, FORMS.get(form))
    return plan_swarm("swarm/plan", ground)


def who(planned: SwarmPlan) -> list[tuple[str, str]]:
    return [(each.name, each.market.market) for each in planned.subagents]


def test_a_form_is_researched_by_those_who_have_its_figures() -> None:
    assert who(plan("?", form="overbought")) == [("technical", "USD/JPY")]
    assert who(plan("?", YEN, EURO, form="carry")) == [
        ("fundamental", "USD/JPY"),
        ("fundamental_2", "EUR/USD"),
    ]
    asked = {tool.tool for tool in plan("?", form="cheap").subagents[0].tools}
    assert "standing" in asked


def test_a_form_is_researched_by_more_where_more_is_asked_for() -> None:
    planned = plan("?", form="overbought", complexity=Complexity.COMPLEX)
    assert planned.subagents[0].name == "technical"
    assert len(planned.subagents) == BOUNDS[Complexity.COMPLEX].least


def test_an_outlook_is_researched_by_every_specialist() -> None:
    assert {each.agent for each in plan("?", form="lower-ahead").subagents} == set(SPECIALISTS)


def test_a_form_that_holds_markets_against_each_other_tells_who_is_beside() -> None:
    planned = plan("?", YEN, EURO, form="correlated")
    assert [each.beside for each in planned.subagents] == [("EUR/USD",), ("USD/JPY",)]


def test_without_a_form_one_market_gets_three_specialists_and_two_get_more() -> None:
    assert plan("What would tariffs do?").complexity is Complexity.MODERATE
    assert plan("What would tariffs do?", YEN, EURO).complexity is Complexity.COMPLEX


def test_without_a_form_whose_work_has_the_nearest_one_s_figures_goes_first() -> None:
    near = Ground("the season?", (YEN,), TOOLS, nearest=(FORMS["seasonal"],))
    assert who(plan_swarm("swarm/plan", near))[0] == ("pattern", "USD/JPY")


@pytest.mark.parametrize(
    "words", ["the news of it", "carry, carry, carry", "a chart with headlines"]
)
def test_no_word_of_an_objective_chooses_who_works_on_it(words: str) -> None:
    assert who(plan(words)) == who(plan("?"))


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

    pair, stock = (
        tools(plan("outlook", YEN, complexity=Complexity.COMPLEX)),
        tools(plan("outlook", NVIDIA, complexity=Complexity.COMPLEX)),
    )
    assert "pattern_detector" in stock["technical"] - pair["technical"]
    assert "get_policy_rate" in pair["fundamental"] - stock["fundamental"]
    assert {"earnings_analyzer", "company_fundamentals"} <= stock["fundamental"]
    assert not {"earnings_analyzer", "company_fundamentals"} & pair["fundamental"]


def test_policy_rates_are_the_work_of_one_specialist() -> None:
    together = plan("the market conditions", YEN, complexity=Complexity.COMPLEX)
    having = [s.name for s in together.subagents if "get_policy_rate" in {t.tool for t in s.tools}]
    assert having == ["fundamental"]
    (alone,) = plan("?", form="gained").subagents
    assert "get_policy_rate" in {tool.tool for tool in alone.tools}


def test_a_company_s_objectives_speak_of_a_company() -> None:
    planned = plan("?", NVIDIA, form="earnings-beat")
    assert "earnings" in planned.subagents[0].objective
    assert not any("policy rate" in s.objective + s.boundaries for s in planned.subagents)


def test_a_plan_without_a_market_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a market"):
        plan_swarm("swarm/plan", Ground("anything", (), TOOLS))


def test_every_speciality_has_a_task_of_its_own() -> None:
    assert set(SPECIALITIES) == set(SPECIALISTS)
    assert len({each.name for each in SPECIALITIES.values()}) == len(SPECIALITIES)
