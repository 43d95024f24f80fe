"""How a week is planned and commented: the product manager's tasks, on the shared agent loop."""

from datetime import datetime
from typing import NamedTuple

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from desk.agents.capabilities import routes_to
from desk.agents.roster import AgentProfile, profile_in, profile_of
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import TaskAssignment, TaskType
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.config import RunConfig, RunPolicy
from desk.contracts.findings.results import Commentary, ResearchResult
from desk.contracts.names import AgentId, FailureType
from desk.contracts.week.plan import WeekPlan
from desk.contracts.week.report import Contribution
from desk.contracts.weeks import TimeWindow
from desk.runs.assignments.budget import Purse
from desk.runs.boards.week_board import CommentedWeek, WeekBoard
from workflows.engine.agent_loop import AgentRun
from workflows.engine.agent_work import Shown, TaskFailed


class PlannedWeek(NamedTuple):
    """A plan, and what it took to have it."""

    plan: WeekPlan
    contribution: Contribution


async def plan_week(config: RunConfig, board: WeekBoard, deadline: datetime) -> PlannedWeek:
    """The product manager's plan, which names every configured market and no other. It is shown
    what the desk's own record recommends.

    Raises:
        ApplicationError: `AgentTaskFailed`, not retryable: there is no usable plan.
    """
    profile = profile_of(AgentId.PRODUCT_MANAGER, config.policy.agents)
    week = board.week
    task = _assignment(profile, config, TaskType.PLAN_WEEK, week, board.window, deadline)
    run = AgentRun(
        profile,
        task,
        config.policy,
        shown=Shown(
            markets=config.markets,
            capabilities=_askable(config.policy),
            advice=board.advice.recommendations if board.advice else (),
        ),
        purse=board.purse,
        sharing=AT_MOST,
    )
    try:
        outcome = await run.work()
    except TaskFailed as failed:
        raise _no_plan(str(failed)) from failed
    plan = outcome.result
    if not isinstance(plan, WeekPlan):
        raise _no_plan(f"{week}: the product manager delivered no plan")
    planned = sorted(market.market for market in plan.markets)
    if planned != sorted(spec.market for spec in config.markets):
        raise _no_plan(f"{week}: the plan's markets are not those configured: {planned}")
    return PlannedWeek(plan, outcome.contribution)


async def comment_week(
    config: RunConfig, board: WeekBoard, deadline: datetime, purse: Purse
) -> CommentedWeek | None:
    """The product manager's commentary on what the markets brought; none without a model."""
    profile = profile_of(AgentId.PRODUCT_MANAGER, config.policy.agents)
    findings = _findings(board)
    if profile.model == BUILTIN or not findings:
        return None
    task = _assignment(profile, config, TaskType.COMMENT_WEEK, board.week, board.window, deadline)
    run = AgentRun(
        profile,
        task,
        config.policy,
        shown=Shown(findings=findings),
        purse=purse,
        place=f"r{board.last_revision + 1}",
    )
    try:
        outcome = await run.work()
    except TaskFailed as failed:
        workflow.logger.warning("%s has no commentary: %s", board.week, failed)
        return CommentedWeek(
            None,
            Contribution(
                agent=profile.agent,
                task_type=TaskType.COMMENT_WEEK,
                delivered=False,
                error=str(failed)[:4_000],
                usage=failed.usage,
            ),
        )
    written = outcome.result if isinstance(outcome.result, Commentary) else None
    return CommentedWeek(written, outcome.contribution)


AT_MOST = 4
"""Planning may take a quarter of the budget at a call: the rest is for the markets."""


def _askable(policy: RunPolicy) -> tuple[Capability, ...]:
    """What research agents can ask in this run."""
    researcher = profile_in(policy, AgentId.RESEARCH_AGENT_1)
    return tuple(asked for asked in researcher.capabilities if routes_to(asked, policy))


def _findings(board: WeekBoard) -> tuple[ResearchResult, ...]:
    return tuple(
        result
        for market in board.markets
        for result in (board.outcomes[market].results if market in board.outcomes else ())
    )


def _assignment(
    profile: AgentProfile,
    config: RunConfig,
    kind: TaskType,
    week: str,
    window: TimeWindow,
    deadline: datetime,
) -> TaskAssignment:
    return TaskAssignment(
        task_id=f"{week}/plan" if kind is TaskType.PLAN_WEEK else f"{week}/comment",
        task_type=kind,
        agent=profile.agent,
        week=week,
        window=window,
        deadline=min(deadline, workflow.now() + config.policy.deadlines.task),
        priority=1,
        tools=profile.tools,
        limits=profile.limits,
        base_area=config.policy.base_area,
    )


def _no_plan(reason: str) -> ApplicationError:
    return ApplicationError(reason[:1_000], type=FailureType.TASK_FAILED, non_retryable=True)
