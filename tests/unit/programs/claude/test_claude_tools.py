"""Tools as a model is told of them, and what becomes of the calls that it asks for."""

import re
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from desk.agents.roster import ROSTER
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import MAX_CALLS_A_TURN, ToolResult, ToolSpec, ToolStatus
from desk.contracts.markets import MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Exchange, TurnRequest
from desk.programs.claude.answers import answering
from desk.programs.claude.turns import calls_in, described, messages
from tests.support.builders import pair_market, request
from tests.support.swarms.asking import NVIDIA

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")

specs = st.builds(
    ToolSpec,
    server=st.text(min_size=1, max_size=80),
    tool=st.text(min_size=1, max_size=200),
    description=st.text(max_size=20),
)


def spec(server: str, tool: str, **schema: JsonValue) -> ToolSpec:
    return ToolSpec(server=server, tool=tool, description="Says something.", input_schema=schema)


def asking(*tools: ToolSpec) -> TurnRequest:
    asked = request(TaskType.RESEARCH_FX, pair_market())
    return asked.model_copy(update={"tools": tools})


def use(name: str, number: int = 1, **arguments: JsonValue) -> JsonValue:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}


def names(tools: Sequence[JsonValue]) -> list[str]:
    return [str(tool["name"]) for tool in tools if isinstance(tool, dict)]


@given(st.lists(specs, max_size=12), st.randoms(use_true_random=False))
def test_names_are_fit_for_the_api_stable_and_each_tools_own(
    tools: list[ToolSpec], dice: Random
) -> None:
    told = names(described(tools))
    each = {(tool.server, tool.tool) for tool in tools}
    assert all(NAME.fullmatch(name) for name in told)
    assert told == sorted(set(told)) and len(told) == len(each)
    unique = list({(tool.server, tool.tool): tool for tool in tools}.values())
    assert names(described(dice.sample(unique, len(unique)))) == told


@given(st.lists(specs, min_size=1, max_size=8, unique_by=lambda s: (s.server, s.tool)))
def test_a_call_by_any_name_reaches_the_tool_of_that_name(tools: list[ToolSpec]) -> None:
    called = {
        call.server + "\n" + call.tool
        for name in names(described(tools))
        for call in calls_in(asking(*tools), [use(name)])
    }
    assert called == {tool.server + "\n" + tool.tool for tool in tools}


def test_tools_that_would_share_a_name_do_not() -> None:
    one, other = spec("news", "top__stories"), spec("news__top", "stories")
    assert names(described([other, one])) == ["news__top__stories", "news__top__stories_2"]
    (call,) = calls_in(asking(one, other), [use("news__top__stories_2")])
    assert (call.server, call.tool) == ("news__top", "stories")


def test_a_server_s_indentation_is_no_part_of_what_is_told() -> None:
    told = "What it does.\n\n        And of what.\n        "
    (tool,) = described([spec("a", "one").model_copy(update={"description": told})])
    assert isinstance(tool, dict)
    assert tool["description"] == "From the source a: What it does.\n\nAnd of what."


def test_tools_that_an_agent_never_cited_are_described_last() -> None:
    last = spec("a", "first").model_copy(update={"last": True})
    assert names(described([last, spec("b", "second")])) == ["b__second", "a__first"]


def test_a_schema_that_the_api_would_not_take_does_not_fail_the_call() -> None:
    good: dict[str, JsonValue] = {
        "properties": {"symbol": {"anyOf": [{"type": "string"}]}},
        "required": ["symbol"],
    }
    tools = (
        spec("a", "good", **good),
        spec("a", "odd", **good, anyOf=[{"required": ["symbol"]}]),
        spec("a", "strange", properties={"$symbol or so": {}}),
        spec("a", "wrong", properties=["symbol"]),
    )
    told = {str(tool["name"]): tool for tool in described(tools) if isinstance(tool, dict)}
    assert told["a__good"]["input_schema"] == {**good, "type": "object"}
    assert told["a__odd"]["input_schema"] == {**good, "type": "object"}
    assert told["a__strange"]["input_schema"] == {"type": "object"}
    assert told["a__wrong"]["input_schema"] == {"type": "object"}


