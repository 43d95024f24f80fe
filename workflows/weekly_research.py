"""A week's research: plan, research every market, publish, and stay open for reruns."""

import asyncio
import contextlib
from collections.abc import Sequence
from datetime import datetime, timedelta

from temporalio import workflow
from temporalio.exceptions import ApplicationError, ChildWorkflowError, is_cancelled_exception

from activities.publishing import PublishingActivities
from agents.roster import profile_of
from contracts.names import AgentId, FailureType, Message, market_run_id
from contracts.plan import MarketPlan, WeekPlan
from contracts.report import MarketOutcome, Revision, RevisionKind
from contracts.search_attributes import Outcome, Phase
from contracts.tasks import TaskAssignment, TaskType
from contracts.week_run import (
    MarketRequest,
    PublishRequest,
    RerunReceipt,
    RerunRequest,
    WeekRequest,
    WeekResult,
    WeekStatus,
)
from domain.deadlines import time_left
from domain.suggestions import nearest
from domain.week_board import QueuedRerun, WeekBoard
from domain.weeks import latest_complete_week, window_of
from workflows.agent_loop import AgentRun, TaskFailed
from workflows.market_research import MarketResearchWorkflow
from workflows.options import (
    HEARTBEAT_TIMEOUT,
    OUTCOME,
    PHASE,
    REVISION,
    SCHEDULED_START,
    TASK_TIMEOUT,
    WEEK,
    market_attributes,
    patient_retry_policy,
    priority,
)


