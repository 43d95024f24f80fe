"""What histories add to a lesson: tries in vain, and the calls of tasks that were not delivered."""

from datetime import UTC, datetime, timedelta
from typing import Any

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import ToolStatus
from desk.contracts.learning.lessons import ToolUse, Trouble, TroubleKind
from desk.contracts.names import AgentId, CallFault, market_run_id, reassignment_run_id
from desk.contracts.week.report import MarketOutcome
from desk.learning.lessons.attempts import AttemptRecord, Fault, sources_of, task_key, with_attempts
from desk.learning.lessons.week_lesson import MOST_TROUBLES
from tests.support.documents.report_outcomes import made_up_history, pair_outcome
from tests.support.runs.learning import lesson, use

AT = datetime(2026, 11, 2, 7, 0, tzinfo=UTC)
MARKET = market_run_id("weekly-2026-W44", "USD/JPY")
LATE = Fault(CallFault.TIMEOUT, "ecb.get_quote did not answer within 13.5 s")
KILLED = Fault(None, "activity Heartbeat timeout")


def call(**fields: Any) -> AttemptRecord:
    """A call of the ECB's quotes by research agent 1, answered at once."""
    given = {
        "workflow_id": MARKET,
        "activity_id": "research_agent_1.research_fx.t1.quote",
        "at": AT,
        "server": "ecb",
        "tool": "get_quote",
        "status": ToolStatus.OK,
        **fields,
    }
    return AttemptRecord(**given)


def told(*tried: AttemptRecord, counted: bool = False) -> tuple[ToolUse, tuple[Trouble, ...]]:
    """What was had of the ECB's quotes, which the lesson has ten calls of already, and what went
    wrong."""
    keys = {task_key(one.workflow_id, one.activity_id) for one in tried} if counted else set()
    found = with_attempts(lesson(44, tools=(use("ecb", calls=10),)), tried, keys)
    return found.tools[0], found.troubles


def test_a_call_of_a_task_that_was_not_delivered_counts() -> None:
    had, (trouble,) = told(call(status=ToolStatus.UNAVAILABLE, last=LATE))
    assert (had.calls, had.failed, had.retried) == (11, 1, 0)
    assert (trouble.kind, trouble.fault) == (TroubleKind.TOOL_UNAVAILABLE, CallFault.TIMEOUT)
    assert (trouble.market, trouble.agent) == ("USD/JPY", AgentId.RESEARCH_AGENT_1)
    assert (trouble.server, trouble.tool, trouble.at) == ("ecb", "get_quote", AT)


def test_one_of_a_task_that_the_lesson_has_counts_once() -> None:
    had, troubles = told(call(status=ToolStatus.UNAVAILABLE, last=LATE), counted=True)
    assert (had.calls, had.failed, troubles) == (10, 0, ())


def test_tries_before_an_answer_are_a_trouble_and_no_failed_call() -> None:
    had, (trouble,) = told(call(tries=3, before=LATE), counted=True)
    assert (had.calls, had.failed, had.retried) == (10, 0, 2)
    assert (trouble.kind, trouble.fault) == (TroubleKind.TOOL_RETRIED, CallFault.TIMEOUT)
    assert trouble.words == LATE.words


def test_tries_before_the_last_in_vain_are_told_once() -> None:
    last = call(tries=3, before=LATE, status=ToolStatus.UNAVAILABLE, last=LATE)
    had, (trouble,) = told(last)
    assert (had.calls, had.failed, had.retried) == (11, 1, 2)
    assert trouble.kind is TroubleKind.TOOL_UNAVAILABLE


def test_a_worker_that_was_killed_is_held_against_no_source() -> None:
    had, (trouble,) = told(call(tries=2, before=KILLED), counted=True)
    assert had.retried == 0
    assert (trouble.kind, trouble.server, trouble.fault) == (TroubleKind.TOOL_RETRIED, None, None)


def test_a_turn_that_was_taken_at_another_try_is_a_trouble_of_its_agent() -> None:
    turn = AttemptRecord(
        workflow_id=reassignment_run_id(MARKET, "research_fx"),
        activity_id="research_agent_2.research_fx.t2",
        at=AT,
        tries=2,
        before=Fault(None, "overloaded"),
    )
    had, (trouble,) = told(turn)
    assert (had.calls, trouble.kind) == (10, TroubleKind.TURN_RETRIED)
    assert (trouble.agent, trouble.market) == (AgentId.RESEARCH_AGENT_2, "USD/JPY")


def test_a_call_that_was_cancelled_counts_as_none() -> None:
    assert told(call(status=None)) == (use("ecb", calls=10), ())


def test_what_is_beyond_the_most_troubles_is_counted() -> None:
    failed = [
        call(
            activity_id=f"research_agent_1.research_fx.t{n}.quote",
            at=AT + timedelta(seconds=n),
            status=ToolStatus.UNAVAILABLE,
            last=LATE,
        )
        for n in range(MOST_TROUBLES + 7)
    ]
    found = with_attempts(lesson(44), failed, frozenset())
    assert (len(found.troubles), found.more_troubles) == (MOST_TROUBLES, 7)


def test_calls_of_a_task_are_told_from_those_of_another() -> None:
    places = {
        task_key(MARKET, activity)
        for activity in (
            "research_agent_1.research_fx.t1",
            "research_agent_1.research_fx.t12.get_historical",
            "research_agent_1.research_fx.t1.quote.2",
        )
    }
    assert len(places) == 1
    assert task_key(MARKET, "research_agent_2.research_fx.t1") not in places


def test_a_run_that_continues_another_looks_where_its_outcomes_are_from() -> None:
    answer = pair_outcome(made_up_history("EUR/USD", 1.1, 4, 0.01))
    lost = MarketOutcome(
        market="USD/JPY",
        outcome=Outcome.DEAD_LETTERED,
        dead_letters=(reassignment_run_id(MARKET, "research_fx"),),
    )
    again = market_run_id("weekly-2026-W44", "JP", 2)
    found = sources_of([again], (answer, lost))
    places = {each.place.workflow_id for each in answer.evidence if each.place is not None}
    assert places and set(found.workflows) == {MARKET, again, *places}
