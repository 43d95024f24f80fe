"""The plan of a question by a model: which markets are researched for it, and over which days."""

import json
from datetime import UTC, date, datetime
from typing import Any

import pytest

from desk.analytics.names.periods import READ, UNREAD
from desk.analytics.prices.series import window_days
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.model_calls import ModelAnswer, StopReason
from desk.contracts.agents.tasks import (
    DAYS_ASKED,
    RANK,
    SIDE_BY_SIDE,
    SINCE_DECISION,
    Query,
    TaskAssignment,
    TaskType,
)
from desk.contracts.agents.usage import Usage
from desk.contracts.names import AgentId
from desk.contracts.question.plan import QuestionPlan
from desk.contracts.runs.turns import Exchange, Turn, TurnRequest
from desk.contracts.weeks import TimeWindow
from desk.programs.claude.turns import model_call, turn_of
from desk.programs.question.claude.knowledge_state import told_state
from desk.programs.turns import builtin_turn
from desk.runs.graphs import faults
from tests.support.builders import answered, calendar, pair_market, rate_market

NOW = datetime(2026, 11, 2, 23, 59, 59, tzinfo=UTC)
MARKETS = (
    pair_market("USD/JPY"),
    pair_market("AUD/USD"),
    pair_market("NZD/USD"),
    rate_market("US"),
    rate_market("JP"),
)
QUESTION = "Which of them was weakest since the Fed's last decision?"


PARAMETERS = {RANK: "G10", UNREAD: "then", SINCE_DECISION: "since the Fed's last", "desk": "fx"}


def request(**changed: Any) -> TurnRequest:
    """The question's plan by a model that has been told the calendar."""
    assignment = TaskAssignment(
        task_id="planQuestion",
        task_type=TaskType.PLAN_QUESTION,
        agent=AgentId.PRODUCT_MANAGER,
        week="2026-W44",
        window=TimeWindow(
            start=datetime(2026, 10, 25, tzinfo=UTC), end=NOW, time_zone="Europe/London"
        ),
        deadline=datetime(2026, 11, 3, 1, tzinfo=UTC),
        query=Query(question=QUESTION, parameters=PARAMETERS),
    )
    asked = TurnRequest(assignment=assignment, markets=MARKETS, model="claude-opus-5-5")
    calls = builtin_turn(asked).calls
    assert [call.capability for call in calls] == [Capability.DECISION_CALENDAR]
    told_days = calendar("2026-W44", ("US", "2026-10-28"), ("US", "2026-12-09"))
    told = Exchange(results=(answered(calls[0], told_days),))
    return asked.model_copy(update={"exchanges": (told,), **changed})


def planned(plan: object, **changed: Any) -> Turn:
    text = json.dumps(plan)
    answer = ModelAnswer(
        content=({"type": "text", "text": text},),
        text=text,
        stop_reason=StopReason.END_TURN,
        usage=Usage(),
    )
    return turn_of(request(**changed), answer)


def plan_of(markets: list[str], **further: object) -> QuestionPlan:
    result = planned({"markets": markets, **further}).result
    assert isinstance(result, QuestionPlan)
    return result


def nodes_of(plan: QuestionPlan) -> dict[str, str | None]:
    assert plan.graph is not None
    return {n.name: n.market.market if n.market else None for n in plan.graph.nodes}


def test_a_model_is_shown_the_markets_and_when_banks_decide() -> None:
    call = model_call(request())
    told = json.loads(str(call.messages[0]["content"][0]["text"]))  # type: ignore[index, call-overload]
    assert told["pairs"] == {"G10": ["USD/JPY", "AUD/USD", "NZD/USD"]}
    assert told["areas"] == ["US", "JP"] and told["as_of"] == NOW.isoformat()
    assert told["decisions"] == {"US": ["2026-10-28", "2026-12-09"]}
    assert told["parameters"] == {"desk": "fx"}
    assert call.tools == ()


def test_each_market_is_researched_over_the_days_of_the_plan() -> None:
    plan = plan_of(["USD/JPY", "US"], first_day="2026-10-29", last_day="2026-11-02")
    assert nodes_of(plan) == {
        "planQuestion": None,
        "searchContext": None,
        "researchUSDJPY": "USD/JPY",
        "researchUS": "US",
        "validateUSDJPY": "USD/JPY",
        "validateUS": "US",
        "synthesis": None,
    }
    assert plan.graph is not None and faults(plan.graph) == ()
    assert plan.window is not None
    assert window_days(plan.window) == (date(2026, 10, 29), date(2026, 11, 2))
    assert plan.window.end == NOW
    assert plan.query is not None and plan.query.question == QUESTION
    days = "2026-10-29/2026-11-02"
    assert plan.query.parameters == {READ: days, DAYS_ASKED: days, "desk": "fx"}


def test_nothing_is_searched_where_figures_alone_answer() -> None:
    plan = plan_of(["USD/JPY"], search=False)
    assert [*nodes_of(plan)] == ["planQuestion", "researchUSDJPY", "validateUSDJPY", "synthesis"]
    assert plan.graph is not None and faults(plan.graph) == ()


def test_two_currencies_are_researched_in_their_pair_as_the_market_quotes_it() -> None:
    plan = plan_of(["NZD/AUD", "AUD/USD"])
    assert plan.market is not None
    assert (plan.market.market, plan.market.areas) == ("AUD/NZD", ("AU", "NZ"))
    assert "validateAUDNZD" in nodes_of(plan) and plan.window is None


def test_without_days_of_its_own_those_that_the_desk_read_go_along() -> None:
    query = plan_of(["JP"]).query
    assert query is not None
    left_out = {RANK, UNREAD}
    assert query.parameters == {n: told for n, told in PARAMETERS.items() if n not in left_out}


def test_many_markets_are_held_side_by_side_without_a_validator_each() -> None:
    names = nodes_of(plan_of([spec.market for spec in MARKETS]))
    assert not [name for name in names if name.startswith("validate")]
    assert len([name for name in names if name.startswith("research")]) == len(MARKETS)


@pytest.mark.parametrize(("search", "told"), [(False, "5 markets"), (True, None)])
def test_many_markets_are_compared_by_figures_where_nothing_is_searched(
    search: bool, told: str | None
) -> None:
    query = plan_of([spec.market for spec in MARKETS], search=search).query
    assert query is not None and query.parameters.get(SIDE_BY_SIDE) == told
    few = plan_of(["JP"], search=search).query
    assert few is not None and SIDE_BY_SIDE not in few.parameters


def test_a_question_about_no_market_goes_on_as_it_was_read() -> None:
    plan = plan_of([])
    assert (plan.graph, plan.query, plan.window) == (None, None, None)


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ({"markets": ["USD/JPY", "USD/BRL"]}, "not among the pairs and areas: markets.1"),
        ({"markets": ["the yen"]}, "not among the pairs and areas: markets.0"),
        ({"markets": ["JP", "JP"]}, "a market is named twice"),
        ({"markets": ["JP"], "first_day": "2026-11-20"}, "has not begun by what is known"),
        (
            {"markets": ["JP"], "first_day": "2026-10-20", "last_day": "2026-10-01"},
            "ends before it begins",
        ),
    ],
)
def test_a_plan_that_cannot_be_followed_is_sent_back(plan: object, told: str) -> None:
    turn = planned(plan)
    assert turn.result is None and told in (turn.feedback or "")


def test_others_are_not_told_of_the_plan() -> None:
    state = ({"key": "planQuestion", "node": "planQuestion", "result": plan_of(["JP"])},)
    assert told_state(TurnRequest.model_validate({**request().model_dump(), "state": state})) == []
