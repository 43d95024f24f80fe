"""The product manager's tasks in a week: the plan, and the commentary on the findings."""

from datetime import datetime
from typing import NamedTuple

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from desk.agents.capabilities import routes_to
from desk.agents.program import AgentProfile
from desk.agents.roster import profile_in, profile_of
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.config import RunConfig, RunPolicy
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import Openings
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.findings.results import Commentary, ResearchResult
from desk.contracts.names import AgentId, FailureType
from desk.contracts.runs.turns import StateEntry, WeekContext
from desk.contracts.week.plan import WeekPlan
from desk.contracts.week.report import Contribution
from desk.runs.assignments import assignment_of
from desk.runs.boards import CommentedWeek, WeekBoard
from workflows.engine.agent_work import AgentTask, TaskFailed, undelivered
from workflows.engine.task_runner import TaskRunner

PLANNING_SHARES = 4
"""A call of the planner may reserve one part in this many of the budget; the rest is for the
markets."""


class PlannedWeek(NamedTuple):
    """A plan, the opening calls of its tasks by task id, and the planner's contribution."""

    plan: WeekPlan
    openings: Openings
    contribution: Contribution


async def plan_week(config: RunConfig, board: WeekBoard, deadline: datetime) -> PlannedWeek:
    """Returns the product manager's plan, which names exactly the configured markets. The planner
    is shown the advice of the learning system.

    Raises:
        ApplicationError: `AgentTaskFailed`, not retryable: there is no usable plan.
    """
    profile = profile_of(AgentId.PRODUCT_MANAGER, config.policy.agents)
    week = board.week
    context = WeekContext(
        markets=config.markets,
        capabilities=_askable(config.policy),
        advice=board.advice.recommendations if board.advice else (),
        policy=config.policy,
    )
    task = _task(profile, TaskType.PLAN_WEEK, config, board, deadline, context)
    try:
        outcome = await TaskRunner(config.policy, board.budget).run(task, sharing=PLANNING_SHARES)
    except TaskFailed as failed:
        raise _no_plan(str(failed)) from failed
    plan = outcome.result
    if not isinstance(plan, WeekPlan):
        raise _no_plan(f"{week}: the product manager delivered no plan")
    planned = sorted(market.market for market in plan.markets)
    if planned != sorted(spec.market for spec in config.markets):
        raise _no_plan(f"{week}: the plan's markets are not those configured: {planned}")
    return PlannedWeek(plan, outcome.openings, outcome.contribution)


async def comment_week(
    config: RunConfig, board: WeekBoard, deadline: datetime
) -> CommentedWeek | None:
    """Returns the product manager's commentary on the findings, or None if the product manager is
    built in or fails."""
    profile = profile_of(AgentId.PRODUCT_MANAGER, config.policy.agents)
    findings = _findings(board)
    if profile.model == BUILTIN or not findings:
        return None
    context = WeekContext(findings=findings, markets=config.markets, state=_objections(board))
    place = f"r{board.last_revision + 1}"
    task = _task(profile, TaskType.COMMENT_WEEK, config, board, deadline, context, place)
    try:
        outcome = await TaskRunner(config.policy, board.budget).run(task)
    except TaskFailed as failed:
        workflow.logger.warning("%s has no commentary: %s", board.week, failed)
        return CommentedWeek(
            None, undelivered(failed, profile.agent, TaskType.COMMENT_WEEK).contribution
        )
    written = outcome.result if isinstance(outcome.result, Commentary) else None
    return CommentedWeek(written, outcome.contribution)


def _askable(policy: RunPolicy) -> tuple[Capability, ...]:
    """Returns the capabilities that research agents can call in this run."""
    researcher = profile_in(policy, AgentId.RESEARCH_AGENT_1)
    return tuple(asked for asked in researcher.capabilities if routes_to(asked, policy))


_NO_VERDICTS: dict[str, object] = dict.fromkeys(
    ("checks", "verdicts", "conflicts", "authoritative_sources", "missing", "dropped"), ()
)


def _objections(board: WeekBoard) -> tuple[StateEntry, ...]:
    """Returns the validators' objections by market. The rest of their verdicts is not shown."""
    return tuple(
        StateEntry(key=market, node=market, result=validation.model_copy(update=_NO_VERDICTS))
        for market in board.markets
        if market in board.outcomes
        and (validation := board.outcomes[market].validation) is not None
        and validation.issues
    )


def _findings(board: WeekBoard) -> tuple[ResearchResult, ...]:
    return tuple(
        result
        for market in board.markets
        for result in (board.outcomes[market].results if market in board.outcomes else ())
    )


def _task(
    profile: AgentProfile,
    kind: TaskType,
    config: RunConfig,
    board: WeekBoard,
    deadline: datetime,
    context: WeekContext,
    place: str = "",
) -> AgentTask:
    policy = config.policy
    assignment = assignment_of(
        profile,
        policy,
        kind,
        f"{board.week}/plan" if kind is TaskType.PLAN_WEEK else f"{board.week}/comment",
        board.window,
        min(deadline, workflow.now() + policy.deadlines.task),
        week=board.week,
        priority=1,
    )
    return AgentTask(profile, assignment, context, place)


def _no_plan(reason: str) -> ApplicationError:
    return ApplicationError(reason[:1_000], type=FailureType.TASK_FAILED, non_retryable=True)
