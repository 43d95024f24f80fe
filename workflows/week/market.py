"""The research of one market: its agents side by side, the validator, then what persons decide."""

import asyncio
from collections.abc import Sequence

from temporalio import workflow

from desk.agents.roster import profile_in
from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tools import MOST_EVIDENCE, ToolResult
from desk.contracts.findings.judgement import Scope
from desk.contracts.findings.results import ResearchResult, ValidationResult
from desk.contracts.names import Message
from desk.contracts.week.plan import PlannedTask
from desk.contracts.week.report import Contribution, MarketOutcome
from desk.contracts.week.run import MarketRequest, TaskOutcome
from desk.runs.assignments.assignments import VALIDATION, market_task
from desk.runs.assignments.budget import Budget
from desk.runs.boards.market_outcome import after_decisions, decide_outcome, reasons_missing
from desk.runs.escalations.case import Asking
from desk.runs.escalations.details import waiting_details
from desk.runs.tools import described_for
from desk.trust.conflicts import merged, with_decisions
from workflows.engine.agent_work import AgentTask, TurnContext
from workflows.engine.escalating import decided, tell_week
from workflows.engine.judging import Reading, judged_conflicts
from workflows.engine.task_runner import TaskRunner
from workflows.options import note_outcome, note_phase


@workflow.defn
class MarketResearchWorkflow:
    """Researches and validates one market; whatever fails, it ends with what there is."""

    @workflow.init
    def __init__(self, request: MarketRequest) -> None:
        self._request = request
        self._outcomes: list[TaskOutcome] = []
        self._agents: list[Contribution] = []
        self._dead_letters: list[str] = []
        self._budget = Budget(request.allowance)
        self._tasks = TaskRunner(request.policy, self._budget, request.tools)

    @workflow.run
    async def run(self, request: MarketRequest) -> MarketOutcome:
        """What the market's agents found, with the evidence and with what could not be had.

        Conflicts that a vote cannot settle wait for a person, until shortly before the report is
        due; then their defaults hold.
        """
        tasks = request.plan.tasks
        await asyncio.gather(*(self._do(planned, (), sharing=len(tasks)) for planned in tasks))
        results = self._research_results()
        if results:
            workflow.set_current_details(f"{request.market.market} is with the validator")
            await self._do(VALIDATION, results)
        found = await self._found(results)
        undecided = tuple(record for record in found.conflicts if not record.resolved)
        records = await decided(self._asking(), undecided, (found,), self._tell)
        outcome = after_decisions(request.market, with_decisions(found, records))
        note_outcome(outcome.outcome)
        return outcome

    @workflow.query(name=Message.SPENT, description="What its agents have spent so far")
    def spent(self) -> Allowance:
        """What was spent of its allowance, or is taken to be; a task that somebody else does
        counts once that is done."""
        return self._budget.spent

    async def _found(self, results: tuple[ResearchResult, ...]) -> MarketOutcome:
        market = self._request.market
        validated = next((o for o in self._outcomes if _validation_in(o)), None)
        validation = _validation_in(validated) if validated else None
        found = MarketOutcome(
            market=market.market,
            outcome=decide_outcome(market, results, self._agents),
            results=results,
            validation=validation,
            conflicts=validation.conflicts if validation else (),
            evidence=self._evidence(),
            agents=tuple(sorted(self._agents, key=lambda c: (c.task_type, c.agent))),
            missing=reasons_missing(results, self._agents),
            dead_letters=tuple(sorted(self._dead_letters)),
        )
        if not results or (validated and validated.judged):
            return found
        # No validator was there to say what the findings contradict each other in.
        within = await judged_conflicts(
            Scope.WITHIN_MARKETS,
            (found,),
            self._request.policy,
            "market",
            Reading(market, self._request.window),
        )
        return found.model_copy(update={"conflicts": merged(within, found.conflicts)})

    def _asking(self) -> Asking:
        request = self._request
        return Asking(
            week=request.week,
            deadlines=request.policy.deadlines,
            report_due=request.report_due,
            urgency=1 if request.rerun else request.plan.priority,
        )

    async def _tell(self, escalations: Sequence[str]) -> None:
        """Say that the market waits for a person, here and to the run of the week."""
        market = self._request.market.market
        if escalations:
            note_phase(Phase.AWAITING_PERSON)
            workflow.set_current_details(waiting_details(market, escalations))
        await tell_week(market, escalations)

    async def _do(
        self, planned: PlannedTask, findings: tuple[ResearchResult, ...], *, sharing: int = 1
    ) -> None:
        """A task done, be it by somebody else; where nobody can do it, its dead letter is named and
        the market goes on without."""
        request = self._request
        profile = profile_in(request.policy, planned.agent)
        evidence = self._evidence() if findings else ()
        task = AgentTask(
            profile,
            market_task(profile, planned, request),
            TurnContext(findings=findings, evidence=evidence),
        )
        done = await self._tasks.run_or_reassign(
            task,
            tools=described_for(planned.agent, request.tools, request.uncited),
            sharing=sharing + 1,
            sharing_then=lambda: len(request.plan.tasks),
        )
        self._agents.append(done.contribution)
        if isinstance(done, TaskOutcome):
            self._outcomes.append(done)
        elif done.dead_letter is not None:
            self._dead_letters.append(done.dead_letter)

    def _in_order(self) -> list[TaskOutcome]:
        """By task and not by arrival, so that the same findings give the same report."""
        return sorted(self._outcomes, key=lambda o: o.contribution.task_type)

    def _evidence(self) -> tuple[ToolResult, ...]:
        found = tuple(e for outcome in self._in_order() for e in outcome.evidence)
        return found[:MOST_EVIDENCE]

    def _research_results(self) -> tuple[ResearchResult, ...]:
        return tuple(o.result for o in self._in_order() if isinstance(o.result, ResearchResult))


def _validation_in(outcome: TaskOutcome) -> ValidationResult | None:
    return outcome.result if isinstance(outcome.result, ValidationResult) else None
