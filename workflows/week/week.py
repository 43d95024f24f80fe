"""A week's research: plans, researches every market, publishes, and stays open for reruns."""

import contextlib
from datetime import datetime, timedelta

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from desk.analytics.names.nearest import nearest
from desk.analytics.weeks import latest_complete_week, window_of
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tools import Openings
from desk.contracts.findings.escalations import WaitingNotice
from desk.contracts.names import FailureType, Message
from desk.contracts.runs.week import RerunReceipt, RerunRequest, WeekRequest, WeekResult, WeekStatus
from desk.contracts.week.report import MOST_REVISIONS, Revision, RevisionKind
from desk.programs.week.program import PROGRAM
from desk.runs.assignments import time_left
from desk.runs.boards import QueuedRerun, WeekBoard
from workflows.engine.options import SCHEDULED_START, WEEK, unusable
from workflows.engine.run import Run
from workflows.engine.tools import tools_of, with_reachability
from workflows.week.learning import WeekLessons, ask_record
from workflows.week.markets import WeekMarkets, settle_across
from workflows.week.product_manager import comment_week, plan_week
from workflows.week.publishing import WeekDeliveries, publish, revisions_so_far

OPEN = "open for reruns"
"""The summary of the timer on which a published run waits for reruns."""

RERUN_AT_THE_END = "rerun-at-the-end"
"""The patch for runs that closed without a rerun that was requested while they delivered their last
revision or its lesson."""

CONTINUES_AS_NEW = "week-continues-as-new"
"""The patch for runs whose history was already long. They do not continue as new."""


