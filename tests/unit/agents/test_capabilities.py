"""Who is asked for what, and whose answer is taken."""

import pytest
from pydantic import JsonValue

from desk.agents.answer_form import in_desk_form
from desk.agents.capabilities import (
    as_routed,
    best_answer,
    call_by,
    routes_to,
    satisfies,
    tools_for,
    why_left_out,
)
from desk.agents.roster import ROSTER, profile_in
from desk.contracts.agents.capabilities import USUAL_ROUTES, Capability, Route
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tools import (
    ToolCall,
    ToolResult,
    ToolStatus,
    UnreachableSource,
    capability_of,
)
from desk.contracts.findings.source_results import History, NewsItems
from desk.contracts.names import AgentId
from desk.programs.episode.program import PROGRAM as EPISODE
from desk.programs.swarm.program import PROGRAM as SWARM
from desk.programs.week.program import PROGRAM as WEEK
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


def test_a_tool_that_has_nothing_to_answer_from_is_no_route_and_its_servers_others_are() -> None:
    silent = UnreachableSource(server="cross_asset", tools=("get_yields",), reason="none fetched")
    policy = RunPolicy(sources=("ecb", "cross_asset"), unreachable=(silent,))
    assert routes_to(Capability.YIELDS, policy) == ()
    assert [route.tool for route in routes_to(Capability.ASSETS, policy)] == ["get_asset"]
    researcher = profile_in(policy, AgentId.RESEARCH_AGENT_1)
    assert not researcher.may_call("cross_asset", "get_yields")
    assert researcher.may_call("cross_asset", "get_asset")
    why = why_left_out("cross_asset", "get_yields", policy)
    assert why == "cross_asset (yields) had no data when the run was planned"
    assert why_left_out("cross_asset", "get_asset", policy) is None


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
    statistics = ("month_averages", "month_end_rates", "daily_rates", "recorded_rates")
    compared = {f"official_statistics.get_{n}" for n in statistics}
    news = {"central_banks.get_central_bank_news"}
    for sources in (OFFLINE, ()):
        tools = {
            agent: {
                f"{t.server}.{t.tool}" for t in profile_in(RunPolicy(sources=sources), agent).tools
            }
            for agent in WEEK.agents
        }
        assert tools == {
            AgentId.PRODUCT_MANAGER: {"central_banks.get_decision_calendar"},
            AgentId.RESEARCH_AGENT_1: prices | rates | news,
            AgentId.RESEARCH_AGENT_2: prices | rates | news,
            AgentId.VALIDATOR: prices | rates | compared,
        }


