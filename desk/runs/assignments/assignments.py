"""From a market's plan to the tasks that its agents are given."""

from desk.contracts.agents.tasks import AgentLimits, TaskAssignment, TaskType, ToolName
from desk.contracts.names import AgentId
from desk.contracts.week.plan import PlannedTask
from desk.contracts.week.run import MarketRequest

VALIDATION = PlannedTask(task_type=TaskType.VALIDATE, agent=AgentId.VALIDATOR)


def assignment_for(
    request: MarketRequest,
    planned: PlannedTask,
    *,
    tools: tuple[ToolName, ...],
    limits: AgentLimits,
) -> TaskAssignment:
    """The assignment of one planned task; its id is unique within the report's market."""
    return TaskAssignment(
        task_id=f"{request.market.market}/{planned.task_type}",
        task_type=planned.task_type,
        agent=planned.agent,
        week=request.week,
        market=request.market,
        window=request.window,
        deadline=request.deadline,
        priority=1 if request.rerun else request.plan.priority,
        tools=tools,
        limits=limits,
        base_area=request.policy.base_area,
        instructions=request.plan.instructions,
    )
