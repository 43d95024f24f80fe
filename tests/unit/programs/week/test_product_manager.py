"""The product manager's plan of a week."""

from desk.contracts.agents.tasks import TaskType
from desk.contracts.markets import MarketSpec
from desk.contracts.names import AgentId
from desk.programs.turns import builtin_turn
from tests.support.builders import pair_market, rate_market, request


def test_the_plan_starts_urgent_markets_first_and_keeps_the_configured_order() -> None:
    def market(name: str, priority: int) -> MarketSpec:
        spec = pair_market(name) if "/" in name else rate_market(name)
        return spec.model_copy(update={"priority": priority})

    markets = [market("EUR/USD", 3), market("JP", 1), market("USD/JPY", 1), market("US", 3)]
    answer = builtin_turn(request(TaskType.PLAN_WEEK, None, markets=markets))
    assert answer.result is not None
    assert answer.result.kind == "plan"
    assert [plan.market for plan in answer.result.markets] == ["JP", "USD/JPY", "EUR/USD", "US"]
    assert [plan.priority for plan in answer.result.markets] == [1, 1, 3, 3]
    by_market = {plan.market: plan.tasks for plan in answer.result.markets}
    assert [(task.task_type, task.agent) for task in by_market["USD/JPY"]] == [
        (TaskType.RESEARCH_FX, AgentId.RESEARCH_AGENT_1),
        (TaskType.RESEARCH_RATES, AgentId.RESEARCH_AGENT_2),
    ]
    assert [(task.task_type, task.agent) for task in by_market["JP"]] == [
        (TaskType.RESEARCH_RATES, AgentId.RESEARCH_AGENT_2)
    ]


def test_a_pair_without_areas_is_researched_for_prices_only() -> None:
    spec = pair_market("USD/JPY").model_copy(update={"areas": ()})
    answer = builtin_turn(request(TaskType.PLAN_WEEK, None, markets=[spec]))
    assert answer.result is not None
    assert answer.result.kind == "plan"
    assert [task.task_type for task in answer.result.markets[0].tasks] == [TaskType.RESEARCH_FX]
