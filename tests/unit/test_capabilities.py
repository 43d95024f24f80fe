"""Who is asked for what, and whose answer is taken."""

from pydantic import JsonValue

from agents.roster import ROSTER, profile_in
from contracts.capabilities import USUAL_ROUTES, Capability, Route
from contracts.config import RunPolicy
from contracts.names import AgentId
from contracts.source_results import History, NewsItems
from contracts.tools import ToolCall, ToolResult, ToolStatus
from domain.capabilities import (
    answer_among,
    call_by,
    capability_of,
    routes_to,
    satisfies,
    tools_for,
)
from tests.support.builders import ECB, answered, call, failed, window

OFFLINE = ("ecb", "central_banks", "official_statistics")
EVERYBODY = (*OFFLINE, "yahoo_finance", "google_news", "reuters")
AS_OF = window("2026-W44").end
TOO_LATE = ToolStatus.UNAVAILABLE


def servers(capability: Capability, *sources: str, **routes: tuple[Route, ...]) -> list[str]:
    policy = RunPolicy(sources=sources, capabilities={Capability(k): v for k, v in routes.items()})
    return [route.server for route in routes_to(capability, policy)]


def quoted(server: str, value: JsonValue = "150.00", **content: JsonValue) -> ToolResult:
    return ToolResult(
        call=call(server, "get_quote"), status=ToolStatus.OK, content={"value": value, **content}
    )


def test_the_authority_is_asked_first_and_only_those_that_are_there() -> None:
    assert servers(Capability.QUOTE, *OFFLINE) == ["ecb"]
    assert servers(Capability.QUOTE, *EVERYBODY) == ["ecb", "yahoo_finance"]
    assert servers(Capability.BANK_NEWS, *OFFLINE) == ["central_banks"]
    assert servers(Capability.BANK_NEWS, *EVERYBODY) == ["reuters", "central_banks"]
    assert servers(Capability.VERIFICATION, *OFFLINE) == []


def test_a_run_that_does_not_know_its_sources_asks_those_that_need_no_network() -> None:
    assert servers(Capability.QUOTE) == ["ecb"]
    assert servers(Capability.NEWS_SEARCH) == []


def test_the_routes_of_a_run_go_before_the_usual_ones() -> None:
    own = (Route(server="terminal", tool="last"), Route(server="ecb", tool="get_quote"))
    assert servers(Capability.QUOTE, "ecb", "terminal", quote=own) == ["terminal", "ecb"]
    assert servers(Capability.QUOTE, "ecb", quote=own) == ["ecb"]
    assert servers(Capability.HISTORY, "ecb", "terminal", quote=own) == ["ecb"]


def test_every_capability_has_a_usual_route() -> None:
    assert USUAL_ROUTES.keys() == set(Capability)


def test_offline_the_agents_tools_are_those_that_they_always_had() -> None:
    prices = {"ecb.get_quote", "ecb.get_historical", "ecb.search_symbols"}
    rates = {f"central_banks.get_{n}" for n in ("policy_rate", "rate_decisions")}
    rates.add("central_banks.get_decision_calendar")
    compared = {f"official_statistics.get_{n}" for n in ("month_averages", "month_end_rates")}
    news = {"central_banks.get_central_bank_news"}
    for sources in (OFFLINE, ()):
        tools = {
            agent: {
                f"{t.server}.{t.tool}" for t in profile_in(RunPolicy(sources=sources), agent).tools
            }
            for agent in ROSTER
        }
        assert tools == {
            AgentId.PRODUCT_MANAGER: set(),
            AgentId.RESEARCH_AGENT_1: prices | rates | news,
            AgentId.RESEARCH_AGENT_2: prices | rates | news,
            AgentId.VALIDATOR: prices | rates | compared,
        }


def test_what_figures_are_compared_with_is_the_validators_alone() -> None:
    everything = RunPolicy(sources=EVERYBODY)
    for agent in ROSTER:
        may = profile_in(everything, agent).may_call("official_statistics", "get_month_averages")
        assert may is (agent is AgentId.VALIDATOR)


def test_an_agent_may_call_nothing_beside_the_routes_of_what_it_may_ask() -> None:
    everything = RunPolicy(sources=EVERYBODY)
    for agent in ROSTER:
        profile = profile_in(everything, agent)
        assert list(profile.tools) == list(tools_for(profile.capabilities, everything))
        assert not profile.may_call("ecb", "get_coverage")
        assert not profile.may_call("google_news", "get_quote")


