"""A research agent that is a model: the figures are the desk's, and what it adds is looked at."""

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from desk.analytics.names.periods import READ
from desk.contracts.agents.model_calls import ModelAnswer, StopReason
from desk.contracts.agents.tasks import SIDE_BY_SIDE, Query, TaskType
from desk.contracts.agents.tools import SourceTier, ToolCall, ToolResult, ToolSpec, ToolStatus
from desk.contracts.agents.usage import Usage
from desk.contracts.findings.claims import Metric, Unit
from desk.contracts.findings.results import (
    EventType,
    Forecast,
    Leaning,
    MarketEvent,
    ResearchResult,
    ViewKind,
)
from desk.contracts.findings.source_results import (
    DatePrecision,
    NewsItem,
    NewsItems,
    Provenance,
)
from desk.contracts.names import CallFault
from desk.contracts.runs.turns import Exchange, Turn, TurnRequest
from desk.programs.claude.answers import only_months
from desk.programs.claude.figures import claims_for_model, reportable_claims
from desk.programs.claude.findings import ODDITY, ProposedView, contrary_views
from desk.programs.claude.turns import is_worth_asking, model_call, turn_of
from desk.programs.openings import with_calls_for_model
from desk.programs.turns import builtin_turn
from desk.trust.claims.rate_claims import decision_claims, within_claims
from desk.trust.ledger import Ledger
from desk.trust.prose.prose_review import review
from desk.trust.seals import content_hash
from tests.support.builders import (
    answered,
    calendar,
    claim,
    decision,
    decisions,
    failed,
    pair_market,
    policy_rates,
    rate_market,
    real_history,
    request,
    window,
)
from tests.support.questions import material

WEEK = "2026-W44"
MODEL = "claude-sonnet-5-5"
EVENT = "USD/JPY/fx_movement/2026-10-30"
SEARCH = "search_news.1.1"
LINK = "https://news.example.com/yen"
NO_ITEM = "there is no such item of news"
PRESS = Provenance(
    name="A search of the news", tier=SourceTier.SECONDARY, url="https://news.example.com"
)


def item(
    headline: str = "Yen weakens as officials stay silent",
    url: str | None = LINK,
    day: int = 29,
    **fields: Any,
) -> NewsItem:
    return NewsItem(
        headline=headline,
        publisher="The Wire",
        published_at=datetime(2026, 10, day, 9, tzinfo=UTC),
        url=url,
        **fields,
    )


def found_news(*items: NewsItem, as_of: datetime | None = None) -> ToolResult:
    call = ToolCall(
        call_id=f"USD/JPY/research_fx/{SEARCH}", server="google_news", tool="search_news"
    )
    return answered(call, NewsItems(as_of=as_of or window(WEEK).end, source=PRESS, items=items))


OWN: dict[str, Any] = {
    "get_historical": real_history("USD/JPY", WEEK),
    "get_policy_rate": policy_rates(WEEK, US="3.875", JP="1.25"),
    "get_rate_decisions": decisions(WEEK, decision("JP", "2026-10-30", "1.25", "25")),
    "get_decision_calendar": calendar(WEEK),
}


def besides(tool: str, content: Any) -> ToolResult:
    """An answer to a call of the model's."""
    server = {"get_historical": "ecb", "get_rate_decisions": "central_banks"}.get(tool, "tracker")
    call = ToolCall(call_id=f"USD/JPY/research_fx/{tool}.1.1", server=server, tool=tool)
    if isinstance(content, dict):
        return ToolResult(
            call=call,
            status=ToolStatus.OK,
            content=content,
            content_hash=content_hash(content),
            retrieved_at=window(WEEK).end,
        )
    return answered(call, content)


def asked(*answers: ToolResult, task: TaskType = TaskType.RESEARCH_FX) -> TurnRequest:
    """A request for which the desk's own questions are answered, and calls of the model's."""
    blank = request(task, pair_market(), WEEK).model_copy(update={"model": MODEL})
    calls = builtin_turn(blank).calls
    exchanges = [Exchange(results=tuple(answered(call, OWN[call.tool]) for call in calls))]
    said: JsonValue = {"type": "tool_use", "id": "toolu_1", "name": "x", "input": {}}
    if answers:
        exchanges.append(Exchange(results=answers, said=(said,) * len(answers)))
    return blank.model_copy(update={"exchanges": tuple(exchanges)})


def turn(given_request: TurnRequest, said: Any) -> Turn:
    text = said if isinstance(said, str) else json.dumps(said)
    block: JsonValue = {"type": "text", "text": text}
    answer = ModelAnswer(
        content=(block,), text=text, stop_reason=StopReason.END_TURN, usage=Usage(model=MODEL)
    )
    return turn_of(given_request, answer)


def finding(given_request: TurnRequest, **said: Any) -> ResearchResult:
    taken = turn(given_request, said)
    assert isinstance(taken.result, ResearchResult), taken.feedback
    return taken.result


def desks(given_request: TurnRequest) -> ResearchResult:
    result = builtin_turn(given_request).result
    assert isinstance(result, ResearchResult)
    return result


def feedback(given_request: TurnRequest, **said: Any) -> str:
    taken = turn(given_request, said)
    assert taken.result is None and taken.failure is None
    assert taken.feedback, "the model is told what is wrong"
    return taken.feedback


