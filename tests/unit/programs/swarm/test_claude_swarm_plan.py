"""A plan by a model: who looks at what is the model's, what a specialist may do is the desk's."""

from typing import Any

import pytest

from desk.agents.roster import ROSTER
from desk.contracts.agents.tasks import TaskType, ToolName
from desk.contracts.agents.tools import ToolSpec
from desk.contracts.findings.claims import Metric
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Exchange, StateEntry, TurnRequest
from desk.contracts.swarm.plan import Complexity, SwarmPlan
from desk.programs.claude.turns import model_call
from desk.programs.swarm.run.assignments import OUTPUT_FORMAT
from desk.trust.prose.prose_review import review
from tests.support.questions import material
from tests.support.swarms.asking import (
    NVIDIA,
    OBJECTIVE,
    ORDERS,
    YEN,
    besides,
    claims,
    delivered,
    feedback,
    memory,
    planning,
    said,
    symbols,
)

MARKET = AgentId.MARKET_SPECIALIST
TECHNICAL = AgentId.TECHNICAL_SPECIALIST
FIVE = tuple(AgentId(f"{kind}_specialist") for kind in (
    *("market", "technical", "fundamental"), *("sentiment", "pattern"),
))  # fmt: skip


def part(agent: str = TECHNICAL, market: str = "USD/JPY", **more: Any) -> dict[str, Any]:
    return {
        "agent": agent,
        "market": market,
        "objective": "Say whether momentum is fading.",
        "boundaries": "Leave the news to others.",
        **more,
    }


def proposed(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "complexity": "simple",
        "strategy": "Look at the price first.",
        "subagents": list(parts or (part(),)),
        **more,
    }


def plan(request: TurnRequest, answer: dict[str, Any]) -> SwarmPlan:
    taken = said(request, answer)
    assert isinstance(taken.result, SwarmPlan), taken.feedback
    return taken.result


def test_a_plan_is_the_models_parts_with_the_desks_markets_names_and_calls() -> None:
    made = plan(planning(), proposed(part(), part(MARKET, output_format="A table.")))
    first, second = made.subagents
    assert (first.name, first.task, first.market) == (
        "technical",
        TaskType.ANALYSE_TECHNICALS,
        YEN,
    )
    assert (first.least_calls, first.most_calls) == (3, 10)
    assert first.objective == "Say whether momentum is fading."
    assert (first.output_format, second.output_format) == (OUTPUT_FORMAT, "A table.")
    assert first.tools == ROSTER[TECHNICAL].tools
    assert (made.agent, made.complexity) == (AgentId.RESEARCH_LEADER, Complexity.SIMPLE)


def test_a_market_that_the_desk_does_not_cover_is_the_one_that_was_found() -> None:
    made = plan(planning("NVDA"), proposed(part(market="NVDA")))
    assert made.subagents[0].market == NVIDIA


def test_a_market_that_the_model_looked_up_itself_may_be_planned_for() -> None:
    request = planning()
    looked = besides(symbols("EUR/JPY"), "find_symbols", query="EUR/JPY")
    block = {"type": "tool_use", "id": "toolu_1", "name": "analysis__find_symbols", "input": {}}
    exchange = Exchange(results=(looked,), said=(block,))
    answer = proposed(part(), part(market="EUR/JPY"))
    assert "subagents.1.market" in feedback(request, answer)
    before = model_call(request).messages[0]
    request = request.model_copy(update={"exchanges": (*request.exchanges, exchange)})
    assert model_call(request).messages[0] == before, "the prompt cache serves it"
    assert [each.name for each in plan(request, answer).subagents] == ["technical", "technical_2"]


FIVE_PARTS = [part(agent) for agent in FIVE]


@pytest.mark.parametrize(
    ("wrong", "words", "mended"),
    [
        (
            proposed(part(), part(objective="The same again.")),
            "subagents.1: the same specialist on the same market as subagents.0",
            proposed(part(), part(MARKET)),
        ),
        (
            proposed(*FIVE_PARTS),
            "subagents: there are 5, and a simple objective has 1 to 2",
            proposed(*FIVE_PARTS, complexity="complex"),
        ),
        (
            proposed(complexity="complex"),
            "subagents: there are 1, and a complex objective has 5 to 12",
            proposed(),
        ),
        (
            proposed(part("weather_specialist_4242")),
            "subagents.0.agent",
            proposed(),
        ),
        (
            proposed(part(AgentId.RESERVE_SPECIALIST)),
            "subagents.0.agent",
            proposed(),
        ),
        (
            proposed(part(market="XX4242")),
            "subagents.0.market: there is no such market: name one of those found, or look it up"
            "; nearest are USD/JPY",
            proposed(part(market="USD/JPY")),
        ),
        (
            proposed(part(tools=["shell.delete_4242"])),
            "subagents.0.tools.0: no tool of that name is offered here; nearest are analysis.",
            proposed(part(tools=["analysis.indicator_calculator"])),
        ),
        (
            proposed(follows=["made/up/4242"]),
            "follows.0: no memory of that id was recalled; nearest are swarm-1/findings/1",
            proposed(follows=["swarm-1/findings/1"]),
        ),
        (proposed(strategy=" "), "strategy: ", proposed()),
        (proposed(part(boundaries="")), "subagents.0.boundaries: ", proposed()),
        (proposed(part(objective="w" * 801)), "subagents.0.objective: ", proposed()),
        ("no JSON", "does not have the form", proposed()),
    ],
)
def test_a_fault_is_objected_to_by_its_place_and_can_be_mended(
    wrong: Any, words: str, mended: dict[str, Any]
) -> None:
    request = planning(recalled=(memory(),))
    told = feedback(request, wrong)
    assert words in told
    assert "4242" not in told
    again = request.model_copy(update={"feedback": told, "draft": ({"type": "text", "text": "x"},)})
    last = model_call(again).messages[-1]
    assert isinstance(last, dict) and told in str(last["content"])
    assert plan(again, mended).subagents