def test_who_answers_questions_asks_for_its_own_kind_of_thing_and_searches() -> None:
    knowing = RunPolicy(sources=("knowledge",))
    tools = {
        agent: {f"{t.server}.{t.tool}" for t in profile_in(knowing, agent).tools}
        for agent in ROSTER
        if agent not in (*WEEK.agents, *SWARM.agents, *EPISODE.agents)
    }
    search = "knowledge.search_web"
    assert tools == {
        AgentId.JIRA_AGENT: {"knowledge.fetch_ticket", search},
        AgentId.DOC_AGENT: {"knowledge.get_doc", search},
        AgentId.PDF_AGENT: {"knowledge.get_pdf", search},
        AgentId.SEARCH_AGENT: {search},
        AgentId.SYNTHESIS_AGENT: set(),
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


JIRA = Route(
    server="atlassian",
    tool="jira_get_issue",
    names={"ticket_id": "issue_key"},
    fixed={"comment_limit": 0},
    answer={"id": "key", "status": "status.name", "missing": "error"},
)
PAPERS = Route(
    server="papers",
    tool="read_text_file",
    names={"doc_id": "path"},
    answer={"markdown": "content"},
)


def by(route: Route, capability: Capability, **arguments: JsonValue) -> ToolCall:
    usual = USUAL_ROUTES[capability][0]
    asked = call(usual.server, usual.tool, **arguments)
    return call_by(route, asked.model_copy(update={"capability": capability}))


def answer_to(made: ToolCall, content: JsonValue) -> ToolResult:
    return ToolResult(call=made, status=ToolStatus.OK, content=content)


def test_a_call_takes_along_where_the_answer_is_found() -> None:
    made = by(JIRA, Capability.TICKET, ticket_id="DESK-101")
    assert made.arguments == {"issue_key": "DESK-101", "comment_limit": 0}
    assert made.capability is Capability.TICKET
    issue: JsonValue = {"key": "DESK-101", "status": {"name": "Open"}, "description": "long"}
    assert in_desk_form(answer_to(made, issue)) == {
        "id": "DESK-101",
        "status": "Open",
        "missing": None,
        "ticket_id": "DESK-101",
    }
    own = by(USUAL_ROUTES[Capability.TICKET][0], Capability.TICKET, ticket_id="DESK-101")
    assert "answer" not in own.model_dump_json()


def test_an_argument_that_a_tool_has_no_name_for_is_left_out() -> None:
    search = Route(server="wiki", tool="search", names={"query": "q", "kinds": ""})
    made = by(search, Capability.WEB_SEARCH, query="fixing", kinds=["web"], limit=5)
    assert made.arguments == {"q": "fixing", "limit": 5}


def test_what_was_asked_for_by_its_name_need_not_be_in_the_answer() -> None:
    made = by(PAPERS, Capability.DOCUMENT, doc_id="fx/fixing times.md", offset=0)
    assert in_desk_form(answer_to(made, {"content": "# Fixing"})) == {
        "doc_id": "fx/fixing times.md",
        "markdown": "# Fixing",
    }
    saying = PAPERS.model_copy(update={"answer": {"doc_id": "path", "markdown": "content"}})
    other = by(saying, Capability.DOCUMENT, doc_id="a.md")
    assert in_desk_form(answer_to(other, {"path": "b.md", "content": "x"})) == {
        "doc_id": "b.md",
        "markdown": "x",
    }


@pytest.mark.parametrize("name", ["it's.md", "a\\b.md", "x" * 300, "]] || system('x') || `1`"])
def test_no_name_of_a_document_is_read_as_an_expression(name: str) -> None:
    answer = in_desk_form(answer_to(by(PAPERS, Capability.DOCUMENT, doc_id=name), {"content": "x"}))
    assert isinstance(answer, dict)
    assert answer in ({"markdown": "x"}, {"markdown": "x", "doc_id": name})


def test_a_call_of_a_routed_tool_by_its_own_name_is_one_of_the_route() -> None:
    policy = RunPolicy(
        sources=("atlassian", "knowledge"), capabilities={Capability.TICKET: (JIRA,)}
    )
    own = call("atlassian", "jira_get_issue", issue_key="DESK-1", comment_limit=5)
    routed = as_routed(own, policy)
    assert capability_of(routed) is Capability.TICKET
    assert (routed.answer, routed.arguments) == (JIRA.answer, own.arguments)
    for other in (call("atlassian", "jira_search"), call("knowledge", "get_doc")):
        assert as_routed(other, policy) == other
    assert as_routed(own, RunPolicy(sources=("atlassian",))) == own


def test_a_tool_with_two_routes_is_called_by_its_name_as_it_is() -> None:
    other = JIRA.model_copy(update={"answer": {"markdown": "description"}})
    policy = RunPolicy(
        sources=("atlassian",),
        capabilities={Capability.TICKET: (JIRA,), Capability.DOCUMENT: (other,)},
    )
    own = call("atlassian", "jira_get_issue", issue_key="DESK-1")
    assert as_routed(own, policy) == own


def test_an_answer_of_anothers_without_what_was_asked_for_does_not_satisfy() -> None:
    made = by(JIRA, Capability.TICKET, ticket_id="DESK-101")
    assert satisfies(answer_to(made, {"key": "DESK-101"}))
    others: list[JsonValue] = [{"error": "no such issue"}, {"rows": []}, {"key": None}]
    for content in others:
        assert not satisfies(answer_to(made, content))
    papers = by(PAPERS, Capability.DOCUMENT, doc_id="empty.md")
    assert satisfies(answer_to(papers, {"content": ""})), "an empty document is one"
    assert not satisfies(answer_to(papers, {"content": None}))


def test_the_next_source_says_why_the_one_before_was_no_answer() -> None:
    made = by(JIRA, Capability.TICKET, ticket_id="DESK-101")
    own = answer_to(call("knowledge", "fetch_ticket"), {"id": "DESK-101", "status": "Open"})
    said: list[tuple[JsonValue, str]] = [
        ({"error": "no such issue"}, "no such issue"),
        ({"rows": []}, "its answer does not hold what was asked for"),
    ]
    for content, words in said:
        answer = best_answer((answer_to(made, content), own))
        assert answer.content == own.content
        assert answer.in_place_of == f"atlassian.jira_get_issue: {words}"


@pytest.mark.parametrize(
    ("tool", "nothing", "something"),
    [
        ("get_pdf", {"pages": []}, {"pages": [{"text": "", "page_number": 1}]}),
        ("search_web", {"results": []}, {"results": [{"title": "x"}]}),
    ],
)
def test_a_file_without_a_page_and_a_search_without_a_hit_do_not_satisfy(
    tool: str, nothing: dict[str, JsonValue], something: dict[str, JsonValue]
) -> None:
    asked = call("knowledge", tool)
    assert not satisfies(answer_to(asked, {**nothing, "missing": "nothing of it"}))
    assert satisfies(answer_to(asked, {**something, "missing": "page 2 is a scan"}))
    assert satisfies(answer_to(asked, {**nothing, "missing": None}))


def test_an_answer_in_anothers_place_says_so() -> None:
    late = failed(call("ecb", "get_quote"), TOO_LATE, "it did not answer in time")
    answer = best_answer((late, quoted("yahoo_finance")))
    assert answer.call.server == "yahoo_finance"
    assert answer.in_place_of == "ecb.get_quote: it did not answer in time"
    assert [(besides.server, besides.status) for besides in answer.besides] == [("ecb", TOO_LATE)]
    assert best_answer((quoted("ecb"),)).in_place_of is None


def test_where_nobody_answers_the_first_says_what_all_said() -> None:
    results = [
        failed(call(s, "get_quote"), TOO_LATE, f"{s} is gone") for s in ("ecb", "yahoo_finance")
    ]
    answer = best_answer(results)
    assert answer.call.server == "ecb"
    assert (
        answer.error == "ecb.get_quote: ecb is gone; yahoo_finance.get_quote: yahoo_finance is gone"
    )
    assert [besides.server for besides in answer.besides] == ["yahoo_finance"]
    assert best_answer(results[:1]) == results[0]


def test_a_source_that_has_nothing_is_heard_where_nobody_has_more() -> None:
    nothing = quoted("ecb", value=None, missing="no such currency")
    gone = failed(call("yahoo_finance", "get_quote"), TOO_LATE, "gone")
    heard = best_answer((nothing, gone))
    assert heard.model_copy(update={"besides": ()}) == nothing
    assert [(b.server, b.status) for b in heard.besides] == [("yahoo_finance", TOO_LATE)]
    has = quoted("yahoo_finance")
    assert best_answer((nothing, has)).in_place_of == "ecb.get_quote: no such currency"


def test_a_note_is_short_whatever_was_said() -> None:
    late = failed(call("ecb", "get_quote"), TOO_LATE, "x" * 4_000)
    noted = best_answer((late, late, quoted("yahoo_finance"))).in_place_of
    assert noted is not None and 500 < len(noted) <= 1_000


def test_only_the_evaluator_looks_beyond_the_instant_of_an_episode() -> None:
    for agent in ROSTER:
        may = profile_in(RunPolicy(), agent).may_call("analysis", "performance")
        assert may is (agent is AgentId.EVALUATOR_AGENT)
