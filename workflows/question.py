"""Answers a question by a graph of agents. Nodes run concurrently where the graph forks; the answer
is published at the end."""

import asyncio
from collections import deque

from temporalio import workflow

from desk.agents.program import AgentProfile
from desk.agents.roster import profile_in
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tasks import TaskAssignment, TaskType
from desk.contracts.findings.results import ResearchResult
from desk.contracts.names import Message
from desk.contracts.question.graph import NodeSpec
from desk.contracts.question.plan import QuestionPlan
from desk.contracts.runs.graph import AnswerPublication, GraphRequest, GraphResult, GraphStatus
from desk.contracts.runs.tasks import TaskOutcome
from desk.contracts.runs.turns import QuestionContext, StateEntry, TurnContext
from desk.runs.assignments import (
    Undelivered,
    assignment_of,
    node_deadline,
    place_of,
    policy_at,
    shown_to,
)
from desk.runs.boards import GraphBoard
from desk.runs.graphs import NodeStart
from workflows.engine.agent_work import AgentTask
from workflows.engine.options import note_outcome, note_phase, unusable
from workflows.engine.publishing import published
from workflows.engine.run import NodeRun
from workflows.engine.tools import tools_of, with_reachability

MAX_CONCURRENT_NODES = 40
"""The maximum number of concurrent nodes. Temporal allows 2,000 concurrent activities in a
workflow, and a node can have sixteen."""


class GraphWalk(NodeRun[GraphBoard]):
    """The walk of one run through its graph. `request` is what it answers, as a plan has it."""

    def __init__(self, request: GraphRequest, board: GraphBoard) -> None:
        super().__init__(board, request.policy)
        self.request = request
        self._working = 0

    async def run_to_end(self) -> None:
        """Runs every node that becomes due, until none is left."""
        ready, working = (
            deque(self.board.machine.begin()),
            list[asyncio.Task[tuple[NodeStart, ...]]](),
        )
        try:
            while ready or working:
                while ready and len(working) < MAX_CONCURRENT_NODES:
                    step = asyncio.create_task(self._take(ready.popleft()))
                    step.add_done_callback(_retrieve_exception)
                    working.append(step)
                done, working = await workflow.wait(working, return_when=asyncio.FIRST_COMPLETED)
                for taken in done:
                    ready.extend(taken.result())
        finally:
            for left in working:
                left.cancel()

    async def _take(self, step: NodeStart) -> tuple[NodeStart, ...]:
        """Runs a node and returns the nodes that become due by it. A failed node has an outcome as
        well."""
        node, machine = step.node, self.board.machine
        self.begin(node.name)
        state = shown_to(node, self.request.graph, machine.visible_to(node))
        self._working += 1
        try:
            done = await self._done(step, state)
        finally:
            self._working -= 1
        outcome = self.board.end(node.name, done, workflow.now(), node.key)
        if isinstance(plan := outcome.entry.result, QuestionPlan):
            self.request = self.board.replanned(self.request, plan)
            machine = self.board.machine
        following = machine.finish(outcome.entry)
        self.show()
        return following

    async def _done(
        self, step: NodeStart, state: tuple[StateEntry, ...]
    ) -> TaskOutcome | Undelivered:
        policy = policy_at(step.node, self.request.policy)
        profile = _profile(step.node, policy)
        assignment = self._assignment(step, profile)
        findings = _findings(step.node, state)
        evidence = self.board.evidence_for(state) if findings else ()
        context = TurnContext(findings=findings, evidence=evidence, state=state)
        if step.node.task is TaskType.PLAN_QUESTION:
            context = QuestionContext(markets=self.request.markets)
        return await self.tasks_by(policy).run_or_reassign(
            AgentTask(profile, assignment, context, place=assignment.task_id),
            sharing=self._working + 1,
            sharing_then=lambda: self._working + 1,
        )

    def _assignment(self, step: NodeStart, profile: AgentProfile) -> TaskAssignment:
        node, request, board = step.node, self.request, self.board
        planning = node.task is TaskType.PLAN_QUESTION
        return assignment_of(
            profile,
            request.policy,
            node.task,
            place_of(node.name, step.round),
            board.known_before if planning else board.window,
            node_deadline(workflow.now(), board.deadline, node, request.policy.deadlines),
            market=node.market or request.market,
            query=request.query,
            instructions=node.instructions,
        )