def told(description: str = "Officials kept silent.", **changed: Any) -> dict[str, Any]:
    line = {"evidence": SEARCH, "item": 0, "description": description, "impact": "medium"}
    return {**line, **changed}


def view(**changed: Any) -> dict[str, Any]:
    line = {
        "subject": "USD/JPY",
        "kind": "direction",
        "leaning": "down",
        "confidence": 0.6,
        "claims": ["USD/JPY:move"],
    }
    return {**line, **changed}


def written(description: str, event: str = EVENT) -> dict[str, Any]:
    return {"event_id": event, "description": description}


def test_the_desk_asks_its_own_questions_first_and_that_costs_nothing() -> None:
    blank = request(TaskType.RESEARCH_RATES, pair_market(), WEEK)
    first = builtin_turn(blank.model_copy(update={"model": MODEL}))
    assert first == builtin_turn(blank)
    assert first.calls and first.said == () and first.usage == Usage()


def test_what_a_model_asked_besides_changes_no_figure() -> None:
    call = ToolCall(
        call_id="USD/JPY/research_fx/get_historical.1.1", server="ecb", tool="get_historical"
    )
    other = real_history("USD/JPY", WEEK)
    lied = other.model_copy(update={"values": tuple(value * 2 for value in other.values)})
    assert desks(asked(answered(call, lied))) == desks(asked())


def test_an_answer_without_a_word_leaves_the_desks_finding_without_views_in_its_name() -> None:
    own = desks(asked())
    assert own.views
    assert finding(asked()) == own.model_copy(update={"views": (), "version": 0})


descriptions = st.sampled_from(
    [
        "USD/JPY rose by [[USD/JPY:move]] as yields diverged.",
        "It traded between [[USD/JPY:window_low]] and [[USD/JPY:window_high]].",
        "<script>alert(1)</script> USD/JPY was quiet.",
        "It stood at 151.234.",
        "USD/JPY fell.",
        "[[EUR/USD:move]]",
    ]
)
answers = st.fixed_dictionaries(
    {},
    optional={
        "events": st.lists(
            st.fixed_dictionaries(
                {"event_id": st.sampled_from([EVENT, "x"]), "description": descriptions},
                optional={"event_date": st.just("2020-01-01"), "claims": st.just([])},
            ),
            max_size=2,
        ),
        "news": st.lists(
            st.builds(
                lambda description, number, **more: told(description, item=number, **more),
                description=descriptions,
                number=st.integers(0, 3),
                source_url=st.just("javascript:alert(1)"),
                event_date=st.just("2020-01-01"),
            ),
            max_size=3,
        ),
        "views": st.lists(st.builds(view, subject=st.sampled_from(["USD/JPY", "JP", "EUR/USD"]))),
        "claims": st.just([{"claim_id": "USD/JPY:last", "value": "1"}]),
        "confidence": st.just(1.0),
        "oddities": st.lists(st.text(max_size=20), max_size=3),
    },
)


@given(answers)
def test_claims_events_and_days_are_the_desks_whatever_a_model_says(said: dict[str, Any]) -> None:
    given_request = asked(found_news(item(), item("Other news", url="javascript:alert(1)")))
    own = desks(given_request)
    taken = turn(given_request, said)
    if taken.result is None:
        assert taken.feedback
        return
    assert isinstance(taken.result, ResearchResult)
    assert (taken.result.claims, taken.result.confidence) == (own.claims, own.confidence)
    assert taken.result.sources[: len(own.sources)] == own.sources
    kept, news = taken.result.events[: len(own.events)], taken.result.events[len(own.events) :]
    assert [without_words(event) for event in kept] == [without_words(e) for e in own.events]
    for event in news:
        assert event.event_date.isoformat() == "2026-10-29"
        assert event.source_url in (LINK, None) and event.claims == ()


def without_words(event: MarketEvent) -> MarketEvent:
    return event.model_copy(update={"description": ""})


@given(st.one_of(st.text(), st.recursive(st.none() | st.text(), st.lists).map(json.dumps)))
def test_any_text_is_a_result_or_is_objected_to(text: str) -> None:
    taken = turn(asked(), text)
    assert (taken.result is None) is (taken.feedback is not None) and taken.failure is None


@pytest.mark.parametrize("text", ["[" * 100_000, '{"events":' * 5_000, "\x00", '"\\ud800"'])
def test_no_text_is_an_error_after_a_billed_call(text: str) -> None:
    assert turn(asked(), text).feedback


def test_the_models_words_are_taken_for_the_desks_event() -> None:
    words = "USD/JPY rose by [[USD/JPY:move]] as yields diverged."
    (event,) = finding(asked(), events=[written(words)]).events
    assert event.description == words


def test_news_are_told_with_the_link_and_the_day_of_the_item() -> None:
    given_request = asked(found_news(item(day=28), item("Other", url="https://x.example/2")))
    *_, event = finding(given_request, news=[told()]).events
    assert event.event_type is EventType.NEWS
    assert (event.event_date.isoformat(), event.source_url) == ("2026-10-28", LINK)
    assert event.evidence == (f"USD/JPY/research_fx/{SEARCH}",)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "https://user:pw@x.example/",
        "https://x.example/'onclick=",
        None,
    ],
)
def test_news_have_no_link_where_the_item_has_none_to_a_page(url: str | None) -> None:
    *_, event = finding(asked(found_news(item(url=url))), news=[told()]).events
    assert event.source_url is None


