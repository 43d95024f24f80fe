"""A swarm: specialists research an objective under a leader, in rounds. Each round is an execution
of its own."""

from collections.abc import Sequence

from temporalio import workflow
from temporalio.exceptions import ApplicationError, WorkflowAlreadyStartedError

from desk.agents.roster import profile_in
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tasks import TaskType
from desk.contracts.findings.results import ConflictRecord, DecidedBy, ResearchResult
from desk.contracts.learning.memory import MemoryAnswer, MemoryEntry
from desk.contracts.names import AgentId, FailureType, Message, WorkflowType, hypothesis_run_id
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.graph import AnswerPublication, GraphStatus
from desk.contracts.runs.judgement import HypothesesToJudge, Scope
from desk.contracts.runs.swarm import HypothesisRequest, SwarmRequest, SwarmResult
from desk.contracts.runs.tasks import TaskOutcome
from desk.contracts.runs.turns import StateEntry, SwarmContext
from desk.contracts.swarm.hypotheses import Hypothesis
from desk.contracts.swarm.plan import SwarmPlan
from desk.learning.hypotheses import hypothesis_summary
from desk.programs.swarm.findings import markets_found
from desk.programs.swarm.run.assignments import leaders_task
from desk.programs.swarm.run.board import SwarmBoard
from desk.programs.swarm.run.graph import conclusion_node, following, plan_node
from desk.programs.swarm.run.memories import Remembering
from desk.programs.swarm.tasks import SWARM_AGENTS
from desk.runs.assignments import MARGIN, Stage, pays_for, taken_by, week_before
from desk.runs.escalations import CaseContext
from desk.trust.conflicts import surviving_claims
from workflows.engine.agent_work import AgentTask, TaskFailed, undelivered
from workflows.engine.escalating import decided
from workflows.engine.judging import judged_conflicts, sound_hypotheses
from workflows.engine.options import TASK_TIMEOUT, note_outcome, priority, run_attributes, unusable
from workflows.engine.publishing import published
from workflows.engine.remembering import recall, remember
from workflows.engine.run import NodeRun
from workflows.engine.tools import tools_of, with_reachability
from workflows.swarm.specialists import Specialists

NO_MEMORY = "memory was not to be used"

LEADER = AgentId.RESEARCH_LEADER

LEADS_AMONG = 4
"""A call of the leader may reserve one part in this many of what is left; the rest is for the
specialists."""

MAX_SAME_NAME = 20

LAST_ROUND = "it was the last round that was allowed"

NO_TIME = "its time is used up"

REPORTED_UNPLANNED = "reported-unplanned"
"""The patch for runs that failed if their first round could not be planned."""

NO_BUDGET = "what is left of the budget would not pay for another such round"


