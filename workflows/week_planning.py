"""How a week is planned: the product manager's task, on the shared agent loop."""

from datetime import datetime

from temporalio.exceptions import ApplicationError

from agents.roster import profile_of
from contracts.config import RunConfig
from contracts.names import AgentId, FailureType
from contracts.plan import WeekPlan
from contracts.tasks import TaskAssignment, TaskType
from contracts.weeks import TimeWindow
from workflows.agent_loop import AgentRun, TaskFailed


async def plan_week(
    config: RunConfig, week: str, window: TimeWindow, deadline: datetime
) -> WeekPlan:
    """The product manager's plan, which names every configured market and no other.

    Raises:
        ApplicationError: `AgentTaskFailed`, not retryable: there is no usable plan.
    """
    profile = profile_of(AgentId.PRODUCT_MANAGER, config.policy.agents)
    assignment = TaskAssignment(
        task_id=f"{week}/plan",
        task_type=TaskType.PLAN_WEEK,
        agent=profile.agent,
        week=week,
        window=window,
        deadline=deadline,
        priority=1,
        tools=profile.tools,
        limits=profile.limits,
        base_area=config.policy.base_area,
    )
    run = AgentRun(profile, assignment, config.policy, markets=config.markets)
    try:
        plan = (await run.work()).result
    except TaskFailed as failed:
        raise _no_plan(str(failed)) from failed
    if not isinstance(plan, WeekPlan):
        raise _no_plan(f"{week}: the product manager delivered no plan")
    planned = sorted(market.market for market in plan.markets)
    if planned != sorted(config.market_names):
        raise _no_plan(f"{week}: the plan's markets are not those configured: {planned}")
    return plan


def _no_plan(reason: str) -> ApplicationError:
    return ApplicationError(reason[:1_000], type=FailureType.TASK_FAILED, non_retryable=True)