@workflow.defn
class ResearchGraphWorkflow:
    """Answers a question by a graph of agents. Whatever fails, it ends with an answer from the
    results that were obtained."""

    @workflow.init
    def __init__(self, request: GraphRequest) -> None:
        self._request = request
        self._started_at = workflow.info().start_time
        self._walk: GraphWalk | None = None

    @workflow.run
    async def run(self, request: GraphRequest) -> GraphResult:
        """Returns the published answer, which names what is missing.

        Raises:
            ApplicationError: `UnusableRequest`: the graph cannot be run, or the as-of instant is in
                the future.
        """
        walk = self._walk = self._new_walk()
        note_phase(Phase.RESEARCHING)
        agents = sorted({node.agent for node in request.graph.nodes})
        policy = await with_reachability(request.policy, agents)
        if policy is not request.policy:
            self._request = request.model_copy(update={"policy": policy})
            walk = self._walk = self._new_walk()
        walk.tools = await tools_of(policy, agents)
        await walk.run_to_end()
        note_phase(Phase.PUBLISHING)
        walk.board.phase = Phase.PUBLISHING
        publication = await self._publish(walk)
        walk.board.note_published(publication.files)
        note_outcome(publication.outcome)
        return GraphResult(
            outcome=publication.outcome,
            files=publication.files,
            summary=publication.summary,
            answered=publication.answered,
            seconds=(workflow.now() - self._started_at).total_seconds(),
        )

    @workflow.query(name=Message.STATUS, description="How far the graph is, node by node")
    def status(self) -> GraphStatus:
        """Returns the status board."""
        if self._walk is None:
            raise unusable("the run was refused, and has nothing to show")
        return self._walk.board.status()

    async def _publish(self, walk: GraphWalk) -> AnswerPublication:
        info, board = workflow.info(), walk.board
        skipped = board.machine.skipped
        record = board.record_of(walk.request, info.workflow_id, info.run_id, skipped=skipped)
        return await published(record, what="answer")

    def _new_walk(self) -> GraphWalk:
        """Returns the walk at its beginning.

        Only the form of the graph is checked here. The whole graph was checked when the run was
        requested, and a stricter check must not refuse a graph that was run before.
        """
        window = self._request.window
        as_of = window.end if window else self._request.as_of or self._started_at
        if as_of > workflow.now():
            raise unusable(f"{as_of.date()} has not come yet")
        try:
            board = GraphBoard(self._request, as_of, self._started_at)
        except ValueError as error:
            raise unusable(str(error)) from error
        return GraphWalk(self._request, board)


def _profile(node: NodeSpec, policy: RunPolicy) -> AgentProfile:
    """Returns the agent's profile with only those of its tools that the node allows."""
    profile = profile_in(policy, node.agent)
    if node.tools is None:
        return profile
    allowed = tuple(tool for tool in profile.tools if tool in node.tools)
    return profile.model_copy(update={"tools": allowed})


def _findings(node: NodeSpec, state: tuple[StateEntry, ...]) -> tuple[ResearchResult, ...]:
    """Returns the findings that a validator checks. Other agents see findings in the graph's state
    only."""
    if node.task is not TaskType.VALIDATE:
        return ()
    return tuple(e.result for e in state if isinstance(e.result, ResearchResult))


def _retrieve_exception(step: "asyncio.Task[tuple[NodeStart, ...]]") -> None:
    """Retrieves the exception of a finished step. No code awaits the steps of a cancelled run, and
    asyncio would log "exception was never retrieved" for each."""
    if not step.cancelled():
        step.exception()