def test_calls_keep_their_order_and_have_names_of_their_own() -> None:
    asked = asking(spec("ecb", "get_quote"))
    blocks: list[JsonValue] = [
        {"type": "text", "text": "Let me look."},
        *(use("ecb__get_quote", n, symbol=f"EUR/{n}") for n in range(3)),
    ]
    calls = calls_in(asked, blocks)
    assert [call.arguments for call in calls] == [{"symbol": f"EUR/{n}"} for n in range(3)]
    assert len({call.call_id for call in calls}) == 3
    said = Exchange(results=(), said=(use("ecb__get_quote"),))
    later = calls_in(asked.model_copy(update={"exchanges": (said,)}), blocks)
    assert not {call.call_id for call in calls} & {call.call_id for call in later}


def test_no_more_calls_are_made_than_a_turn_may_have() -> None:
    asked = asking(spec("ecb", "get_quote"))
    assert len(calls_in(asked, [use("ecb__get_quote", n) for n in range(40)])) == MAX_CALLS_A_TURN


@pytest.mark.parametrize("name", ["delete_everything", "", "ecb__delete", "a" * 5_000, "a/b\x00"])
def test_a_tool_that_was_never_offered_is_on_nobodys_list(name: str) -> None:
    (call,) = calls_in(asking(spec("ecb", "get_quote")), [use(name)])
    assert not any(ROSTER[agent].may_call(call.server, call.tool) for agent in AgentId)
    assert re.fullmatch(r"[\w./-]+", call.call_id.removeprefix("USD/JPY/research_fx/"))


BAND, ACCOUNTS, DATA = (
    spec("analysis", tool) for tool in ("peg_band", "company_fundamentals", "market_data")
)


@pytest.mark.parametrize(
    ("market", "offered"),
    [
        (pair_market("USD/JPY"), ["market_data"]),
        (pair_market().model_copy(update={"market": "USD/HKD"}), ["market_data", "peg_band"]),
        (pair_market().model_copy(update={"market": "USD/DKK"}), ["market_data", "peg_band"]),
        (NVIDIA, ["company_fundamentals", "market_data"]),
    ],
)
def test_a_model_is_offered_what_can_have_something_of_its_market(
    market: MarketSpec, offered: list[str]
) -> None:
    asked = request(TaskType.RESEARCH_FX, market).model_copy(
        update={"tools": (BAND, ACCOUNTS, DATA)}
    )
    assert {tool.tool for tool in answering(asked)} == {*offered}


def test_a_model_that_names_a_tool_not_on_offer_is_told_why_and_the_nearest() -> None:
    asked = asking(BAND, DATA)
    blocks = [use("analysis__peg_band"), use("analysis__market_dat", 2)]
    calls = calls_in(asked, blocks)
    assert [call.server for call in calls] == ["unknown", "unknown"]
    results = tuple(
        ToolResult(call=call, status=ToolStatus.REFUSED, error="not on the list") for call in calls
    )
    told = str(messages("{}", asked.model_copy(
        update={"exchanges": (Exchange(results=results, said=tuple(blocks)),)}
    )))  # fmt: skip
    assert "analysis__peg_band is not offered here: no band is known" in told
    assert told.count("nearest are analysis__market_data") == 2
    assert "no tool of that name is offered here" in told
    assert "market_dat;" not in told


@pytest.mark.parametrize("given", [None, "symbol", ["EUR/USD"], 3])
def test_arguments_that_are_none_are_left_out(given: JsonValue) -> None:
    block: JsonValue = {"type": "tool_use", "id": "t", "name": "ecb__get_quote", "input": given}
    (call,) = calls_in(asking(spec("ecb", "get_quote")), [block])
    assert call.arguments == {}


def test_no_model_chooses_the_instant_that_a_tool_answers_for() -> None:
    block = use("ecb__get_quote", symbol="EUR/USD", as_of="2030-01-01T00:00:00Z")
    (call,) = calls_in(asking(spec("ecb", "get_quote")), [block])
    assert call.arguments == {"symbol": "EUR/USD"}