def test_the_sources_are_the_desks_and_all_that_the_model_asked() -> None:
    other = found_news(item())
    other = other.model_copy(
        update={"call": other.call.model_copy(update={"call_id": "USD/JPY/research_fx/more.1.2"})}
    )
    given_request = asked(found_news(item()), other)
    own, *news = finding(given_request, news=[told()]).sources
    assert own == desks(given_request).sources[0]
    ids = [source.evidence_id for source in news]
    assert ids == [f"USD/JPY/research_fx/{SEARCH}", "USD/JPY/research_fx/more.1.2"]
    assert (news[0].name, news[0].url) == (PRESS.name, PRESS.url)


def test_both_agents_of_a_market_may_tell_an_item_of_the_same_name() -> None:
    ids = [
        event.event_id
        for task in (TaskType.RESEARCH_FX, TaskType.RESEARCH_RATES)
        for event in finding(asked(found_news(item()), task=task), news=[told()]).events
        if event.event_type is EventType.NEWS
    ]
    assert len(set(ids)) == 2


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            {"events": [written("Quiet.", "USD/JPY/made_up")]},
            "events.0: no event has that event_id",
        ),
        (
            {"events": [written("Quiet."), written("Calm.")]},
            "events.1: it is about the same as events.0",
        ),
        ({"news": [told(item=1)]}, "news.0: there is no such item"),
        ({"news": [told(evidence="get_historical")]}, "news.0: there is no such item"),
        ({"news": [told(evidence="made_up")]}, "news.0: there is no such item"),
        ({"news": [told(), told("Again.")]}, "news.1: it is about the same as news.0"),
        (
            {"views": [view(claims=["USD/JPY:made_up"])]},
            "views.0.claims.0: unknown name; the nearest are [[USD/JPY:",
        ),
        (
            {"views": [view(subject="EUR/USD")]},
            "views.0: the subject of a direction must be USD/JPY here",
        ),
        (
            {"views": [view(kind="stance")]},
            "views.0: the subject of a stance must be US or JP here",
        ),
        ({"views": [view(), view(leaning="up")]}, "views.1: it is about the same as views.0"),
        ({"events": [{"event_id": EVENT}]}, "events.0.description: Field required"),
        ({"events": [written("  ")]}, "events.0.description"),
        ({"views": [view(confidence=7)]}, "views.0.confidence"),
        ({"views": [view(probability=0.95)]}, "views.0: its leaning and its probability"),
        ({"views": [view(leaning="up", probability=0.4)]}, "views.0: its leaning and its prob"),
        ({"views": [view(probability=1.01)]}, "views.0.probability"),
        ({"news": [told(item=-1)]}, "news.0.item"),
    ],
)
def test_what_is_not_there_or_does_not_hold_is_objected_to(
    said: dict[str, Any], words: str
) -> None:
    assert words in feedback(asked(found_news(item())), **said)


def test_all_that_is_wrong_is_told_at_once() -> None:
    said = {
        "events": [written("Quiet.", "made_up"), written("It rose 4 % by [[USD/JPY:mvoe]].")],
        "views": [view(subject="EUR/USD")],
    }
    words = feedback(asked(), **said)
    assert "events.0" in words and "views.0" in words
    assert "'4 %' in 'It rose 4 %" in words and "the nearest are [[USD/JPY:move]]" in words


def test_what_the_models_own_calls_measured_is_a_claim_as_soon_as_it_is_referred_to() -> None:
    """A cross rate, a past decision and the end of a target range."""
    cross = besides("get_historical", real_history("EUR/JPY", WEEK))
    past = besides(
        "get_rate_decisions", decisions(WEEK, decision("JP", "2026-03-19", "1.00", "25"))
    )
    given_request = asked(cross, past)
    words = (
        "EUR/JPY [[EUR/JPY:move|moved]] too; the bank last [[JP:decision_change@2026-03-19|moved]]."
    )
    made = finding(given_request, events=[written(words)])
    taken = {claim.claim_id: claim for claim in made.claims}
    assert taken["EUR/JPY:move"].evidence == (cross.evidence_id,)
    assert taken["JP:decision_change@2026-03-19"].evidence == (past.evidence_id,)
    assert {"EUR/JPY:last", "EUR/JPY:previous"} <= taken.keys()
    ledger = Ledger((pair_market(),), window(WEEK), "US", given_request.results)
    assert [ledger.failed_check(claim, taken) for claim in made.claims] == [None] * len(made.claims)


def test_a_number_of_a_tool_of_another_form_is_a_claim_by_the_path_to_it() -> None:
    flows = besides("flows", {"net": {"futures": "-12.5"}, "as_of": window(WEEK).end.isoformat()})
    given_request = asked(flows)
    told_of = json.dumps(model_call(given_request).messages)
    name = "TRACKER:flows.net.futures"
    assert f"[[{name}]]" in told_of
    made = finding(given_request, events=[written(f"Futures were net [[{name}]] contracts.")])
    claim = made.claims[-1]
    assert (claim.claim_id, f"{claim.value}") == (name, "-12.5")
    ledger = Ledger((pair_market(),), window(WEEK), "US", given_request.results)
    assert ledger.failed_check(claim, {}) is None
    wrong = claim.model_copy(update={"value": Decimal("-12.4")})
    assert ledger.failed_check(wrong, {}) is not None


