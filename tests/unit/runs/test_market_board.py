"""What the tasks of a market ask first, as its board puts it together."""

from datetime import UTC, datetime, timedelta
from typing import Final

from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import Openings, ToolCall
from desk.contracts.names import AgentId
from desk.contracts.runs.tasks import TaskOutcome
from desk.contracts.runs.week import MarketRequest
from desk.contracts.week.plan import MarketPlan
from desk.contracts.week.report import Contribution, MarketOutcome
from desk.programs.week.builtin.product_manager import tasks_of
from desk.runs.boards import MarketBoard, ended_status
from tests.support.builders import finding, pair_market, window

VALIDATION: Final = "USD/JPY/validate"
NOW: Final = datetime(2026, 11, 2, 7, tzinfo=UTC)


def call(tool: str, *areas: str) -> ToolCall:
    """A question of the validator's."""
    return ToolCall(
        call_id=f"{VALIDATION}/{tool}",
        server="central_banks",
        tool=tool,
        arguments={"areas": [*areas]},
    )


def board(**openings: tuple[ToolCall, ...]) -> MarketBoard:
    """The board of a market, with what its plan names."""
    market = pair_market("USD/JPY")
    named: Openings = {f"USD/JPY/{task}": calls for task, calls in openings.items()}
    request = MarketRequest(
        week="2026-W44",
        market=market,
        plan=MarketPlan(market=market.market, priority=3, tasks=tasks_of(market)),
        window=window("2026-W44"),
        deadline=NOW + timedelta(minutes=1),
        report_due=NOW + timedelta(minutes=2),
        policy=RunPolicy(),
        openings=named,
    )
    return MarketBoard(request, NOW)


def found(task_type: TaskType, *calls: ToolCall) -> TaskOutcome:
    """What an agent delivered, with what the validator asks about it."""
    agent = AgentId.RESEARCH_AGENT_1
    return TaskOutcome(
        result=finding(),
        evidence=(),
        contribution=Contribution(agent=agent, task_type=task_type, delivered=True),
        openings={VALIDATION: calls},
    )


def test_a_task_opens_with_what_its_plan_names() -> None:
    rates = call("get_policy_rate", "JP")
    assert board(research_rates=(rates,)).opening("USD/JPY/research_rates") == (rates,)
    assert board(research_rates=(rates,)).opening("USD/JPY/research_fx") == ()


def test_what_two_results_lead_to_is_asked_once_in_the_order_of_the_tasks() -> None:
    of_market = board()
    rates, quote = call("get_policy_rate", "JP"), call("get_quote")
    of_market.end(found(TaskType.RESEARCH_RATES, rates))
    of_market.end(found(TaskType.RESEARCH_FX, quote, rates))
    assert of_market.opening(VALIDATION) == (quote, rates)


def test_what_two_results_would_ask_differently_is_left_to_the_validator() -> None:
    of_market = board()
    quote = call("get_quote")
    of_market.end(found(TaskType.RESEARCH_FX, quote, call("get_policy_rate", "JP")))
    of_market.end(found(TaskType.RESEARCH_RATES, call("get_policy_rate", "JP", "US")))
    assert of_market.opening(VALIDATION) == (quote,)


def test_a_result_that_leads_to_no_question_leaves_those_of_the_others() -> None:
    of_market = board()
    of_market.end(found(TaskType.RESEARCH_FX, call("get_quote")))
    of_market.end(found(TaskType.RESEARCH_RATES))
    assert of_market.opening(VALIDATION) == (call("get_quote"),)


def test_the_validator_asks_by_itself_where_a_result_does_not_say_what_it_leads_to() -> None:
    of_market = board(validate=(call("get_market_news"),))
    of_market.end(found(TaskType.RESEARCH_FX, call("get_quote")))
    of_market.end(found(TaskType.RESEARCH_RATES).model_copy(update={"openings": {}}))
    assert of_market.opening(VALIDATION) == (call("get_market_news"),)


def test_the_status_of_a_market_names_the_task_that_failed_before_a_figure_that_is_lacking() -> (
    None
):
    lacking = "US: the outcome of the Federal Reserve of 28 Oct 2026 is not in the source"
    failed = Contribution(
        agent=AgentId.RESEARCH_AGENT_1,
        task_type=TaskType.RESEARCH_FX,
        delivered=False,
        error="ecb: its command 'nope' is not there",
    )
    outcome = MarketOutcome(
        market="USD/JPY", outcome=Outcome.DEAD_LETTERED, missing=(lacking,), agents=(failed,)
    )
    assert ended_status(outcome).note == (
        "research_fx was not delivered: ecb: its command 'nope' is not there"
    )
    assert ended_status(outcome.model_copy(update={"agents": ()})).note == lacking