class RunningRound:
    """The current round of a swarm. Its results are stored in `state` and on the board."""

    def __init__(self, run: NodeRun[SwarmBoard]) -> None:
        self._run = run
        self._board = run.board
        self._request = run.board.request
        self.remembering = Remembering(
            workflow.info().workflow_id, run.board.request.query.question, run.board.as_of
        )

    async def work(self) -> Synthesis | None:
        """Runs the round and returns the leader's conclusion, or None if there is none.

        Raises:
            TaskFailed: the round could not be planned.
        """
        recalled = await self._recall()
        plan = await self._plan(recalled)
        await self.store([self.remembering.plan(plan, self._board.number)], "plan")
        await Specialists(self._run).work(plan)
        await self._settle()
        conclusion = await self._conclude(recalled)
        board = self._board
        known_at = workflow.now() if _by_a_person(board.conflicts) else board.as_of
        remembering = self.remembering._replace(as_of=known_at)
        found = remembering.findings(board.entries, board.conflicts, board.number)
        await self.store([found], "findings")
        return conclusion

    async def store(self, entries: Sequence[MemoryEntry], what: str) -> None:
        """Stores entries in the memory. If that fails, the report says why."""
        if not self._request.memory or not entries:
            return
        place = f"remember.{what}.{self._board.number}"
        stored = await remember(entries, self._request.policy, place)
        self._board.memory = stored.missing or self._board.memory

    async def _recall(self) -> MemoryAnswer:
        if not self._request.memory:
            self._board.memory = NO_MEMORY
            return MemoryAnswer(missing=NO_MEMORY)
        query = self.remembering.query(
            self._board.objective, (spec.market for spec in self._board.markets)
        )
        answer = await recall(query, self._request.policy, f"recall.{self._board.number}")
        self._board.memory = answer.missing or self._board.memory
        return answer

    async def _plan(self, recalled: MemoryAnswer) -> SwarmPlan:
        number = self._board.number
        context = SwarmContext(
            markets=self._request.markets,
            state=self._board.entries,
            conflicts=self._board.conflicts,
            recalled=recalled.recalled,
            complexity=self._request.complexity,
        )
        try:
            outcome = await self._lead(plan_node(number), TaskType.PLAN_SWARM, context)
        except TaskFailed as failed:
            self._run.end(plan_node(number), undelivered(failed, LEADER, TaskType.PLAN_SWARM))
            raise
        plan = outcome.result
        if not isinstance(plan, SwarmPlan):  # the loop has seen to it
            raise ApplicationError("the leader delivered no plan", non_retryable=True)
        recalled_ids = tuple(each.entry.memory_id for each in recalled.recalled)
        self._board.planned(plan, recalled_ids, following(plan, number))
        self._run.end(plan_node(number), outcome)
        return plan

    async def _settle(self) -> None:
        """Decides the conflicts between the findings, by a vote or by a person. A person has days,
        not only the time of the research."""
        found = markets_found(self._board.outcomes, self._board.conflicts)
        records = await judged_conflicts(
            Scope.WITHIN_MARKETS, found, self._request.policy, f"{self._board.number}"
        )
        undecided = tuple(record for record in records if not record.resolved)
        began = workflow.now()
        decisions = await decided(self._asking(), undecided, found, self._notify)
        self._board.waited += workflow.now() - began
        settled = {record.conflict_id: record for record in decisions}
        self._board.conflicts = tuple(settled.get(r.conflict_id, r) for r in records)

    def _asking(self) -> CaseContext:
        within = self._request.answer_within
        deadlines = self._request.policy.deadlines.model_copy(
            update={"escalation": within, "reminder": within / 2}
        )
        return CaseContext(
            week=week_before(self._board.as_of),
            deadlines=deadlines,
            report_due=workflow.now() + within + MARGIN,
            urgency=2,
        )

    async def _notify(self, escalations: Sequence[str]) -> None:
        waiting = "\n".join(f"- waits for a person: `{case}`" for case in escalations)
        self._run.enter(Phase.AWAITING_PERSON if escalations else Phase.RESEARCHING, waiting)

    async def _conclude(self, recalled: MemoryAnswer) -> Synthesis | None:
        node = conclusion_node(self._board.number)
        context = SwarmContext(
            state=self._board.entries,
            recalled=recalled.recalled,
            conflicts=self._board.conflicts,
        )
        try:
            outcome = await self._lead(node, TaskType.CONCLUDE_SWARM, context)
        except TaskFailed as failed:
            self._run.end(node, undelivered(failed, LEADER, TaskType.CONCLUDE_SWARM))
            return None
        self._run.end(node, outcome)
        return outcome.result if isinstance(outcome.result, Synthesis) else None

    async def _lead(self, node: str, kind: TaskType, context: SwarmContext) -> TaskOutcome:
        """Runs a task of the leader."""
        self._run.begin(node)
        policy = self._request.policy
        profile = profile_in(policy, LEADER)
        task = leaders_task(
            profile,
            kind,
            node,
            self._request,
            self._board.objective,
            self._board.window,
            workflow.now() + policy.deadlines.task,
        )
        return await self._run.tasks.run(
            AgentTask(profile, task, context, place=node), sharing=LEADS_AMONG
        )