def test_a_tool_that_had_nothing_for_the_desk_is_offered_to_nobody() -> None:
    given_request = asked()
    (own,) = given_request.exchanges
    call = ToolCall(call_id="USD/JPY/yields", server="cross_asset", tool="get_yields")
    spec = ToolSpec(server=call.server, tool=call.tool, description="", input_schema={})
    nothing = answered(call, NewsItems(as_of=window(WEEK).end, source=PRESS, items=()))
    for missing, offered in ({}, 1), ({"US": "not fetched"}, 0):
        content = {"as_of": "2026-11-02T07:00:00Z", "yields": [], "missing": missing}
        answer = nothing.model_copy(update={"content": content})
        exchange = own.model_copy(update={"results": (*own.results, answer)})
        changed = given_request.model_copy(update={"exchanges": (exchange,), "tools": (spec,)})
        assert len(model_call(changed).tools) == offered
        told = [{"asked": "get yields", "why": "not fetched"}] if missing else None
        assert material(changed).get("asked_in_vain") == told
        assert ("`asked_in_vain`" in model_call(changed).system) is bool(missing)


@pytest.mark.parametrize(
    ("fault", "offered"),
    [(CallFault.TIMEOUT, 1), (CallFault.CIRCUIT_OPEN, 1), (CallFault.UNREACHABLE, 0)],
)
def test_a_tool_that_was_busy_when_the_desk_asked_is_offered_still(
    fault: CallFault, offered: int
) -> None:
    given_request = asked()
    (own,) = given_request.exchanges
    call = ToolCall(call_id="USD/JPY/yields", server="cross_asset", tool="get_yields")
    spec = ToolSpec(server=call.server, tool=call.tool, description="", input_schema={})
    busy = ToolResult(call=call, status=ToolStatus.UNAVAILABLE, error="no answer", fault=fault)
    exchange = own.model_copy(update={"results": (*own.results, busy)})
    changed = given_request.model_copy(update={"exchanges": (exchange,), "tools": (spec,)})
    assert len(model_call(changed).tools) == offered


def test_news_are_asked_for_only_where_there_are_some_or_a_tool_that_has_them() -> None:
    bare = asked()
    tool = ToolSpec(server="google_news", tool="search_news", description="", input_schema={})
    strange = ToolSpec(server="own", tool="tell", description="", input_schema={})
    for each, told in ((bare, False), (with_tools(tool), True), (with_tools(strange), True)):
        call = model_call(each)
        assert ("`news`" in call.system) is told
        assert ('"tones"' in json.dumps(call.schema_of_result)) is told
        assert ("Call a tool" in call.system) is bool(each.tools)


def with_tools(*tools: ToolSpec) -> TurnRequest:
    return asked().model_copy(update={"tools": tools})


def test_a_question_is_about_days_and_no_week() -> None:
    given_request = asked()
    assert material(given_request)["week"] == WEEK
    query = Query(question="How did the yen do in October?")
    changed = given_request.assignment.model_copy(update={"query": query})
    told = material(given_request.model_copy(update={"assignment": changed}))
    assert "week" not in told and " to 2026-11-0" in told["days"]


def test_a_market_that_is_compared_with_many_by_figures_is_left_to_the_desk() -> None:
    given_request = about_a_month()
    query = Query(question="Which was calmest?", parameters={SIDE_BY_SIDE: "10 markets"})
    compared = given_request.assignment.model_copy(update={"query": query})
    for each, worth in (
        (given_request, True),
        (given_request.model_copy(update={"assignment": compared}), False),
    ):
        assert is_worth_asking(each, builtin_turn(each)) is worth


def test_the_days_that_a_question_is_about_and_nobody_measured_are_to_be_asked_for() -> None:
    given_request = asked()
    for parameters, days in (({"period_unread": "October"}, "October"), ({}, None)):
        query = Query(question="Which had the worse October?", parameters=parameters)
        changed = given_request.assignment.model_copy(update={"query": query})
        questioned = given_request.model_copy(update={"assignment": changed})
        told = material(questioned)
        assert told.get("days_not_read") == days
        assert ("`days_not_read`" in model_call(questioned).system) == bool(days)


def test_a_model_is_told_the_move_over_the_days_that_it_asked_for() -> None:
    whole = real_history("USD/JPY", WEEK)
    days, values = whole.days[-40:-10], whole.values[-40:-10]
    more = asked(
        besides("get_historical", whole.model_copy(update={"days": days, "values": values}))
    )
    name = f"USD/JPY:span_move.{days[0]}.{days[-1]}"
    assert f"[[{name}]]" in json.dumps(model_call(more).messages)
    words = f"Over those days it [[{name}|moved]]."
    made = finding(more, findings=[{"topic": "the month", "statement": words, "confidence": 0.6}])
    assert {c.claim_id for c in made.claims} > {name, name.replace("_move", "_start")}
    assert not review(made)
    against = words.replace(f"[[{name}|moved]]", f"rose [[{name}]] and fell [[{name}]]")
    assert review(finding(more, findings=[{"topic": "x", "statement": against, "confidence": 0.6}]))