@workflow.defn
class WeeklyResearchWorkflow:
    """The run of one week, from its plan to the end of the time in which it takes reruns."""

    @workflow.init
    def __init__(self, request: WeekRequest) -> None:
        info = workflow.info()
        config = request.config
        scheduled = info.typed_search_attributes.get(SCHEDULED_START) or info.start_time
        week = request.week or latest_complete_week(scheduled, config.schedule)
        window = window_of(week, config.schedule)
        self._request = request
        self._policy = config.policy
        self._deadline = info.start_time + config.policy.deadlines.week
        self._board = WeekBoard(
            week,
            window,
            config.market_names,
            started_at=info.start_time,
            revisions=request.revisions,
        )
        if request.resume is not None:
            self._board.restore(request.resume)

    @workflow.run
    async def run(self, request: WeekRequest) -> WeekResult:
        """The published week, once the run has closed.

        Raises:
            ApplicationError: the week could not be planned or published.
        """
        workflow.upsert_search_attributes([WEEK.value_set(self._board.week)])
        if request.resume is None:
            self._board.plan = await self._plan()
            await self._research_all()
            await self._publish(self._whole_week())
        await self._serve_reruns()
        return self._result()

    @workflow.signal(name=Message.RERUN_MARKET, description="Research one market again")
    def rerun_market(self, request: RerunRequest) -> None:
        """Queue a rerun. A market that the run does not have is noted in the log and ignored."""
        if request.market not in self._board.markets:
            workflow.logger.warning("no market %s in this run: rerun ignored", request.market)
            return
        self._board.queue(request)

    @workflow.update(name=Message.REQUEST_RERUN, description="Research one market again")
    def request_rerun(self, request: RerunRequest) -> RerunReceipt:
        """Queue a rerun and say which revision will hold it."""
        queued = self._board.queue(request)
        return RerunReceipt(
            market=request.market,
            revision=queued.revision,
            workflow_id=self._market_run_id(request.market, queued.revision),
        )

    @request_rerun.validator
    def _known_market(self, request: RerunRequest) -> None:
        if request.market not in self._board.markets:
            raise ApplicationError(
                f"no market {request.market} in {self._board.week}; "
                f"nearest: {', '.join(nearest(request.market, self._board.markets))}",
                type=FailureType.UNUSABLE_REQUEST,
                non_retryable=True,
            )

    @workflow.query(name=Message.STATUS, description="How far the run is, market by market")
    def status(self) -> WeekStatus:
        """The status board."""
        return self._board.status(self._deadline, self._policy.deadlines.open_for_reruns)

    async def _plan(self) -> WeekPlan:
        self._enter(Phase.PLANNING)
        profile = profile_of(AgentId.PRODUCT_MANAGER, self._policy.agents)
        assignment = TaskAssignment(
            task_id=f"{self._board.week}/plan",
            task_type=TaskType.PLAN_WEEK,
            agent=profile.agent,
            week=self._board.week,
            window=self._board.window,
            deadline=self._deadline,
            priority=1,
            tools=profile.tools,
            limits=profile.limits,
            base_area=self._policy.base_area,
        )
        markets = self._request.config.markets
        try:
            outcome = await AgentRun(profile, assignment, self._policy, markets=markets).work()
        except TaskFailed as failed:
            raise ApplicationError(
                str(failed), failed.error, type=FailureType.TASK_FAILED, non_retryable=True
            ) from failed
        if not isinstance(outcome.result, WeekPlan):
            raise ApplicationError("the plan is no plan", type=FailureType.TASK_FAILED)
        return outcome.result

    async def _research_all(self) -> None:
        """Every planned market side by side, until all are back or the week's deadline comes."""
        self._enter(Phase.RESEARCHING)
        tasks = [
            asyncio.create_task(self._research(plan, self._deadline))
            for plan in self._board.plan.markets
        ]
        left = time_left(self._deadline, workflow.now())
        with contextlib.suppress(TimeoutError):
            try:
                await workflow.wait_condition(
                    lambda: all(task.done() for task in tasks), timeout=left
                )
                await asyncio.gather(*tasks)
            finally:
                await _cancelled(tasks)
        for market in self._board.markets:
            self._board.outcomes.setdefault(market, self._unfinished(market))

    async def _research(self, plan: MarketPlan, deadline: datetime, rerun: int = 0) -> None:
        board = self._board
        spec = next(s for s in self._request.config.markets if s.market == plan.market)
        board.running.add(spec.market)
        level = 1 if rerun else plan.priority
        try:
            board.outcomes[spec.market] = await workflow.execute_child_workflow(
                MarketResearchWorkflow.run,
                MarketRequest(
                    week=board.week,
                    market=spec,
                    plan=plan,
                    window=board.window,
                    deadline=min(deadline, workflow.now() + self._policy.deadlines.task),
                    policy=self._policy,
                    rerun=rerun,
                ),
                id=self._market_run_id(spec.market, rerun),
                task_timeout=TASK_TIMEOUT,
                priority=priority(level, spec.market),
                search_attributes=market_attributes(board.week, spec.market),
                static_summary=f"{spec.market}, {board.week}" + (" (rerun)" if rerun else ""),
            )
        except ChildWorkflowError as error:
            if is_cancelled_exception(error):
                raise
            board.outcomes[spec.market] = self._unfinished(spec.market, str(error.cause or error))
        finally:
            board.running.discard(spec.market)
        workflow.set_current_details(board.details())

    async def _publish(self, revision: Revision) -> None:
        self._enter(Phase.PUBLISHING)
        board, deadlines = self._board, self._policy.deadlines
        info = workflow.info()
        board.revisions = (*board.revisions, revision)
        board.publication = await workflow.execute_activity_method(
            PublishingActivities.publish_report,
            PublishRequest(
                record=board.record(),
                config=self._request.config,
                subset=self._request.subset,
                workflow_id=info.workflow_id,
                run_id=info.run_id,
            ),
            activity_id=f"publish.r{revision.revision}",
            summary=f"Publish {board.week}, revision {revision.revision}",
            start_to_close_timeout=deadlines.turn,
            # What was researched is paid for: a full disk is waited out, not given up on.
            schedule_to_close_timeout=max(deadlines.week, deadlines.open_for_reruns),
            heartbeat_timeout=HEARTBEAT_TIMEOUT,
            retry_policy=patient_retry_policy(self._policy.retries),
            priority=priority(1),
        )
        board.published_after = (workflow.now() - info.start_time).total_seconds()
        workflow.upsert_search_attributes(
            [
                OUTCOME.value_set(board.publication.outcome),
                REVISION.value_set(revision.revision),
            ]
        )

    async def _serve_reruns(self) -> None:
        """Take reruns one at a time until the cut-off; a continued run waits for its first."""
        board, deadlines = self._board, self._policy.deadlines
        self._enter(Phase.OPEN_FOR_RERUNS)
        if self._request.resume is not None:
            await self._rerun_asked_for_within(deadlines.rerun)
        while board.reruns or await self._rerun_asked_for_within(self._time_open()):
            queued = board.reruns[0]
            self._enter(Phase.RESEARCHING)
            plan = next(p for p in board.plan.markets if p.market == queued.request.market)
            deadline = workflow.now() + deadlines.rerun
            await self._research(plan, deadline, queued.revision)
            await self._publish(self._rerun(queued))
            del board.reruns[0]
            self._enter(Phase.OPEN_FOR_RERUNS)
            await workflow.wait_condition(workflow.all_handlers_finished)
        self._enter(Phase.CLOSED)

    async def _rerun_asked_for_within(self, span: timedelta) -> bool:
        with contextlib.suppress(TimeoutError):
            await workflow.wait_condition(lambda: bool(self._board.reruns), timeout=span)
        return bool(self._board.reruns)

    def _time_open(self) -> timedelta:
        closes_at = self._board.closes_at(self._policy.deadlines.open_for_reruns)
        return time_left(closes_at, workflow.now()) if closes_at else timedelta(0)

    def _whole_week(self) -> Revision:
        return Revision(
            revision=self._board.last_revision + 1,
            kind=RevisionKind.AGAIN if self._board.revisions else RevisionKind.FIRST,
            published_at=workflow.now(),
        )

    def _rerun(self, queued: QueuedRerun) -> Revision:
        return Revision(
            revision=queued.revision,
            kind=RevisionKind.RERUN,
            published_at=workflow.now(),
            market=queued.request.market,
            reason=queued.request.reason,
        )

    def _market_run_id(self, market: str, rerun: int) -> str:
        return market_run_id(workflow.info().workflow_id, market, rerun)

    def _unfinished(
        self, market: str, reason: str = "not finished by the week's deadline"
    ) -> MarketOutcome:
        return MarketOutcome(market=market, outcome=Outcome.MISSING, missing=(reason[:4_000],))

    def _enter(self, phase: Phase) -> None:
        self._board.phase = phase
        workflow.upsert_search_attributes([PHASE.value_set(phase)])
        workflow.set_current_details(self._board.details())

    def _result(self) -> WeekResult:
        publication = self._board.publication
        if publication is None:
            raise ApplicationError(
                "the run was continued but nobody asked for anything",
                type=FailureType.UNUSABLE_REQUEST,
                non_retryable=True,
            )
        return WeekResult(
            outcome=publication.outcome,
            coverage=publication.coverage,
            files=publication.files,
            record=self._board.record(),
        )


async def _cancelled(tasks: Sequence[asyncio.Task[None]]) -> None:
    """Cancel what is not done, and wait until the children have heard of it."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