@workflow.defn
class ResearchSwarmWorkflow:
    """Researches an objective. Whatever fails, it ends with a report of the results that were
    obtained."""

    @workflow.init
    def __init__(self, request: SwarmRequest) -> None:
        self._request = request
        self._run = NodeRun(SwarmBoard(request, workflow.info().start_time), request.policy)

    @workflow.run
    async def run(self, request: SwarmRequest) -> SwarmResult:
        """Returns the published report, which names what is missing. The run continues as new for
        each further round, with everything found so far.

        Raises:
            ApplicationError: `UnusableRequest`: the objective names no market, or the as-of instant
                is in the future.
        """
        run, board = self._run, self._run.board
        if board.as_of > workflow.now():
            raise unusable(f"{board.as_of.date()} has not come yet")
        policy = await with_reachability(request.policy, SWARM_AGENTS)
        if policy is not request.policy:
            self._request = request = request.model_copy(update={"policy": policy})
            run = self._run = NodeRun(SwarmBoard(request, workflow.info().start_time), policy)
            board = run.board
        run.enter(Phase.RESEARCHING)
        run.tools = await tools_of(policy, SWARM_AGENTS)
        round_ = RunningRound(run)
        conclusion = await self._concluded(round_)
        self._continue_or_stop(conclusion)
        last = conclusion or board.concluded
        hypotheses = last.hypotheses if last else ()
        waiting = await self._begin(hypotheses, round_)
        run.enter(Phase.PUBLISHING)
        publication = await self._publish([waiting.get(h.hypothesis_id, h) for h in hypotheses])
        run.board.note_published(publication.files)
        note_outcome(publication.outcome)
        return SwarmResult(
            outcome=publication.outcome,
            files=publication.files,
            summary=publication.summary,
            answered=publication.answered,
            rounds=len(board.rounds),
            hypotheses=tuple(
                hypothesis_run_id(workflow.info().workflow_id, each.hypothesis_id)
                for each in waiting.values()
            ),
            tokens=board.tokens,
            seconds=(workflow.now() - board.started_at).total_seconds(),
        )

    @workflow.query(name=Message.STATUS, description="How far the swarm is, agent by agent")
    def status(self) -> GraphStatus:
        """Returns the status board."""
        return self._run.board.status()

    async def _concluded(self, round_: RunningRound) -> Synthesis | None:
        try:
            return await round_.work()
        except TaskFailed as failed:
            board = self._run.board
            workflow.logger.warning("%s: %s", plan_node(board.number), failed)
            if not board.rounds:
                if _is_unusable_request(failed) or not workflow.patched(REPORTED_UNPLANNED):
                    raise _unplanned(failed) from None
                return None
            stopped = f"a further round could not be planned: {failed}"[:4_000]
            board.ended(refined=board.rounds[-1].refined, stopped=stopped)
            return board.concluded

    def _continue_or_stop(self, conclusion: Synthesis | None) -> None:
        """Continues as new with what the leader still wants to know, or notes why there is no
        further round."""
        board, request = self._run.board, self._request
        if len(board.rounds) < board.number:
            return
        refined = conclusion.further if conclusion else None
        stopped = None
        if refined is not None:
            stopped = self._stopped()
        board.ended(refined=refined, stopped=stopped)
        if refined is not None and stopped is None:
            carried = board.carried(refined.objective)
            workflow.continue_as_new(request.model_copy(update={"carried": carried}))

    def _stopped(self) -> str | None:
        """Returns why there is no further round although the leader wants one, or None if there is
        one."""
        if self._run.board.number >= self._request.most_rounds:
            return LAST_ROUND
        if workflow.now() >= self._run.board.deadline:
            return NO_TIME
        budget = self._run.board.budget
        can_pay = pays_for(budget.left, taken_by(self._run.board.usage_of_round))
        return None if can_pay and budget.stage < Stage.CHEAPER_MODEL else NO_BUDGET

    async def _begin(
        self, hypotheses: Sequence[Hypothesis], round_: RunningRound
    ) -> dict[str, Hypothesis]:
        """Starts a workflow, which outlives this run, for each hypothesis that a price can decide.

        Returns the started hypotheses by the ids that the leader gave them; each has the id that it
        waits under. The specialists' views come due with them.
        """
        board = self._run.board
        asked = HypothesesToJudge(
            hypotheses=tuple(hypotheses),
            results=_found_in(board.entries),
            conflicts=board.conflicts,
            as_of=board.as_of,
        )
        sound = await sound_hypotheses(asked, self._request.policy)
        begun = {each.hypothesis_id: await self._wait_for(each) for each in sound}
        waiting = {name: each for name, each in begun.items() if each is not None}
        claims = surviving_claims(_found_in(board.entries), board.conflicts)
        memories = [round_.remembering.hypothesis(each, claims) for each in waiting.values()]
        await round_.store(memories, "hypotheses")
        return waiting

    async def _wait_for(self, hypothesis: Hypothesis) -> Hypothesis | None:
        """Starts the workflow of a hypothesis. Returns the hypothesis with the id that it waits
        under, which ends with its due day. Returns None if too many have that id.

        If an earlier hypothesis with the same id is not scored yet, it stays, and the new id gets a
        number.
        """
        own = f"{hypothesis.hypothesis_id[:180]}-{hypothesis.due:%Y-%m-%d}"
        named = hypothesis.model_copy(update={"hypothesis_id": own})
        for number in range(2, MAX_SAME_NAME):
            try:
                await self._start_waiting(named)
            except WorkflowAlreadyStartedError:
                named = hypothesis.model_copy(update={"hypothesis_id": f"{own}-{number}"})
            else:
                return named
        workflow.logger.warning("%s does not wait: too many do", own)
        return None

    async def _start_waiting(self, hypothesis: Hypothesis) -> None:
        request, own = self._request, workflow.info().workflow_id
        market, board = hypothesis.market.market, self._run.board
        await workflow.start_child_workflow(
            WorkflowType.HYPOTHESIS,
            HypothesisRequest(
                hypothesis=hypothesis,
                swarm=own,
                objective=request.query.question,
                made_as_of=board.as_of,
                written_at=workflow.now(),
                # A source that is unreachable now may be reachable when the hypothesis is due.
                policy=request.policy.model_copy(update={"unreachable": ()}),
                memory=request.memory,
                learn=request.learn,
                by=_researchers_of(hypothesis, board.entries),
            ),
            id=hypothesis_run_id(own, hypothesis.hypothesis_id),
            task_timeout=TASK_TIMEOUT,
            parent_close_policy=workflow.ParentClosePolicy.ABANDON,
            priority=priority(3, market),
            search_attributes=run_attributes(market, phase=Phase.AWAITING_HORIZON),
            static_summary=hypothesis_summary(hypothesis),
        )

    async def _publish(self, hypotheses: Sequence[Hypothesis]) -> AnswerPublication:
        info = workflow.info()
        return await published(self._run.board.record(hypotheses, info.workflow_id, info.run_id))


