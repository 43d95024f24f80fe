"""One round of a swarm: what is remembered, the plan, the specialists, what is decided between
them, and the leader's conclusion."""

from collections.abc import Sequence

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from desk.agents.roster import profile_in
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tasks import TaskType
from desk.contracts.findings.judgement import Scope
from desk.contracts.findings.results import ConflictRecord, DecidedBy
from desk.contracts.learning.memory import MemoryAnswer, MemoryEntry
from desk.contracts.names import AgentId
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.swarm.swarm import SwarmPlan
from desk.contracts.week.run import TaskOutcome
from desk.programs.swarm.findings import markets_found
from desk.programs.swarm.graph import conclusion_node, following, plan_node
from desk.programs.swarm.parts.assignments import leaders_task
from desk.programs.swarm.parts.memories import Remembering
from desk.runs.assignments.deadlines import MARGIN
from desk.runs.assignments.graph_assignments import week_before
from desk.runs.escalations.case import Asking
from workflows.agent_loop import AgentRun
from workflows.agent_work import Shown, TaskFailed, gave_up
from workflows.escalating import decided
from workflows.judging import judged_conflicts
from workflows.remembering import recall, remember
from workflows.swarm_book import SwarmBook
from workflows.swarm_specialists import Specialists

NO_MEMORY = "memory was not to be used"


class SwarmRound:
    """The round that a swarm is in. What it brings stands in `state`, and on the board."""

    def __init__(self, book: SwarmBook) -> None:
        self._book = book
        self._state = book.state
        self._request = book.request
        self.remembering = Remembering(
            workflow.info().workflow_id, book.request.query.question, book.state.as_of
        )

    async def work(self) -> Synthesis | None:
        """The leader's conclusion; None where there is none.

        Raises:
            TaskFailed: the round could not be planned.
        """
        recalled = await self._recall()
        plan = await self._plan(recalled)
        await self.store([self.remembering.plan(plan, self._state.number)], "plan")
        await Specialists(self._book).work(plan)
        await self._settle()
        conclusion = await self._conclude(recalled)
        state = self._state
        known_at = workflow.now() if _by_a_person(state.conflicts) else state.as_of
        remembering = self.remembering._replace(as_of=known_at)
        found = remembering.findings(state.entries, state.conflicts, state.number)
        await self.store([found], "findings")
        return conclusion

    async def store(self, entries: Sequence[MemoryEntry], what: str) -> None:
        """Have something remembered; why not stands in the report."""
        if not self._request.memory or not entries:
            return
        place = f"remember.{what}.{self._state.number}"
        stored = await remember(entries, self._request.policy, place)
        self._state.memory = stored.missing or self._state.memory

    async def _recall(self) -> MemoryAnswer:
        if not self._request.memory:
            self._state.memory = NO_MEMORY
            return MemoryAnswer(missing=NO_MEMORY)
        query = self.remembering.query(
            self._state.objective, (spec.market for spec in self._state.markets)
        )
        answer = await recall(query, self._request.policy, f"recall.{self._state.number}")
        self._state.memory = answer.missing or self._state.memory
        return answer

    async def _plan(self, recalled: MemoryAnswer) -> SwarmPlan:
        number = self._state.number
        shown = Shown(
            markets=self._request.markets,
            state=self._state.entries,
            conflicts=self._state.conflicts,
            recalled=recalled.recalled,
            complexity=self._request.complexity,
        )
        try:
            outcome = await self._lead(plan_node(number), TaskType.PLAN_SWARM, shown)
        except TaskFailed as failed:
            self._book.end(plan_node(number), gave_up(failed, LEADER, TaskType.PLAN_SWARM))
            raise
        plan = outcome.result
        if not isinstance(plan, SwarmPlan):  # the loop has seen to it
            raise ApplicationError("the leader delivered no plan", non_retryable=True)
        told = tuple(each.entry.memory_id for each in recalled.recalled)
        self._state.planned(plan, told, following(plan, number))
        self._book.end(plan_node(number), outcome.contribution, outcome)
        return plan

    async def _settle(self) -> None:
        """Decide what the findings contradict each other in: by a vote, or by a person, who has
        days and not the time of the research."""
        found = markets_found(self._state.in_order, self._state.conflicts)
        records = await judged_conflicts(
            Scope.WITHIN_MARKETS, found, self._request.policy, f"{self._state.number}"
        )
        undecided = tuple(record for record in records if not record.resolved)
        began = workflow.now()
        decisions = await decided(self._asking(), undecided, found, self._tell)
        self._state.waited += workflow.now() - began
        settled = {record.conflict_id: record for record in decisions}
        self._state.conflicts = tuple(settled.get(r.conflict_id, r) for r in records)

    def _asking(self) -> Asking:
        within = self._request.answer_within
        deadlines = self._request.policy.deadlines.model_copy(
            update={"escalation": within, "reminder": within / 2}
        )
        return Asking(
            week=week_before(self._state.as_of),
            deadlines=deadlines,
            report_due=workflow.now() + within + MARGIN,
            urgency=2,
        )

    async def _tell(self, escalations: Sequence[str]) -> None:
        waiting = "\n".join(f"- waits for a person: `{case}`" for case in escalations)
        self._book.enter(Phase.AWAITING_PERSON if escalations else Phase.RESEARCHING, waiting)

    async def _conclude(self, recalled: MemoryAnswer) -> Synthesis | None:
        node = conclusion_node(self._state.number)
        shown = Shown(
            state=self._state.entries,
            recalled=recalled.recalled,
            conflicts=self._state.conflicts,
        )
        try:
            outcome = await self._lead(node, TaskType.CONCLUDE_SWARM, shown)
        except TaskFailed as failed:
            self._book.end(node, gave_up(failed, LEADER, TaskType.CONCLUDE_SWARM))
            return None
        self._book.end(node, outcome.contribution, outcome)
        return outcome.result if isinstance(outcome.result, Synthesis) else None

    async def _lead(self, node: str, kind: TaskType, shown: Shown) -> TaskOutcome:
        """The leader at work."""
        self._book.begin(node)
        policy = self._request.policy
        profile = profile_in(policy, LEADER)
        task = leaders_task(
            node,
            kind,
            self._request,
            self._state.objective,
            self._state.window,
            deadline=workflow.now() + policy.deadlines.task,
            tools=profile.tools,
            limits=profile.limits,
        )
        run = AgentRun(
            profile,
            task,
            policy,
            shown=shown,
            tools=self._book.tools,
            purse=self._book.purse,
            sharing=LEADS_AMONG,
            place=node,
        )
        return await run.work()


LEADER = AgentId.RESEARCH_LEADER

LEADS_AMONG = 4
"""One call of the leader may take a quarter of what is left: the rest is for the specialists."""


def _by_a_person(conflicts: Sequence[ConflictRecord]) -> bool:
    """Whether something was decided by somebody who knows today's world."""
    return any(record.decided_by is DecidedBy.PERSON for record in conflicts)
