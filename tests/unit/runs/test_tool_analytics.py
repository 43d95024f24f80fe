"""What agents had of their tools in a run, and what of it stays out of reports and tapes."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import AskedBesides, CallPlace, ToolCall, ToolResult, ToolStatus
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ResearchResult
from desk.contracts.learning.lessons import ToolUse, TroubleKind
from desk.contracts.names import AgentId, CallFault
from desk.contracts.runs.tape import Effect
from desk.contracts.runs.turns import Exchange
from desk.contracts.week.report import MarketOutcome
from desk.documents.evidence import carried_whole
from desk.learning.lessons.troubles import troubles_of
from desk.runs.tapes import digests_of
from desk.runs.tools import sharing_cost, summed, tool_uses
from tests.support.builders import claim, finding, pair_market, request

FIRST, SECOND = AgentId.RESEARCH_AGENT_1, AgentId.RESEARCH_AGENT_2


def asked(
    agent: AgentId,
    name: str,
    *,
    status: ToolStatus = ToolStatus.OK,
    took: float | None = None,
    kept: bool = False,
    besides: Sequence[AskedBesides] = (),
) -> ToolResult:
    """A call of `ecb.get_quote` that an agent made, with an id of its own."""
    return ToolResult(
        call=ToolCall(call_id=name, server="ecb", tool="get_quote"),
        status=status,
        took=took,
        kept=kept,
        besides=tuple(besides),
        place=CallPlace(
            workflow_id="weekly/market/USD/JPY",
            run_id="run",
            activity_id=f"{agent}.research_fx.t1.get_quote",
        ),
    )


def resting_on(agent: AgentId, *names: str) -> ResearchResult:
    stated = claim("USD/JPY", Metric.LAST, "150.00").model_copy(update={"evidence": names})
    return finding(stated, agent=agent)


def outcome(*evidence: ToolResult, results: Sequence[ResearchResult] = ()) -> MarketOutcome:
    return MarketOutcome(
        market="USD/JPY", outcome=Outcome.RESEARCHED, results=tuple(results), evidence=evidence
    )


def test_calls_are_counted_by_agent_and_by_what_became_of_them() -> None:
    outcomes = [
        outcome(
            asked(FIRST, "a", took=0.25, kept=True),
            asked(FIRST, "b", took=0.5, status=ToolStatus.REFUSED),
            asked(SECOND, "c", took=1.0),
        ),
        outcome(asked(FIRST, "d", status=ToolStatus.UNAVAILABLE)),
    ]
    uses = tool_uses(outcomes)
    told = [(u.agent, u.calls, u.failed, u.refused, u.kept, u.timed, u.seconds) for u in uses]
    assert told == [(FIRST, 3, 1, 1, 1, 2, 0.75), (SECOND, 1, 0, 0, 0, 1, 1.0)]


def test_an_answer_of_a_source_that_was_not_reached_counts_as_none() -> None:
    content: JsonValue = {
        "items": [],
        "unreachable_since": "2026-10-30T20:00:00Z",
        "missing": "news.google.com does not answer",
    }
    empty = asked(FIRST, "a").model_copy(update={"content": content})
    without_news = asked(FIRST, "b").model_copy(update={"content": {"items": []}})
    (use,) = tool_uses([outcome(empty, without_news)])
    assert (use.calls, use.failed) == (2, 1)
    (trouble,) = troubles_of([outcome(empty)], (), datetime(2026, 11, 1, tzinfo=UTC))
    assert trouble.kind is TroubleKind.TOOL_UNAVAILABLE
    assert trouble.fault is CallFault.UNREACHABLE
    assert trouble.words == "news.google.com does not answer"


def test_a_call_is_cited_where_the_work_of_the_agent_that_asked_rests_on_its_answer() -> None:
    calls = (asked(FIRST, "mine"), asked(FIRST, "unused"), asked(SECOND, "theirs"))
    uses = tool_uses([outcome(*calls, results=[resting_on(FIRST, "mine", "theirs")])])
    assert [(use.agent, use.cited) for use in uses] == [(FIRST, 1), (SECOND, 0)]


def test_an_answer_that_was_not_given_cannot_be_cited() -> None:
    missed = asked(FIRST, "mine", status=ToolStatus.UNAVAILABLE)
    (use,) = tool_uses([outcome(missed, results=[resting_on(FIRST, "mine")])])
    assert (use.calls, use.cited) == (1, 0)


def test_the_source_that_another_stood_in_for_was_asked_too() -> None:
    gone = AskedBesides(server="terminal", tool="last", status=ToolStatus.UNAVAILABLE)
    stood_in = asked(FIRST, "mine", besides=[gone])
    uses = tool_uses([outcome(stood_in, results=[resting_on(FIRST, "mine")])])
    told = [(use.server, use.tool, use.calls, use.failed, use.cited) for use in uses]
    assert told == [("ecb", "get_quote", 1, 0, 1), ("terminal", "last", 1, 1, 0)]


def test_a_call_that_was_put_to_nobody_does_not_count() -> None:
    refused = asked(FIRST, "mine", status=ToolStatus.REFUSED).model_copy(update={"place": None})
    assert tool_uses([outcome(refused)]) == ()


seconds = st.floats(0.0, 1e3, allow_nan=False)
uses = st.builds(
    ToolUse,
    agent=st.sampled_from((FIRST, SECOND)),
    server=st.sampled_from(("ecb", "reuters")),
    tool=st.just("get_quote"),
    calls=st.integers(0, 9),
    cited=st.integers(0, 9),
    timed=st.integers(0, 9),
    seconds=seconds,
    cost_usd=st.decimals(0, 9, places=9),
)


@given(st.lists(uses, max_size=12), st.randoms(use_true_random=False))
def test_sums_do_not_hang_on_the_order(given: list[ToolUse], dice: Random) -> None:
    once = summed(given)
    assert summed(dice.sample(given, len(given))) == once
    assert sum(use.calls for use in once) == sum(use.calls for use in given)
    assert summed(once) == once


def test_a_report_does_not_tell_how_long_calls_took_and_what_they_cost() -> None:
    gone = AskedBesides(server="terminal", tool="last", status=ToolStatus.OK, took=0.3)
    call = ToolCall(call_id="mine", server="ecb", tool="get_historical")
    timed = asked(FIRST, "mine", took=0.2, kept=True, besides=[gone]).model_copy(
        update={"call": call, "cost_usd": Decimal("0.01")}
    )
    untimed = asked(FIRST, "mine").model_copy(update={"call": call})
    assert carried_whole({timed.evidence_id: timed}).results == (untimed,)


def test_a_tape_does_not_ask_how_long_calls_took_and_what_they_cost() -> None:
    turn = request(TaskType.RESEARCH_FX, pair_market())
    gone = AskedBesides(server="terminal", tool="last", status=ToolStatus.UNAVAILABLE)
    digests = [
        digests_of(
            Effect.TURN,
            turn.model_copy(
                update={"exchanges": (Exchange(results=(result,)),), "evidence": (result,)}
            ),
        )
        for result in (
            asked(FIRST, "mine"),
            *sharing_cost(
                [asked(FIRST, "mine", took=0.2, kept=True, besides=[gone])], Decimal("0.01")
            ),
        )
    ]
    assert digests[0] == digests[1]
    assert "exchanges" in digests[0]


def test_a_turn_is_shared_among_the_calls_that_it_asked_for() -> None:
    turn = sharing_cost(
        [asked(FIRST, "a"), asked(FIRST, "b"), asked(FIRST, "c")], Decimal("0.1000001")
    )
    assert {answer.cost_usd for answer in turn} == {Decimal("0.033333367")}
    (use,) = tool_uses([outcome(*turn), outcome(*sharing_cost(turn[:1], Decimal("0.5")))])
    assert use.cost_usd == Decimal("0.600000101")
    free = sharing_cost([asked(FIRST, "a")], Decimal(0))
    assert "cost_usd" not in free[0].model_dump()
    assert "cost_usd" not in tool_uses([outcome(*free)])[0].model_dump()