def _by_a_person(conflicts: Sequence[ConflictRecord]) -> bool:
    """Returns whether a person decided a conflict. Such a person knows what happened after the
    as-of instant."""
    return any(record.decided_by is DecidedBy.PERSON for record in conflicts)


def _researchers_of(hypothesis: Hypothesis, entries: Sequence[StateEntry]) -> tuple[AgentId, ...]:
    """Returns the specialists whose findings are about a market."""
    market = hypothesis.market.market
    return tuple(sorted({each.agent for each in _found_in(entries) if each.market == market}))


def _found_in(entries: Sequence[StateEntry]) -> tuple[ResearchResult, ...]:
    return tuple(e.result for e in entries if isinstance(e.result, ResearchResult))


def _is_unusable_request(failed: TaskFailed) -> bool:
    """Returns whether the user can correct the failure, for example an objective that names no
    market."""
    return failed.error.error_type == FailureType.UNUSABLE_REQUEST


def _unplanned(failed: TaskFailed) -> ApplicationError:
    error = failed.error
    if _is_unusable_request(failed):
        return unusable(error.error_message[:1_000])
    return ApplicationError(
        f"the objective could not be planned: {error.error_message}"[:1_000],
        type=FailureType.TASK_FAILED,
        non_retryable=True,
    )