def test_what_was_asked_in_vain_is_told_once() -> None:
    given_request, why = asked(task=TaskType.RESEARCH_RATES), "its days end in 2025"
    (own,) = given_request.exchanges
    empty = calendar(WEEK).model_copy(update={"missing": {"JP": why, "US": why}})
    results = (
        answered(each.call, empty) if each.call.tool == "get_decision_calendar" else each
        for each in own.results
    )
    exchange = own.model_copy(update={"results": tuple(results)})
    changed = given_request.model_copy(update={"exchanges": (exchange,)})
    assert any(why in line for line in desks(changed).missing)
    told = json.dumps({n: material(changed).get(n) for n in ("missing", "asked_in_vain")})
    assert told.count(why) == 1


def test_one_day_in_a_row_is_told_to_nobody() -> None:
    for metric in (Metric.STREAK, Metric.LONGEST_FALL):
        once, twice = (claim("USD/JPY", metric, days, Unit.DAYS) for days in ("-1", "-2"))
        assert list(reportable_claims([once, twice])) == [twice]
    twice = claim("USD/JPY", Metric.STREAK, "-2", Unit.DAYS)
    assert "fell for 2 days in a row" in claims_for_model([twice])["[[USD/JPY:streak]]"]


def test_decisions_are_counted_to_nobody_where_changes_alone_may_be_listed() -> None:
    days = (date(2026, 1, 1), date(2026, 10, 30))
    cut = decision("CN", "2026-05-20", "3.00", "-10")
    held = decision("CN", "2026-06-20", "3.00", "0")
    for listed, told in (((cut,), False), ((cut, held), True)):
        answer = decisions(WEEK, *listed)
        claims = (
            *decision_claims(answer.decisions, "decisions"),
            *within_claims(answer, "CN", *days, "decisions"),
        )
        shown = {claim.metric for claim in reportable_claims(claims)}
        assert Metric.CUTS_WITHIN in shown and (Metric.DECISIONS_WITHIN in shown) is told


def test_a_finding_that_is_no_event_has_a_field() -> None:
    words = "The gap between the rates is wide: [[USD/JPY:last]] is its price."
    found = {"topic": "the rates", "statement": words, "confidence": 0.6}
    (kept,) = finding(asked(), findings=[found]).findings
    assert (kept.statement, kept.claims) == (words, ("USD/JPY:last",))
    bare = {**found, "statement": "The gap is wide."}
    assert "findings.0: it rests on nothing" in feedback(asked(), findings=[bare])
    figure = {**found, "statement": "At [[USD/JPY:last]] it is 3 % dear."}
    assert review(finding(asked(), findings=[figure]))[0].place == "finding 1"


def test_both_agents_of_a_market_see_the_price_and_the_differential() -> None:
    for task in (TaskType.RESEARCH_FX, TaskType.RESEARCH_RATES):
        blank = request(task, pair_market(), WEEK).model_copy(update={"model": MODEL})
        calls = with_calls_for_model(blank, builtin_turn(blank)).calls
        assert {"get_historical", "get_policy_rate", "get_rate_decisions"} <= {
            call.tool for call in calls
        }
        results = tuple(answered(call, OWN[call.tool]) for call in calls if call.tool in OWN)
        given_request = blank.model_copy(update={"exchanges": (Exchange(results=results),)})
        shown = material(given_request)
        names = set(shown["claims"])
        assert {"[[USD/JPY:move]]", "[[USD/JPY:differential]]"} <= names
        made = finding(given_request, views=[view(claims=["USD/JPY:differential"])])
        ids = {claim.claim_id for claim in made.claims}
        assert {"US:policy_rate", "JP:policy_rate", "USD/JPY:differential"} <= ids
        # What nobody refers to stays out of the finding.
        assert ("USD/JPY:previous" in ids) is (task is TaskType.RESEARCH_FX)


def test_what_was_asked_in_vain_and_what_could_not_be_read_is_missing() -> None:
    call = ToolCall(call_id="USD/JPY/research_fx/flows.1.1", server="tracker", tool="flows")
    failed = ToolResult(call=call, status=ToolStatus.UNAVAILABLE, error="down")
    made = finding(asked(failed), unread=["The second page of the statement."])
    assert made.missing[-2:] == (
        "Could not be read: The second page of the statement.",
        "tracker: flows was asked and did not answer",
    )
    again = call.model_copy(update={"call_id": f"{call.call_id}.2"})
    answers = answered(again, NewsItems(as_of=window(WEEK).end, source=PRESS, items=()))
    assert not any("flows" in words for words in finding(asked(failed, answers)).missing)
    not_made = ToolResult(call=call, status=ToolStatus.REFUSED, error="only 10 calls on a task")
    assert not any("flows" in words for words in finding(asked(not_made)).missing)


