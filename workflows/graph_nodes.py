"""The work of a graph's nodes: an agent each, and somebody else where it fails."""

from datetime import datetime

from temporalio import workflow

from desk.agents.roster import AgentProfile, profile_in
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tasks import TaskAssignment, TaskType
from desk.contracts.agents.turns import StateEntry
from desk.contracts.config import RunPolicy
from desk.contracts.findings.results import ResearchResult
from desk.contracts.names import reassignment_run_id
from desk.contracts.question.graph import GraphRequest, NodeOutcome, NodeSpec
from desk.contracts.week.run import ReassignmentRequest, TaskOutcome, Tools
from desk.contracts.weeks import TimeWindow
from desk.runs.assignments.budget import Purse
from desk.runs.assignments.graph_assignments import assignment_at, node_deadline, policy_at
from desk.runs.boards.graph_board import GraphBoard, ended
from desk.runs.graphs.machine import Step
from workflows.agent_loop import AgentRun
from workflows.agent_work import Shown, TaskFailed
from workflows.options import graph_attributes, priority
from workflows.reassigning import HandingOn, NobodyCould


class GraphNodes:
    """The nodes of one run. They spend from one purse."""

    def __init__(
        self,
        request: GraphRequest,
        window: TimeWindow,
        deadline: datetime,
        board: GraphBoard,
        tools: Tools,
    ) -> None:
        self._request = request
        self._window = window
        self._deadline = deadline
        self._board = board
        self._tools = tools
        self._purse = Purse(request.policy.budget.allowance)
        self._working = 0

    async def work(self, step: Step, state: tuple[StateEntry, ...]) -> NodeOutcome:
        """What became of a node in this round. Its failure is an outcome as well."""
        node, began = step.node, workflow.now()
        self._working += 1
        try:
            done = await self._done(step, state)
        finally:
            self._working -= 1
        return ended(
            node.name,
            done.contribution,
            done if isinstance(done, TaskOutcome) else None,
            began=began,
            at=workflow.now(),
            key=node.key,
            round_=step.round,
            dead_letter=done.dead_letter if isinstance(done, NobodyCould) else None,
        )

    async def _done(self, step: Step, state: tuple[StateEntry, ...]) -> TaskOutcome | NobodyCould:
        policy = policy_at(step.node, self._request.policy)
        profile = _profile(step.node, policy)
        assignment = self._assignment(step, profile)
        findings = _findings(step.node, state)
        evidence = self._board.evidence_for(state) if findings else ()
        run = AgentRun(
            profile,
            assignment,
            policy,
            shown=Shown(findings=findings, evidence=evidence, state=state),
            tools=self._tools,
            purse=self._purse,
            sharing=self._working + 1,
            place=assignment.task_id,
        )
        try:
            return await run.work()
        except TaskFailed as failed:
            request = ReassignmentRequest(
                assignment=assignment,
                tried=(assignment.agent,),
                errors=(failed.error,),
                findings=findings,
                evidence=evidence,
                state=state,
                policy=policy,
                tools=self._tools,
            )
            return await self._handed_on(request, failed)

    async def _handed_on(
        self, request: ReassignmentRequest, failed: TaskFailed
    ) -> TaskOutcome | NobodyCould:
        market = self._request.market
        attributes = graph_attributes(market.market if market else None, phase=Phase.REASSIGNING)
        handing_on = HandingOn(self._purse, attributes, priority(request.assignment.priority))
        child = reassignment_run_id(workflow.info().workflow_id, request.assignment.task_id)
        try:
            return await handing_on.hand_on(request, failed, child, sharing=self._working + 1)
        except NobodyCould as nobody:
            return nobody

    def _assignment(self, step: Step, profile: AgentProfile) -> TaskAssignment:
        node, policy = step.node, self._request.policy
        return assignment_at(
            node,
            step.round,
            self._request,
            self._window,
            deadline=node_deadline(workflow.now(), self._deadline, node, policy.deadlines),
            tools=profile.tools,
            limits=profile.limits,
        )


def _profile(node: NodeSpec, policy: RunPolicy) -> AgentProfile:
    """The agent with the tools that the node leaves it."""
    profile = profile_in(policy, node.agent)
    if node.tools is None:
        return profile
    kept = tuple(tool for tool in profile.tools if tool in node.tools)
    return profile.model_copy(update={"tools": kept})


def _findings(node: NodeSpec, state: tuple[StateEntry, ...]) -> tuple[ResearchResult, ...]:
    """What a validator is to check; nobody else is shown findings apart from the state."""
    if node.task is not TaskType.VALIDATE:
        return ()
    return tuple(e.result for e in state if isinstance(e.result, ResearchResult))
