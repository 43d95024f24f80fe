"""What tasks ask before their first turn, named by the turn whose result they go on with."""

import pytest

from desk.contracts.agents.config import AgentConfig, RunPolicy
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.findings.claims import Metric
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.week.plan import MarketPlan, PlannedTask, WeekPlan
from desk.programs import openings
from desk.programs.openings import with_openings
from desk.programs.turns import builtin_turn
from tests.support.builders import claim, failed, finding, pair_market, rate_market, request

YEN, JAPAN = pair_market("USD/JPY"), rate_market("JP")


def planning(policy: RunPolicy | None = None) -> TurnRequest:
    """The first turn of the product manager."""
    asked = request(TaskType.PLAN_WEEK, None, markets=[YEN, JAPAN])
    return asked.model_copy(update={"policy": policy})


def opened(turn: Turn) -> dict[str, list[str]]:
    """The tools that each task asks first."""
    return {task: [call.tool for call in calls] for task, calls in turn.openings.items()}


def checking(*results: ToolResult) -> TurnRequest:
    """The validator's turn on a price and a rate."""
    found = finding(claim("USD/JPY", Metric.LAST, "150"), claim("JP", Metric.POLICY_RATE, "0.5"))
    return request(TaskType.VALIDATE, YEN, findings=[found], results=results)


def test_a_plan_says_what_each_of_its_tasks_would_ask_in_its_first_turn() -> None:
    asked = planning(RunPolicy())
    turn = with_openings(builtin_turn(asked), asked)
    for task_type, market in (
        (TaskType.RESEARCH_FX, YEN),
        (TaskType.RESEARCH_RATES, YEN),
        (TaskType.RESEARCH_RATES, JAPAN),
    ):
        first = request(task_type, market)
        assert turn.openings[first.assignment.task_id] == builtin_turn(first).calls
    assert len(turn.openings) == 3


def test_a_model_s_task_opens_with_what_the_desk_asks_for_a_model_besides() -> None:
    model = AgentConfig(agent=AgentId.RESEARCH_AGENT_1, model="claude-test")
    asked = planning(RunPolicy(agents=(model,)))
    turn = with_openings(builtin_turn(asked), asked)
    assert opened(turn)["USD/JPY/research_fx"] == [
        "get_historical",
        "get_policy_rate",
        "get_rate_decisions",
    ]


def test_nothing_is_named_where_the_rules_of_the_run_are_not_known() -> None:
    turn = builtin_turn(planning())
    assert with_openings(turn, planning()) == turn


def test_a_task_that_cannot_be_told_yet_asks_in_its_first_turn() -> None:
    elsewhere = PlannedTask(task_type=TaskType.register("unheard_of"), agent=AgentId.VALIDATOR)
    prices = PlannedTask(task_type=TaskType.RESEARCH_FX, agent=AgentId.RESEARCH_AGENT_1)
    market = MarketPlan(market="USD/JPY", priority=3, tasks=(elsewhere, prices))
    plan = WeekPlan(task_id="week/plan", week="2026-W44", markets=(market,))
    turn = with_openings(Turn(result=plan), planning(RunPolicy()))
    assert opened(turn) == {"USD/JPY/research_fx": ["get_historical"]}


@pytest.mark.parametrize("part", ["profile_in", "builtin_turn"])
def test_no_fault_in_naming_openings_costs_the_turn(
    part: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def breaks(*_: object) -> None:
        raise TypeError("a fault of the desk")

    monkeypatch.setattr(openings, part, breaks)
    for asked, result in (
        (planning(RunPolicy()), builtin_turn(planning()).result),
        (request(TaskType.RESEARCH_FX, YEN).model_copy(update={"policy": RunPolicy()}), finding()),
    ):
        turn = Turn(result=result)
        assert openings.with_openings(turn, asked) == turn
    assert "a fault of the desk" in caplog.text


def test_a_result_says_what_the_validator_asks_about_it() -> None:
    asked = request(TaskType.RESEARCH_FX, YEN).model_copy(update={"policy": RunPolicy()})
    found = finding(claim("USD/JPY", Metric.LAST, "150"))
    turn = with_openings(Turn(result=found), asked)
    assert opened(turn) == {
        "USD/JPY/validate": ["get_quote", "get_month_averages", "get_daily_rates"]
    }


def test_a_result_that_claims_nothing_says_that_it_leads_to_no_question() -> None:
    asked = request(TaskType.RESEARCH_FX, YEN).model_copy(update={"policy": RunPolicy()})
    assert opened(with_openings(Turn(result=finding()), asked)) == {"USD/JPY/validate": []}


def test_the_validator_asks_what_nobody_has_asked_for_it_yet() -> None:
    every = builtin_turn(checking()).calls
    first, *others = every
    answer = failed(first, ToolStatus.UNAVAILABLE, "it is away")
    assert builtin_turn(checking(answer)).calls == tuple(others)
    answers = [failed(call, ToolStatus.UNAVAILABLE, "it is away") for call in every]
    assert not builtin_turn(checking(*answers)).calls


def test_the_validator_asks_again_what_was_asked_for_one_result_alone() -> None:
    high = claim("USD/JPY", Metric.WINDOW_HIGH, "151", day="2026-10-27")
    asked = request(TaskType.RESEARCH_FX, YEN).model_copy(update={"policy": RunPolicy()})
    price = finding(claim("USD/JPY", Metric.LAST, "150"))
    first = with_openings(Turn(result=price), asked).openings["USD/JPY/validate"]

    def turn(*calls: ToolCall) -> Turn:
        answers = [failed(call, ToolStatus.UNAVAILABLE, "it is away") for call in calls]
        found = [price, finding(high)]
        return builtin_turn(request(TaskType.VALIDATE, YEN, findings=found, results=answers))

    (again,) = turn(*first).calls
    assert again.tool == "get_daily_rates"
    assert again.arguments["days"] == ["2026-10-27", "2026-10-30"]
    assert again.call_id not in {call.call_id for call in first}
    assert not turn(*first, again).calls


def test_a_question_that_a_route_puts_in_other_words_is_not_asked_again() -> None:
    every = [
        call.model_copy(
            update={
                "tool": "other",
                "arguments": {f"its_{name}": value for name, value in call.arguments.items()},
            }
        )
        for call in builtin_turn(checking()).calls
    ]
    answers = [failed(call, ToolStatus.UNAVAILABLE, "it is away") for call in every]
    assert not builtin_turn(checking(*answers)).calls