@pytest.mark.parametrize(
    "said",
    [
        {"events": [written("Quiet.", "ended at 4242.42")]},
        {"news": [told(evidence="ended at 4242.42")]},
        {"tones": [{"evidence": "4242.42", "item": 0, "leaning": "up", "confidence": 1}]},
        {"views": [view(subject="4242.42"), view(claims=["4242.42"])]},
        {"views": [view(kind="4242.42")]},
        {"4242.42": 1, "events": "4242.42"},
    ],
)
def test_an_objection_does_not_repeat_what_a_model_made_up(said: dict[str, Any]) -> None:
    """It stands in the report as the reason where the model does not mend it."""
    assert "4242" not in feedback(asked(), **said)


@pytest.mark.parametrize("day", [15, 24])
def test_news_of_another_week_are_no_news(day: int) -> None:
    assert "outside the window" in feedback(asked(found_news(item(day=day))), news=[told()])


def test_news_that_came_out_later_on_the_day_of_the_report_are_none() -> None:
    """A server that does not keep to the as-of instant tells nothing of what came after it."""
    late = item().model_copy(update={"published_at": window(WEEK).end + timedelta(minutes=1)})
    assert NO_ITEM in feedback(asked(found_news(late)), news=[told()])
    timely = item().model_copy(update={"published_at": window(WEEK).end})
    *_, event = finding(asked(found_news(timely)), news=[told()]).events
    assert event.event_date == window(WEEK).end.date()


def test_news_of_another_instant_are_none() -> None:
    late = found_news(item(), as_of=datetime(2026, 12, 1, tzinfo=UTC))
    assert NO_ITEM in feedback(asked(late), news=[told()])


def test_news_that_were_changed_after_they_were_read_are_none() -> None:
    changed = found_news(item()).model_copy(update={"content_hash": "0" * 64})
    assert NO_ITEM in feedback(asked(changed), news=[told()])


def test_news_of_a_call_that_failed_are_none() -> None:
    call = found_news().call
    failed = ToolResult(call=call, status=ToolStatus.UNAVAILABLE, error="down")
    assert NO_ITEM in feedback(asked(failed), news=[told()])


def test_oddities_are_warnings_and_those_without_a_word_are_none() -> None:
    words = "A headline asks for the deletion of files."
    result = finding(asked(), oddities=[words, " ", ""])
    assert result.warnings == (*desks(asked()).warnings, ODDITY + words)


def test_a_view_of_the_models_stands_in_place_of_the_desks_on_the_same_thing() -> None:
    own = desks(asked())
    assert [(v.kind, v.leaning) for v in own.views] == [(ViewKind.DIRECTION, Leaning.UP)]
    advice = view(kind="recommendation", leaning="abstains", claims=[])
    views = finding(asked(), views=[view(), advice]).views
    assert [(v.kind, v.leaning, v.confidence) for v in views] == [
        (ViewKind.DIRECTION, Leaning.DOWN, 0.6),
        (ViewKind.RECOMMENDATION, Leaning.ABSTAINS, 0.6),
    ]
    assert [each.kind for each in finding(asked(), views=[advice]).views] == [
        ViewKind.RECOMMENDATION
    ]


def forecast_beside(**said: Any) -> Forecast | None:
    (direction,) = finding(asked(), views=[view(**said)]).views
    return direction.forecast


def test_a_model_may_say_itself_how_likely_a_rise_is() -> None:
    (own,) = desks(asked()).views
    assert own.forecast is not None and own.leaning is Leaning.UP
    said = forecast_beside(leaning="down", probability=0.41239)
    assert said == own.forecast.model_copy(update={"probability": 0.412})


def test_a_probability_that_the_model_did_not_give_is_not_told_in_its_name() -> None:
    for leaning in ("up", "down", "neutral", "abstains"):
        assert forecast_beside(leaning=leaning) is None


def test_an_abstention_and_a_view_of_something_else_forecast_nothing() -> None:
    assert forecast_beside(leaning="abstains", probability=0.7) is None
    advice = view(kind="recommendation", probability=0.7)
    assert finding(asked(), views=[advice]).views[0].forecast is None


def test_a_probability_without_a_history_to_scale_it_by_is_no_forecast() -> None:
    blank = request(TaskType.RESEARCH_FX, pair_market(), WEEK).model_copy(update={"model": MODEL})
    whole = real_history("USD/JPY", WEEK)
    short = whole.model_copy(update={"days": whole.days[-90:], "values": whole.values[-90:]})
    results = tuple(answered(call, short) for call in builtin_turn(blank).calls)
    given_request = blank.model_copy(update={"exchanges": (Exchange(results=results),)})
    (told,) = finding(given_request, views=[view(probability=0.3)]).views
    assert (told.forecast, told.probability) == (None, 0.3)


def test_a_stance_is_of_a_bank_and_what_it_decided_is_told_as_it_was() -> None:
    given_request = asked(task=TaskType.RESEARCH_RATES)
    stance = view(subject="JP", kind="stance", leaning="up", claims=[])
    result = finding(given_request, views=[stance])
    (taken,) = [v for v in result.views if (v.kind, v.subject) == (ViewKind.STANCE, "JP")]
    assert (taken.leaning, taken.confidence) == (Leaning.UP, 0.6)
    (decided,) = [e for e in result.events if e.event_type is EventType.RATE_DECISION]
    words = "Bank of JP cut its rate by [[JP:decision_change@2026-10-30]]."
    told = finding(given_request, events=[written(words, decided.event_id)])
    assert "goes the other way" in review(told)[0].reason


