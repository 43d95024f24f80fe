"""The research of one market, in a child workflow of the week's run."""

import asyncio
from collections.abc import Sequence

from temporalio import workflow

from desk.agents.roster import profile_in
from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.findings.results import ResearchResult
from desk.contracts.names import Message
from desk.contracts.runs.judgement import Scope
from desk.contracts.runs.turns import WeekContext
from desk.contracts.runs.week import MarketRequest
from desk.contracts.week.plan import PlannedTask
from desk.contracts.week.report import MarketOutcome
from desk.runs.assignments import VALIDATION, market_task
from desk.runs.boards import MarketBoard, after_decisions
from desk.runs.escalations import CaseContext
from desk.runs.tools import described_for
from desk.trust.conflicts import merged, with_decisions
from workflows.engine.agent_work import AgentTask
from workflows.engine.escalating import decided, notify_week
from workflows.engine.judging import MarketReading, judged_conflicts
from workflows.engine.options import note_outcome
from workflows.engine.run import Run
from workflows.engine.task_runner import TaskRunner


@workflow.defn
class MarketResearchWorkflow:
    """Researches and validates one market. Whatever fails, it ends with an outcome of the results
    that were obtained."""

    @workflow.init
    def __init__(self, request: MarketRequest) -> None:
        self._request = request
        board = MarketBoard(request, workflow.info().start_time)
        self._run = Run(board)
        self._board = board
        self._tasks = TaskRunner(
            request.policy, board.budget, request.tools, leave_time=request.leave_time
        )

    @workflow.run
    async def run(self, request: MarketRequest) -> MarketOutcome:
        """Returns the findings of the market's agents, with their evidence and what is missing.

        Conflicts that a vote cannot settle wait for a person until shortly before the report is
        due. After that their defaults apply.
        """
        tasks = request.plan.tasks
        await asyncio.gather(
            *(self._run_task(planned, (), sharing=len(tasks)) for planned in tasks)
        )
        results = self._board.results
        if results:
            self._board.is_with_validator = True
            self._run.show()
            await self._run_task(VALIDATION, results)
        found = await self._found()
        undecided = tuple(record for record in found.conflicts if not record.resolved)
        records = await decided(self._asking(), undecided, (found,), self._notify)
        outcome = after_decisions(request.market, with_decisions(found, records))
        note_outcome(outcome.outcome)
        return outcome

    @workflow.query(name=Message.SPENT, description="What its agents have spent so far")
    def spent(self) -> Allowance:
        """Returns the allowance that was spent so far, or is assumed to be. A reassigned task
        counts once the other agent is done."""
        return self._board.budget.spent

    async def _found(self) -> MarketOutcome:
        found, market = self._board.outcome(), self._request.market
        if not found.results or self._board.is_judged:
            return found
        # No validator has judged the findings for conflicts.
        within = await judged_conflicts(
            Scope.WITHIN_MARKETS,
            (found,),
            self._request.policy,
            "market",
            MarketReading(market, self._request.window),
        )
        return found.model_copy(update={"conflicts": merged(within, found.conflicts)})

    def _asking(self) -> CaseContext:
        request = self._request
        return CaseContext(
            week=request.week,
            deadlines=request.policy.deadlines,
            report_due=request.report_due,
            urgency=1 if request.rerun else request.plan.priority,
        )

    async def _notify(self, escalations: Sequence[str]) -> None:
        """Shows that the market waits for a person, on its own board and on the week's."""
        self._board.waiting = tuple(escalations)
        if escalations:
            self._run.enter(Phase.AWAITING_PERSON)
        await notify_week(self._request.market.market, escalations)

    async def _run_task(
        self, planned: PlannedTask, findings: tuple[ResearchResult, ...], *, sharing: int = 1
    ) -> None:
        """Runs a task by its agent or a fallback. If all of them fail, the board names the dead
        letter and the market continues without the result."""
        request = self._request
        profile = profile_in(request.policy, planned.agent)
        assignment = market_task(profile, planned, request)
        # Only the validator is given findings, and no agent is given the validator's result.
        context = (
            WeekContext(findings=findings, evidence=self._board.evidence)
            if findings
            else WeekContext(policy=request.policy)
        )
        task = AgentTask(
            profile, assignment, context, opening=self._board.opening(assignment.task_id)
        )
        done = await self._tasks.run_or_reassign(
            task,
            tools=described_for(planned.agent, request.tools, request.uncited),
            sharing=sharing + 1,
            sharing_then=lambda: len(request.plan.tasks),
        )
        self._board.end(done)
