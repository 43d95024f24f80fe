"""The plan of a week as a model is asked for it, and as its answer is read."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import JsonValue

from desk.analytics.weeks import window_of
from desk.contracts.agents.config import ScheduleConfig
from desk.contracts.agents.model_calls import ModelAnswer, StopReason
from desk.contracts.agents.tasks import TaskAssignment, TaskType
from desk.contracts.agents.usage import Usage
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.names import AgentId, FailureType
from desk.contracts.runs.turns import TurnRequest
from desk.contracts.week.plan import WeekPlan
from desk.programs.claude.turns import model_call, turn_of
from desk.programs.week.builtin.product_manager import tasks_of

WEEK = "2026-W44"
MODEL = "claude-opus-5-5"
SPECS = (
    MarketSpec(
        market="USD/JPY",
        kind=MarketKind.PAIR,
        group=MarketGroup.G10,
        areas=("US", "JP"),
        priority=2,
    ),
    MarketSpec(market="JP", kind=MarketKind.POLICY_RATE, group=MarketGroup.G10, areas=("JP",)),
)
GOOD: dict[str, Any] = {
    "markets": [
        {"market": "JP", "priority": 1, "rates": "What did the bank say?"},
        {"market": "USD/JPY", "priority": 2, "prices": "Did EUR/JPY move?", "rates": " "},
    ],
    "note": "The bank decides this week.",
}


def request(task: TaskType = TaskType.PLAN_WEEK, **changed: Any) -> TurnRequest:
    assignment = TaskAssignment(
        task_id=f"{WEEK}/plan",
        task_type=task,
        agent=AgentId.PRODUCT_MANAGER,
        week=WEEK,
        window=window_of(WEEK, ScheduleConfig()),
        deadline=datetime(2026, 11, 2, 8, tzinfo=UTC),
    )
    asked = TurnRequest(assignment=assignment, markets=SPECS, model=MODEL)
    return asked.model_copy(update=changed)


def answer(
    plan: object = GOOD, reason: StopReason = StopReason.END_TURN, **changed: Any
) -> ModelAnswer:
    text = plan if isinstance(plan, str) else json.dumps(plan)
    block: JsonValue = {"type": "text", "text": text}
    usage = Usage(input_tokens=10, output_tokens=5, model=MODEL)
    found = ModelAnswer(content=(block,), text=text, stop_reason=reason, usage=usage)
    return found.model_copy(update=changed)


def with_markets(*names: str) -> dict[str, Any]:
    return {"markets": [{"market": name, "priority": 3} for name in names]}


def test_the_plan_has_the_models_order_and_the_desks_own_tasks() -> None:
    turn = turn_of(request(), answer())
    assert isinstance(turn.result, WeekPlan)
    assert [(m.market, m.priority) for m in turn.result.markets] == [("JP", 1), ("USD/JPY", 2)]
    bare = [
        tuple(task.model_copy(update={"instructions": None}) for task in market.tasks)
        for market in turn.result.markets
    ]
    assert bare == [tasks_of(SPECS[1]), tasks_of(SPECS[0])]
    asked = {(t.task_type, t.instructions) for m in turn.result.markets for t in m.tasks}
    assert asked == {
        (TaskType.RESEARCH_RATES, "What did the bank say?"),
        (TaskType.RESEARCH_FX, "Did EUR/JPY move?"),
        (TaskType.RESEARCH_RATES, None),
    }
    assert turn.usage.tokens == 15


def test_markets_of_one_priority_stay_in_the_configured_order() -> None:
    turn = turn_of(request(), answer(with_markets("JP", "USD/JPY")))
    assert isinstance(turn.result, WeekPlan)
    assert [market.market for market in turn.result.markets] == ["USD/JPY", "JP"]


@pytest.mark.parametrize(
    ("plan", "fault"),
    [
        (with_markets("JP"), "not planned: USD/JPY"),
        (with_markets("JP", "USD/JPY", "USD/XXX"), "not among the desk's markets: markets.2"),
        (with_markets("JP", "JP", "USD/JPY"), "planned more than once: JP"),
        ({"markets": [{"market": "JP", "priority": 9}]}, "markets.0.priority"),
        ({"plan": []}, "markets: Field required"),
        ("I would rather not.", "Invalid JSON"),
        ('{"markets": [', "Invalid JSON"),
        ("", "Invalid JSON"),
    ],
)
def test_an_answer_that_is_no_plan_is_objected_to(plan: object, fault: str) -> None:
    turn = turn_of(request(), answer(plan))
    assert turn.result is None and turn.failure is None
    assert turn.feedback is not None and fault in turn.feedback
    assert turn.usage.tokens == 15, "what is billed is counted"


def test_the_next_turn_shows_the_answer_and_what_was_wrong_with_it() -> None:
    first = turn_of(request(), answer(with_markets("JP")))
    asked, said, again = model_call(request(draft=first.said, feedback=first.feedback)).messages
    assert asked == model_call(request()).messages[0]
    assert isinstance(said, dict) and said["content"] == list(first.said)
    assert "not planned: USD/JPY" in json.dumps(again)


def test_an_answer_without_a_word_is_not_shown() -> None:
    """The API takes no empty message of the assistant."""
    (asked,) = model_call(request(draft=(), feedback="Give it whole.")).messages
    assert isinstance(asked, dict)
    assert "Give it whole." in json.dumps(asked)


@pytest.mark.parametrize("reason", [StopReason.REFUSAL, StopReason.CONTEXT_EXCEEDED])
def test_what_asking_again_does_not_mend_ends_the_task(reason: StopReason) -> None:
    turn = turn_of(request(), answer("", reason, content=()))
    assert turn.failure is not None and turn.failure.error_type == FailureType.TURN_FAILED
    assert turn.usage.tokens == 15


@pytest.mark.parametrize(
    "reason",
    [StopReason.MAX_TOKENS, StopReason.TOOL_USE, StopReason.PAUSE_TURN, StopReason.OTHER],
)
def test_an_answer_that_ended_early_is_asked_for_again(reason: StopReason) -> None:
    turn = turn_of(request(), answer(GOOD, reason))
    assert turn.result is None and turn.feedback


def test_the_same_request_is_the_same_call() -> None:
    assert model_call(request()) == model_call(request())


def test_the_prompt_is_apart_from_the_markets() -> None:
    call = model_call(request())
    assert "USD/JPY" not in call.system
    assert "USD/JPY" in json.dumps(call.messages)