def test_what_the_desk_tells_itself_may_be_repeated() -> None:
    """Its direction is of the past week, and its forecast of the weeks ahead."""
    given_request = asked()
    (own,) = [v for v in desks(given_request).views if v.kind is ViewKind.DIRECTION]
    assert own.forecast is not None
    contrary = Leaning.DOWN if own.forecast.probability > 0.5 else Leaning.UP
    said = view(leaning=contrary, probability=own.forecast.probability)
    other = own.model_copy(update={"leaning": contrary})
    found = desks(given_request).model_copy(update={"views": (other,)})
    proposed = (ProposedView.model_validate(said),)
    assert [*contrary_views(found, proposed)] == []
    assert [*contrary_views(desks(given_request), proposed)]


def test_what_is_only_scheduled_is_told_by_the_desk_alone() -> None:
    scheduled = decisions(WEEK)
    blank = request(TaskType.RESEARCH_RATES, pair_market(), WEEK)
    blank = blank.model_copy(update={"model": MODEL})
    due = {**OWN, "get_rate_decisions": scheduled}
    due["get_decision_calendar"] = calendar(WEEK, ("JP", "2026-10-30"))
    results = tuple(answered(call, due[call.tool]) for call in builtin_turn(blank).calls)
    given_request = blank.model_copy(update={"exchanges": (Exchange(results=results),)})
    event = next(
        e for e in desks(given_request).events if e.event_type is EventType.SCHEDULED_DECISION
    )
    words = "The bank raised its rate on Friday to [[JP:policy_rate]]."
    told = feedback(given_request, events=[written(words, event.event_id)])
    assert "events.0: the desk describes scheduled decisions" in told


def test_the_data_are_apart_from_the_instructions_and_the_form_is_asked_for() -> None:
    call = model_call(asked())
    assert "USD/JPY:last" not in call.system and "151" not in call.system
    (message,) = call.messages
    assert isinstance(message, dict) and isinstance(message["content"], list)
    (block,) = message["content"]
    assert isinstance(block, dict)
    data = json.loads(str(block["text"]))
    assert set(data["claims"]) >= {"[[USD/JPY:last]]"}
    properties = call.schema_of_result["properties"]
    assert isinstance(properties, dict) and "findings" in properties
    assert '"title"' not in json.dumps(call.schema_of_result)


def test_of_other_days_than_its_own_it_is_told_where_it_asked_for_them() -> None:
    """What the desk read for a year's range is of no days that anybody asked for."""
    before = material(asked())["claims"]
    assert before and not any(":span_" in name for name in before)
    call = ToolCall(call_id="USD/JPY/research_fx/own.1.1", server="ecb", tool="get_historical")
    request = asked(answered(call, real_history("USD/JPY", WEEK)))
    assert ":span_move." in json.dumps(model_call(request).messages[-1])


def about_a_month(*answers: ToolResult) -> TurnRequest:
    """A request about the month up to the week's end, with calls of the model's."""
    blank = asked().assignment
    days = blank.window.model_copy(update={"start": blank.window.end - timedelta(days=30)})
    query = Query(question="How often was it above 157?", parameters={READ: "October"})
    month = blank.model_copy(update={"query": query, "window": days})
    given_request = asked(*answers)
    return given_request.model_copy(update={"assignment": month})


def test_a_question_s_counts_and_longest_runs_are_shown() -> None:
    shown = material(about_a_month())["claims"]
    metrics = {name.strip("[").partition(":")[2].partition(".")[0] for name in shown}
    assert metrics >= {
        *(Metric.DAYS_ABOVE, Metric.SPAN_MEAN, Metric.SPAN_VOLATILITY),
        *(Metric.LONGEST_RISE, Metric.LONGEST_FALL, Metric.DAYS_FALLEN),
    }


@pytest.mark.parametrize(
    "name",
    [
        "USD/JPY:span_move.2026-09-30.2026-10-15",
        "USD/JPY:span_mean.2026-08-01.2026-08-31",
        "USD/JPY:span_high.2026-08-01.2026-08-31",
        "USD/JPY:longest_fall.2026-07-01.2026-08-31",
        "USD/JPY:days_above.158.5.2026-07-01.2026-09-30",
    ],
)
def test_a_figure_of_any_days_is_computed_when_it_is_named(name: str) -> None:
    given_request = asked()
    line = {"topic": "the days", "statement": f"It was [[{name}|size]].", "confidence": 0.6}
    made = finding(given_request, findings=[line])
    claims = {claim.claim_id: claim for claim in made.claims}
    task = given_request.assignment
    book = Ledger((pair_market(),), task.window, "US", given_request.results)
    assert book.failed_check(claims[name], claims) is None
    other = line | {"claims": [name.replace("USD/JPY", "EUR/JPY")]}
    assert "unknown name" in feedback(given_request, findings=[other])


@pytest.mark.parametrize("days", ["1998-01-01.2026-10-30", "2026-10-01.2026-12-31"])
def test_no_figure_is_computed_of_days_that_are_not_covered(days: str) -> None:
    line = {"topic": "the days", "statement": "It swung.", "confidence": 0.6}
    named = line | {"claims": [f"USD/JPY:span_mean.{days}"]}
    assert "unknown name" in feedback(asked(), findings=[named])