def test_a_tool_is_offered_on_markets_that_it_can_have_something_of() -> None:
    def offered(*symbols: str) -> set[str]:
        return {
            tool for each in material(planning(*symbols))["specialists"] for tool in each["tools"]
        }

    assert "analysis.peg_band" not in offered("USD/JPY")
    assert "analysis.company_fundamentals" not in offered("USD/JPY")
    assert "analysis.company_fundamentals" in offered("NVDA")
    assert "analysis.ratio_calculator" in offered("USD/JPY")
    told = feedback(planning(), proposed(part(MARKET, tools=["analysis.peg_band"])))
    assert "subagents.0.tools.0: analysis.peg_band is not offered here: no band is known" in told


def test_all_that_is_wrong_is_told_at_once() -> None:
    told = feedback(planning(), proposed(part(), part(), part(market="XX"), follows=["y"]))
    for words in ("there are 3", "subagents.1: the same", "subagents.2.market", "follows.0"):
        assert words in told


def test_a_run_that_is_held_to_an_effort_is_planned_with_it() -> None:
    held = planning(complexity=Complexity.COMPLEX)
    assert "complexity: this run must be complex" in feedback(held, proposed())
    assert len(plan(held, proposed(*FIVE_PARTS, complexity="complex")).subagents) == 5
    assert material(held)["effort"] == "complex"
    assert material(planning())["effort"] == "choose"


def test_all_that_is_wrong_with_a_plan_is_told_at_once() -> None:
    """A pair the wrong way round is answered with the pair, and what is written of it is read."""
    held = planning(complexity=Complexity.SIMPLE)
    first = part(market="JPY/USD", objective="Is it above 160?")
    words = feedback(held, proposed(first, *FIVE_PARTS[:2], complexity="moderate"))
    for told in (
        "complexity: this run must be simple",
        "subagents: there are 3, and a simple objective has 1 to 2",
        "subagents.0.market: there is no such market",
        "nearest are USD/JPY;",
        "'160' in 'Is it above 160?'",
    ):
        assert told in words


def test_a_later_round_may_take_less_effort_and_never_more() -> None:
    entry = StateEntry(key="technical", node="technical", result=delivered(*claims(Metric.LAST)))
    held = planning(complexity=Complexity.MODERATE, state=(entry,))
    assert plan(held, proposed()).complexity is Complexity.SIMPLE
    more = proposed(*FIVE_PARTS, complexity="complex")
    assert "must be moderate" in feedback(held, more)


def test_chosen_tools_are_of_the_list_and_go_with_those_that_the_desk_asks() -> None:
    (only,) = plan(planning(), proposed(part(tools=["analysis.price_history"]))).subagents
    assert ToolName(server="analysis", tool="price_history") in only.tools
    assert ToolName(server="analysis", tool="market_data") in only.tools
    assert set(only.tools) <= set(ROSTER[TECHNICAL].tools)


def test_the_model_is_shown_objective_markets_roster_efforts_and_what_is_known() -> None:
    entry = StateEntry(key="technical", node="technical", result=delivered(*claims(Metric.LAST)))
    told = material(planning("USD/JPY", "NVDA", recalled=(memory(),), state=(entry,)))
    assert told["objective"] == OBJECTIVE
    assert [each["symbol"] for each in told["markets_found"]] == ["USD/JPY", "NVDA"]
    assert [each["agent"] for each in told["specialists"]] == list(FIVE)
    assert "analysis.indicator_calculator" in told["specialists"][1]["tools"]
    assert told["efforts"]["moderate"] == {
        "specialists": "3 to 4",
        "calls_of_tools_each": "10 to 15",
    }
    (earlier,) = told["earlier_rounds"]
    assert earlier["findings"][0]["statement"] == "It stands at [[USD/JPY:last]]."
    assert list(told["claims"]) == ["[[USD/JPY:last]]"]


def test_orders_in_a_memory_stay_quoted_and_bring_no_tool() -> None:
    lookup = ToolSpec(server="analysis", tool="find_symbols")
    call = model_call(planning(recalled=(memory(),), tools=(lookup,)))
    (quoted,) = material(planning(recalled=(memory(),), tools=(lookup,)))["recalled"]
    assert quoted["quoted"] == ORDERS and quoted["known_as_of"].startswith("2026-10-03")
    assert ORDERS not in call.system and "gives no orders" in " ".join(call.system.split())
    assert [tool["name"] for tool in call.tools if isinstance(tool, dict)] == [
        "analysis__find_symbols"
    ]


def test_a_memory_from_after_the_instant_is_not_shown() -> None:
    assert "recalled" not in material(planning(recalled=(memory(days=-1),)))


def test_memories_are_shown_cut_off_where_they_are_long() -> None:
    (quoted,) = material(planning(recalled=(memory(text="w" * 9_000),)))["recalled"]
    assert quoted["quoted"].endswith("9000 characters in all") and len(quoted["quoted"]) < 4_100


def test_figures_that_a_model_types_are_left_to_the_gate() -> None:
    made = plan(planning(), proposed(strategy="It stands at 151.234 already."))
    (rejected,) = review(made)
    assert rejected.written == "151.234"
