"""The markets of a week's run: researches all of them concurrently or one of them again, and
settles the conflicts between them."""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta

from temporalio import workflow
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import CancelledError, ChildWorkflowError, WorkflowAlreadyStartedError
from temporalio.exceptions import TimeoutError as TimedOut

from desk.agents.capabilities import tools_planned
from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tools import Openings, Tools
from desk.contracts.agents.usage import BUILTIN, Usage
from desk.contracts.names import escalation_run_id, market_run_id
from desk.contracts.runs.judgement import Scope
from desk.contracts.runs.week import MarketRequest, WeekRequest
from desk.contracts.week.plan import MarketPlan
from desk.contracts.week.report import MarketOutcome
from desk.runs.assignments import effort_for, lost_usage, market_task_id, time_left
from desk.runs.boards import WeekBoard, after_decisions, after_rerun, usage_of
from desk.runs.escalations import CaseContext
from desk.trust.conflicts import with_week_conflicts
from workflows.engine.escalating import cancelled_here, decided
from workflows.engine.judging import judged_conflicts
from workflows.engine.options import TASK_TIMEOUT, priority, run_attributes
from workflows.engine.run import Run
from workflows.week.learning import policy_of
from workflows.week.market import MarketResearchWorkflow

GRACE = timedelta(minutes=1)
"""A market's workflow that still runs this long after its deadline is ended."""

RERUN_SHARES = 2
"""A rerun may reserve one part in this many of what is left of the budget. The rest is for the
commentary."""

LATE = "not finished by its deadline"
LATE_FOR_THE_WEEK = "not finished by the week's deadline"


class WeekMarkets:
    """Starts the markets' workflows and puts their outcomes on the board."""

    def __init__(self, request: WeekRequest, run: Run[WeekBoard]) -> None:
        self.request = request
        self._run = run
        self._board = run.board
        self.tools: Tools = ()

    async def research_all(self, report_due: datetime, openings: Openings) -> None:
        """Researches every planned market, until all are done or the report is due. `openings` are
        the opening calls of the tasks by task id.

        A market that misses the deadline of its agents is ended soon after, unless it waits for a
        person.
        """
        board, deadline = self._board, self._deadline(report_due)
        efforts = {plan.market: effort_for(plan.priority) for plan in board.plan.markets}
        parts = board.budget.reserve_shares(efforts)
        tasks = {
            plan.market: asyncio.create_task(
                self._research(
                    self._request(plan, deadline, report_due, parts[plan.market], openings)
                )
            )
            for plan in board.plan.markets
        }
        try:
            await _done(tasks.values(), min(deadline + GRACE, report_due))
            if deadline + GRACE < report_due:
                await self._end_late(tasks, parts)
                await _done(tasks.values(), report_due)
            await asyncio.gather(*(task for task in tasks.values() if _ended_by_itself(task)))
        finally:
            await _cancelled(tasks.values())
        for market in board.markets:
            late = unfinished(market, LATE_FOR_THE_WEEK, self._unknown(parts.get(market)))
            board.outcomes.setdefault(market, late)

    async def research_again(self, plan: MarketPlan, rerun: int, report_due: datetime) -> None:
        """Researches one market again. Earlier findings stay where the rerun finds nothing.

        Its agents have no opening: other sources may be reachable than when the week was planned.
        """
        part = self._board.budget.reserve(RERUN_SHARES)
        deadline = self._deadline(report_due)
        await self._research(self._request(plan, deadline, report_due, part, {}, rerun=rerun))

    def run_id(self, market: str, rerun: int) -> str:
        """Returns the workflow id of a market, or of its rerun if `rerun` is not 0."""
        return market_run_id(workflow.info().workflow_id, market, rerun)

    def _deadline(self, report_due: datetime) -> datetime:
        return min(report_due, workflow.now() + self.request.config.policy.deadlines.task)

    async def _end_late(
        self, tasks: dict[str, asyncio.Task[None]], parts: dict[str, Allowance]
    ) -> None:
        late = [m for m, task in tasks.items() if not task.done() and m not in self._board.waiting]
        await _cancelled([tasks[market] for market in late])
        for market in late:
            missing = unfinished(market, LATE, self._unknown(parts[market]))
            self._board.outcomes.setdefault(market, missing)

    def _unknown(self, allowance: Allowance | None) -> Usage:
        """Returns the usage that is assumed for a market that did not report its own."""
        agents = policy_of(self.request, self._board).agents
        models = any(agent.model not in (None, BUILTIN) for agent in agents)
        return lost_usage(allowance) if models and allowance else Usage()

    def _request(
        self,
        plan: MarketPlan,
        deadline: datetime,
        report_due: datetime,
        allowance: Allowance,
        openings: Openings,
        *,
        rerun: int = 0,
    ) -> MarketRequest:
        """Returns the request that a market's workflow is started with, including the openings of
        its own tasks."""
        board, policy = self._board, policy_of(self.request, self._board)
        spec = next(s for s in self.request.config.markets if s.market == plan.market)
        named = [market_task_id(spec, task.task_type) for task in plan.tasks]
        return MarketRequest(
            week=board.week,
            market=spec,
            plan=plan,
            window=board.window,
            deadline=deadline,
            report_due=report_due,
            policy=policy,
            rerun=rerun,
            tools=tools_planned(self.tools, plan.look_into, policy),
            uncited=board.advice.uncited if board.advice else (),
            allowance=allowance,
            openings={task: openings[task] for task in named if task in openings},
            leave_time=True,
        )

    async def _research(self, request: MarketRequest) -> None:
        """Runs a market's workflow and puts its outcome on the board, or why there is none."""
        board, market, allowance = self._board, request.market.market, request.allowance
        board.running[market] = request.deadline
        # A workflow that returns nothing may have spent its whole allowance.
        spent = self._unknown(allowance)
        try:
            outcome = await self._market(request)
            spent = usage_of(outcome.agents)
        except (ChildWorkflowError, WorkflowAlreadyStartedError) as error:
            if cancelled_here():
                raise
            outcome = unfinished(market, _reason(error), self._unknown(allowance))
        finally:
            board.budget.settle(allowance, spent)
            board.running.pop(market, None)
            board.note_waiting(market, ())
        before = board.outcomes.get(market) if request.rerun else None
        board.outcomes[market] = after_rerun(before, outcome)
        self._run.show()

    async def _market(self, request: MarketRequest) -> MarketOutcome:
        market, week, rerun = request.market.market, request.week, request.rerun
        workflow_id = self.run_id(market, rerun)
        self._board.workflows.append(workflow_id)
        return await workflow.execute_child_workflow(
            MarketResearchWorkflow.run,
            request,
            id=workflow_id,
            task_timeout=TASK_TIMEOUT,
            # A child that cannot even be cancelled must not delay the report.
            cancellation_type=workflow.ChildWorkflowCancellationType.TRY_CANCEL,
            parent_close_policy=workflow.ParentClosePolicy.REQUEST_CANCEL,
            # Replaces a child that an earlier run left behind.
            id_reuse_policy=WorkflowIDReusePolicy.TERMINATE_IF_RUNNING,
            execution_timeout=time_left(request.report_due, workflow.now()) + GRACE,
            priority=priority(1 if rerun else request.plan.priority, market),
            search_attributes=run_attributes(market, week=week, phase=Phase.RESEARCHING),
            static_summary=f"{market}, {week}" + (" (rerun)" if rerun else ""),
        )