def test_a_tool_is_called_by_its_own_names_with_what_it_always_needs() -> None:
    asked = ToolCall(
        call_id="1",
        server="ecb",
        tool="get_quote",
        arguments={"symbol": "USD/JPY"},
        capability=Capability.QUOTE,
    )
    route = Route(
        server="terminal", tool="last", names={"symbol": "ticker"}, fixed={"field": "PX_LAST"}
    )
    assert call_by(route, asked) == ToolCall(
        call_id="1",
        server="terminal",
        tool="last",
        arguments={"ticker": "USD/JPY", "field": "PX_LAST"},
        capability=Capability.QUOTE,
    )


def test_a_call_names_its_capability_only_where_its_tool_does_not_tell_it() -> None:
    (own, other) = USUAL_ROUTES[Capability.QUOTE]
    asked = call("ecb", "get_quote").model_copy(update={"capability": Capability.QUOTE})
    for route in (own, other):
        made = call_by(route, asked)
        assert made.capability is None
        assert capability_of(made) is Capability.QUOTE
        assert "capability" not in made.model_dump_json()
    assert capability_of(call("terminal", "last")) is None


def test_a_tool_with_two_capabilities_is_told_by_its_calls_which_was_asked_for() -> None:
    for capability in (Capability.NEWS_SEARCH, Capability.HEADLINES):
        asked = call("x", "y").model_copy(update={"capability": capability})
        for route in USUAL_ROUTES[capability]:
            assert capability_of(call_by(route, asked)) is capability


def test_a_call_from_before_there_were_capabilities_is_still_one() -> None:
    old = '{"call_id":"1","server":"ecb","tool":"get_quote","arguments":{}}'
    assert ToolCall.model_validate_json(old).model_dump_json() == old


def test_a_source_that_says_it_has_nothing_does_not_satisfy() -> None:
    nothing = History(as_of=AS_OF, source=ECB, symbol="USD/TWD", missing="no such currency")
    assert not satisfies(answered(call("ecb", "get_historical"), nothing))
    silent = NewsItems(as_of=AS_OF, source=ECB, missing="no news")
    assert not satisfies(answered(call("reuters", "get_market_news"), silent))
    assert satisfies(quoted("ecb", missing="two days"))
    foreign = ToolResult(
        call=call("terminal", "last"), status=ToolStatus.OK, content={"missing": "the word"}
    )
    assert satisfies(foreign)


def test_an_answer_in_anothers_place_says_so() -> None:
    late = failed(call("ecb", "get_quote"), TOO_LATE, "it did not answer in time")
    answer = answer_among((late, quoted("yahoo_finance")))
    assert answer.call.server == "yahoo_finance"
    assert answer.in_place_of == "ecb.get_quote: it did not answer in time"
    assert [(besides.server, besides.status) for besides in answer.besides] == [("ecb", TOO_LATE)]
    assert answer_among((quoted("ecb"),)).in_place_of is None


def test_where_nobody_answers_the_first_says_what_all_said() -> None:
    results = [
        failed(call(s, "get_quote"), TOO_LATE, f"{s} is gone") for s in ("ecb", "yahoo_finance")
    ]
    answer = answer_among(results)
    assert answer.call.server == "ecb"
    assert (
        answer.error == "ecb.get_quote: ecb is gone; yahoo_finance.get_quote: yahoo_finance is gone"
    )
    assert [besides.server for besides in answer.besides] == ["yahoo_finance"]
    assert answer_among(results[:1]) == results[0]


def test_a_source_that_has_nothing_is_heard_where_nobody_has_more() -> None:
    nothing = quoted("ecb", value=None, missing="no such currency")
    gone = failed(call("yahoo_finance", "get_quote"), TOO_LATE, "gone")
    heard = answer_among((nothing, gone))
    assert heard.model_copy(update={"besides": ()}) == nothing
    assert [(b.server, b.status) for b in heard.besides] == [("yahoo_finance", TOO_LATE)]
    has = quoted("yahoo_finance")
    assert answer_among((nothing, has)).in_place_of == "ecb.get_quote: no such currency"


def test_a_note_is_short_whatever_was_said() -> None:
    late = failed(call("ecb", "get_quote"), TOO_LATE, "x" * 4_000)
    noted = answer_among((late, late, quoted("yahoo_finance"))).in_place_of
    assert noted is not None and 500 < len(noted) <= 1_000
