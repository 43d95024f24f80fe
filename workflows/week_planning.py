"""How a week is planned: the product manager's task, on the shared agent loop."""

from datetime import datetime
from typing import NamedTuple

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from agents.roster import AgentProfile, profile_of
from contracts.config import RunConfig
from contracts.names import AgentId, FailureType
from contracts.plan import WeekPlan
from contracts.report import Contribution
from contracts.tasks import TaskAssignment, TaskType
from contracts.turns import BUILTIN
from contracts.weeks import TimeWindow
from workflows.agent_loop import AgentRun, TaskFailed


class PlannedWeek(NamedTuple):
    """A plan, and what it took to have it."""

    plan: WeekPlan
    contribution: Contribution


async def plan_week(
    config: RunConfig, week: str, window: TimeWindow, deadline: datetime
) -> PlannedWeek:
    """The product manager's plan, which names every configured market and no other.

    Where a model does not deliver one, the built-in product manager plans, and the contribution
    says why.

    Raises:
        ApplicationError: `AgentTaskFailed`, not retryable: there is no usable plan.
    """
    profile = profile_of(AgentId.PRODUCT_MANAGER, config.policy.agents)
    task = _assignment(profile, config, week, window, deadline)
    try:
        return await _planned(AgentRun(profile, task, config.policy, markets=config.markets))
    except TaskFailed as failed:
        if profile.model == BUILTIN:
            raise _no_plan(str(failed)) from failed
        workflow.logger.warning("%s does not plan %s: %s", profile.model, week, failed)
        return await _planned_instead(profile, config, task, failed)


async def _planned_instead(
    profile: AgentProfile, config: RunConfig, task: TaskAssignment, failed: TaskFailed
) -> PlannedWeek:
    builtin = profile.model_copy(update={"model": BUILTIN})
    try:
        plan, contribution = await _planned(
            AgentRun(builtin, task, config.policy, markets=config.markets, place="instead")
        )
    except TaskFailed as again:
        raise _no_plan(str(again)) from again
    spent = contribution.usage.plus(failed.usage)
    told = {"usage": spent, "error": f"{profile.model} did not plan: {failed}"[:4_000]}
    return PlannedWeek(plan, contribution.model_copy(update=told))


def _assignment(
    profile: AgentProfile, config: RunConfig, week: str, window: TimeWindow, deadline: datetime
) -> TaskAssignment:
    return TaskAssignment(
        task_id=f"{week}/plan",
        task_type=TaskType.PLAN_WEEK,
        agent=profile.agent,
        week=week,
        window=window,
        deadline=min(deadline, workflow.now() + config.policy.deadlines.task),
        priority=1,
        tools=profile.tools,
        limits=profile.limits,
        base_area=config.policy.base_area,
    )


async def _planned(run: AgentRun) -> PlannedWeek:
    outcome = await run.work()
    plan, week = outcome.result, run.assignment.week
    if not isinstance(plan, WeekPlan):
        raise _no_plan(f"{week}: the product manager delivered no plan")
    planned = sorted(market.market for market in plan.markets)
    if planned != sorted(spec.market for spec in run.markets):
        raise _no_plan(f"{week}: the plan's markets are not those configured: {planned}")
    return PlannedWeek(plan, outcome.contribution)


def _no_plan(reason: str) -> ApplicationError:
    return ApplicationError(reason[:1_000], type=FailureType.TASK_FAILED, non_retryable=True)