async def settle_across(
    request: WeekRequest, board: WeekBoard, report_due: datetime, enter: Callable[[Phase], None]
) -> None:
    """Settles the conflicts between markets, by a vote or by people, and puts the results on the
    board.

    A decision from before a rerun stays if the rerun did not change the positions.
    """
    policy = policy_of(request, board)
    outcomes = tuple(board.outcomes[m] for m in board.markets if m in board.outcomes)
    found = await judged_conflicts(
        Scope.ACROSS_MARKETS, outcomes, policy, f"r{board.last_revision + 1}"
    )
    undecided = tuple(record for record in found if not record.resolved)

    async def notify(opened: Sequence[str]) -> None:
        waiting: defaultdict[str, list[str]] = defaultdict(list)
        for record in undecided:
            case = escalation_run_id(workflow.info().workflow_id, record.conflict_id)
            if case in opened:
                waiting[record.market].append(case)
        board.waiting = {market: tuple(cases) for market, cases in waiting.items()}
        enter(Phase.AWAITING_PERSON if opened else Phase.RESEARCHING)

    asking = CaseContext(board.week, policy.deadlines, report_due, urgency=1)
    settled = {r.conflict_id: r for r in await decided(asking, undecided, outcomes, notify)}
    records = [settled.get(record.conflict_id, record) for record in found]
    specs = {spec.market: spec for spec in request.config.markets}
    for outcome in with_week_conflicts(outcomes, records):
        board.outcomes[outcome.market] = after_decisions(specs[outcome.market], outcome)


def unfinished(market: str, reason: str, taken: Usage) -> MarketOutcome:
    """Returns the outcome of a market whose workflow returned none, with the usage `taken` that is
    assumed for it."""
    return MarketOutcome(
        market=market, outcome=Outcome.MISSING, missing=(reason[:4_000],), spent_before=taken
    )


def _reason(error: BaseException) -> str:
    cause = error.__cause__ or error
    if isinstance(cause, CancelledError):
        return "its research was cancelled"
    return LATE if isinstance(cause, TimedOut) else str(cause)


def _ended_by_itself(task: asyncio.Task[None]) -> bool:
    """Returns whether a task ended without being cancelled."""
    return task.done() and task.cancelling() == 0


async def _done(tasks: Collection[asyncio.Task[None]], by: datetime) -> None:
    with contextlib.suppress(TimeoutError):
        await workflow.wait_condition(
            lambda: all(task.done() for task in tasks),
            timeout=time_left(by, workflow.now()),
            timeout_summary="what the markets have by then is what the report has",
        )


async def _cancelled(tasks: Collection[asyncio.Task[None]]) -> None:
    """Cancels the tasks that are not done, and waits until their children have received the
    cancellation."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