@workflow.defn
class WeeklyResearchWorkflow:
    """The run of one week, from its plan until it accepts no more reruns."""

    @workflow.init
    def __init__(self, request: WeekRequest) -> None:
        info, config = workflow.info(), request.config
        scheduled = info.typed_search_attributes.get(SCHEDULED_START) or info.start_time
        week = request.week or latest_complete_week(scheduled, config.schedule)
        self._request = request
        self._policy = config.policy
        # Counted from now, not from the start: the agents do not lose time in which there was no
        # worker.
        self._deadline = workflow.now() + config.policy.deadlines.week
        self._board = WeekBoard(
            week,
            window_of(week, config.schedule),
            config.market_names,
            started_at=info.start_time,
            budget=config.policy.budget.allowance,
        )
        self._run = Run(self._board)
        self._markets = WeekMarkets(request, self._run)
        self._deliveries = WeekDeliveries(request, self._board)
        self._lessons = WeekLessons(request, self._board)
        if request.resume is not None and request.carried is not None:
            # Restored before any message is handled, so that earlier requests are served first.
            self._board.restore_carried(request.resume, request.carried)
            self._deadline, self._markets.tools = request.carried.deadline, request.carried.tools
        elif request.resume is not None:
            # The rest is restored after the sources are checked. The revisions count when a rerun
            # is refused.
            self._board.revisions = request.resume.revisions

    @workflow.run
    async def run(self, request: WeekRequest) -> WeekResult:
        """Returns the published week, once the run has closed.

        If its history has become long, the run continues as new between two reruns, with its whole
        state.

        Raises:
            ApplicationError: the week is not over, or could not be planned or published.
        """
        if request.carried is None:
            await self._begin()
        else:
            self._run.show()
            self._deliveries.resume()
        await self._serve_reruns()
        return self._result()

    @workflow.signal(name=Message.RERUN_MARKET, description="Research one market again")
    def rerun_market(self, request: RerunRequest) -> None:
        """Queues a rerun. One that cannot be done is logged and ignored."""
        refusal = self._refusal(request)
        if refusal is not None:
            workflow.logger.warning("rerun ignored: %s", refusal)
            return
        self._board.queue(request)

    @workflow.update(name=Message.REQUEST_RERUN, description="Research one market again")
    async def request_rerun(self, request: RerunRequest) -> RerunReceipt:
        """Queues a rerun and returns which revision it will be."""
        queued = self._board.queue(request)
        await workflow.wait_condition(lambda: self._board.numbered)
        revision = self._board.revision_of(queued)
        return RerunReceipt(
            market=request.market,
            revision=revision,
            workflow_id=self._markets.run_id(request.market, revision),
        )

    @request_rerun.validator
    def _can_be_done(self, request: RerunRequest) -> None:
        refusal = self._refusal(request)
        if refusal is not None:
            raise unusable(refusal)

    @workflow.signal(name=Message.NOTE_WAITING, description="A market waits for a person")
    def note_waiting(self, notice: WaitingNotice) -> None:
        """Shows on the board that a market waits for a person, or that it no longer waits."""
        if notice.market in self._board.running:
            self._board.note_waiting(notice.market, notice.escalations)
            self._run.show()

    @workflow.query(name=Message.STATUS, description="How far the run is, market by market")
    def status(self) -> WeekStatus:
        """Returns the status board."""
        return self._board.status(self._deadline, self._policy.deadlines.open_for_reruns)

    async def _begin(self) -> None:
        """Researches and publishes the week. If the run resumes a closed one, it restores that and
        waits for a rerun instead."""
        workflow.upsert_search_attributes([WEEK.value_set(self._board.week)])
        await self._check_sources()
        request, board = self._request, self._board
        self._markets.tools = await tools_of(self._policy, PROGRAM.agents)
        if request.resume is not None:
            board.restore(request.resume)
            self._run.enter(Phase.OPEN_FOR_RERUNS)
            rerun = self._policy.deadlines.rerun
            await self._rerun_requested_within(rerun, "the rerun that this run was begun for")
            return
        self._require_past_week()
        board.begin_after(await revisions_so_far(request, board))
        await ask_record(request, board)
        planned = await plan_week(request.config, board, self._deadline)
        board.plan, board.planning = planned.plan, planned.contribution
        await self._research_all(planned.openings)
        await self._publish(self._whole_week())
        self._run.enter(Phase.OPEN_FOR_RERUNS)

    async def _check_sources(self) -> bool:
        """Checks which live sources can be reached now, and withholds the others from the agents.
        Returns False if there are no live sources."""
        found = await with_reachability(self._policy, PROGRAM.agents)
        if found is self._policy:
            return False
        self._policy = found
        config = self._request.config.model_copy(update={"policy": self._policy})
        self._request = self._markets.request = self._request.model_copy(update={"config": config})
        return True

    async def _research_all(self, openings: Openings) -> None:
        """Researches every planned market, then settles the conflicts between them, by the week's
        deadline."""
        self._run.enter(Phase.RESEARCHING)
        await self._markets.research_all(self._deadline, openings)
        await settle_across(self._request, self._board, self._deadline, self._run.enter)
        await self._comment(self._deadline)
        await self._lessons.tell()

    async def _research_again(self, queued: QueuedRerun) -> None:
        self._run.enter(Phase.RESEARCHING)
        board = self._board
        if await self._check_sources():
            self._markets.tools = await tools_of(self._policy, PROGRAM.agents)
        plan = next(p for p in board.plan.markets if p.market == queued.request.market)
        due = workflow.now() + self._policy.deadlines.rerun
        await self._markets.research_again(plan, board.revision_of(queued), due)
        await settle_across(self._request, board, due, self._run.enter)
        await self._comment(due)
        await self._lessons.tell()

    async def _comment(self, due: datetime) -> None:
        """Has the product manager comment on the findings. A report that is due is published
        without a commentary."""
        self._board.note_commented(await comment_week(self._request.config, self._board, due))

    async def _publish(self, revision: Revision) -> None:
        self._run.enter(Phase.PUBLISHING)
        await publish(self._request, self._board, revision)
        self._deliveries.begin(self._board.revisions[-1])

    async def _serve_reruns(self) -> None:
        """Does reruns one at a time until the run closes. Each execution does at least one before
        it continues as new."""
        board, taken = self._board, 0
        while (
            board.reruns
            or await self._rerun_requested_within(self._time_open(), OPEN)
            or await self._rerun_requested_at_end()
        ):
            if taken and self._is_long() and workflow.patched(CONTINUES_AS_NEW):
                await self._continue_as_new()
            queued = board.begin_rerun(workflow.now())
            taken += 1
            await self._research_again(queued)
            await self._publish(self._rerun(queued))
            del board.reruns[0]
            self._run.enter(Phase.OPEN_FOR_RERUNS)
            await workflow.wait_condition(workflow.all_handlers_finished)
        self._run.enter(Phase.CLOSED)

    async def _rerun_requested_at_end(self) -> bool:
        """Waits until everything is delivered. Returns whether a rerun was requested meanwhile."""

        def is_idle() -> bool:
            return self._deliveries.are_finished and self._lessons.are_finished

        await workflow.wait_condition(lambda: is_idle() or bool(self._board.reruns))
        if self._board.reruns and workflow.patched(RERUN_AT_THE_END):
            return True
        await workflow.wait_condition(is_idle)
        return False

    async def _continue_as_new(self) -> None:
        await self._deliveries.pause()
        await workflow.wait_condition(workflow.all_handlers_finished)
        # Nothing is awaited after the check that the handlers have finished.
        board = self._board
        carried = board.carried(deadline=self._deadline, tools=self._markets.tools)
        onward = {"week": board.week, "resume": board.record_with(), "carried": carried}
        workflow.continue_as_new(self._request.model_copy(update=onward))

    def _is_long(self) -> bool:
        info, most = workflow.info(), self._request.config.history.most_events
        return info.is_continue_as_new_suggested() or info.get_current_history_length() >= most

    async def _rerun_requested_within(self, span: timedelta, why: str) -> bool:
        """Waits up to `span` for a rerun. Returns whether there is one. The Temporal UI shows `why`
        at the timer."""
        self._board.compress_outcomes()
        ends = workflow.now() + span
        with contextlib.suppress(TimeoutError):
            await workflow.wait_condition(
                lambda: bool(self._board.reruns),
                timeout=span,
                timeout_summary=f"{why}, until {ends:%a %Y-%m-%d %H:%M} UTC",
            )
        return bool(self._board.reruns)

    def _time_open(self) -> timedelta:
        closes_at = self._board.closes_at(self._policy.deadlines.open_for_reruns)
        return time_left(closes_at, workflow.now()) if closes_at else timedelta(0)

    def _refusal(self, request: RerunRequest) -> str | None:
        board = self._board
        if request.market not in board.markets:
            near = ", ".join(nearest(request.market, board.markets))
            return f"no market {request.market} in {board.week}; nearest: {near}"
        return f"{board.week} has {MOST_REVISIONS - 1} revisions or reruns" if board.full else None

    def _require_past_week(self) -> None:
        if self._board.window.end > workflow.now():
            raise ApplicationError(
                f"{self._board.week} is not over: its report is written {self._board.window.end}",
                type=FailureType.UNUSABLE_REQUEST,
                non_retryable=True,
            )

    def _whole_week(self) -> Revision:
        return Revision(
            revision=self._board.last_revision + 1,
            kind=RevisionKind.AGAIN if self._board.revisions else RevisionKind.FIRST,
            published_at=workflow.now(),
        )

    def _rerun(self, queued: QueuedRerun) -> Revision:
        return Revision(
            # The last publication may have got a later number than it was to have.
            revision=max(self._board.revision_of(queued), self._board.last_revision + 1),
            kind=RevisionKind.RERUN,
            published_at=workflow.now(),
            market=queued.request.market,
            reason=queued.request.reason,
        )

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
            record=self._board.record_with(),
            deliveries=self._board.deliveries,
        )