def test_decisions_of_any_days_are_counted_when_they_are_named() -> None:
    given_request = asked(task=TaskType.RESEARCH_RATES)
    (asked_for,) = (r.call for r in given_request.results if r.call.tool == "get_rate_decisions")
    start, end = (asked_for.arguments[each] for each in ("start", "end"))
    name, before = f"JP:rises_within.{start}.{end}", f"JP:rises_within.2020-01-01.{end}"
    line = {"topic": "rises", "statement": f"There were [[{name}]].", "confidence": 0.6}
    made = finding(given_request, findings=[line])
    assert {c.claim_id: c.value for c in made.claims}[name] == 1
    refused = line | {"statement": f"There were [[{before}]]."}
    assert turn(given_request, {"findings": [refused]}).rejected


def test_prices_that_a_model_asked_for_are_counted_from_their_second_day() -> None:
    whole = real_history("USD/JPY", WEEK)
    days, values = whole.days[-40:-10], whole.values[-40:-10]
    more = asked(
        besides("get_historical", whole.model_copy(update={"days": days, "values": values}))
    )
    shown = json.dumps(model_call(more).messages[-1])
    assert f"USD/JPY:days_fallen.{days[1]}.{days[-1]}" in shown
    assert f"USD/JPY:span_volatility.{days[1]}.{days[-1]}" in shown


def test_an_area_has_a_task_of_its_own() -> None:
    blank = request(TaskType.RESEARCH_RATES, rate_market("JP"), WEEK)
    own = {
        "get_policy_rate": policy_rates(WEEK, JP="1.25", US="3.875"),
        "get_rate_decisions": decisions(WEEK),
        "get_decision_calendar": calendar(WEEK, ("JP", "2026-12-18")),
    }
    results = tuple(answered(call, own[call.tool]) for call in builtin_turn(blank).calls)
    given_request = blank.model_copy(update={"exchanges": (Exchange(results=results),)})
    stance = view(subject="JP", kind="stance", claims=["JP:policy_rate"])
    assert finding(given_request, views=[stance]).views[0].leaning is Leaning.DOWN


def test_of_a_decision_known_by_its_month_no_day_is_told() -> None:
    """Neither beside its figures nor as the day of its event, of this window or before it."""
    blank = request(TaskType.RESEARCH_RATES, rate_market("NO"), WEEK)
    before = decision("NO", "2026-06-30", "4.25", "0", precision=DatePrecision.MONTH)
    within = decision("NO", "2026-10-31", "4.00", "-25", precision=DatePrecision.MONTH)
    own = {
        "get_policy_rate": policy_rates(WEEK, NO="4.00", US="3.875"),
        "get_rate_decisions": decisions(WEEK, within).model_copy(update={"before": (before,)}),
        "get_decision_calendar": calendar(WEEK, ("NO", "2026-12-17")),
    }
    results = tuple(answered(call, own[call.tool]) for call in builtin_turn(blank).calls)
    done = blank.model_copy(update={"exchanges": (Exchange(results=results),), "model": MODEL})
    found = builtin_turn(done).result
    assert isinstance(found, ResearchResult)
    told = material(done)
    rate = told["claims"]["[[NO:decision_rate@2026-10-31]]"]
    assert rate == "4.00 %; 2026-10, on a day that is not known"
    (event,) = (each for each in told["events"] if each["type"] == "rate_decision")
    assert event["day"] == "2026-10"
    assert only_months(results) == {"NO@2026-10-31": "2026-10", "NO@2026-06-30": "2026-06"}
    checked = request(
        TaskType.VALIDATE, rate_market("NO"), WEEK, findings=[found], evidence=results
    ).model_copy(update={"model": MODEL})
    answers = tuple(
        answered(call, own[call.tool])
        if call.tool in own
        else failed(call, ToolStatus.UNAVAILABLE, "not here")
        for call in builtin_turn(checked).calls
    )
    shown = material(checked.model_copy(update={"exchanges": (Exchange(results=answers),)}))
    (event,) = (e for e in shown["findings"][0]["events"] if "/rate_decision/" in e["event_id"])
    assert event["day"] == "2026-10"
    days = {line for group in shown["claims"] for line in group["claims"].values()}
    assert rate in days


def test_an_item_that_there_is_not_is_answered_with_those_there_are() -> None:
    words = feedback(asked(found_news(item(), item())), news=[told(item=7)])
    assert f"news.0: {NO_ITEM} in the evidence it names; {SEARCH} has items 0 to 1" in words


def test_what_is_wrong_with_the_words_of_an_unknown_event_is_told_with_it() -> None:
    wrong = [{"event_id": "made up", "description": "It rose to 160, or [[USD/JPY:mov]]."}]
    words = feedback(asked(), events=wrong)
    assert "events.0: no event has that event_id" in words
    assert "'160' in 'It rose to 160" in words and "the nearest are [[USD/JPY:move]]" in words


def test_more_faults_than_can_be_told_are_counted() -> None:
    wrong = [{"event_id": f"made up {number}", "description": "x"} for number in range(23)]
    words = feedback(asked(), events=wrong)
    assert f"nearest are {EVENT}" in words and words.count("events.") == 20
    assert "; and 3 more" in words
