"""The agent loop: an agent works in turns until it delivers, fails or meets a limit.

Every turn and every tool call is an activity of its own, so a crash costs at most the call in
flight. The loop is the same for every agent, built-in or model. What an agent delivers is read
for figures that are no claims: it is told of them and may mend them while it has turns left.
"""

import asyncio

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from activities.turns import TurnActivities
from agents.roster import AgentProfile
from contracts.config import RunPolicy
from contracts.markets import MarketSpec
from contracts.names import FailureType
from contracts.report import Contribution
from contracts.results import AgentError, ResearchResult
from contracts.tasks import TaskAssignment, TaskType
from contracts.tools import ToolCall, ToolResult
from contracts.turns import AgentResult, Exchange, Turn, TurnRequest, Usage
from contracts.week_run import TaskOutcome
from domain.prose_review import Review, review, without_rejected
from workflows.options import cause, task_bounds
from workflows.tool_asking import ToolAsking

_DELIVERABLES = {
    TaskType.PLAN_WEEK: "plan",
    TaskType.RESEARCH_FX: "research",
    TaskType.RESEARCH_RATES: "research",
    TaskType.VALIDATE: "validation",
}

MOST_TOLD = 100
"""As many rejected figures as a turn's request holds; an agent with more starts with these."""


class TaskFailed(Exception):
    """An agent could not do its task. Caught by the workflow, which finds somebody else.

    `usage` is what it took all the same.
    """

    def __init__(self, error: AgentError) -> None:
        super().__init__(error.error_message)
        self.error = error
        self.usage = Usage()


# Classes written out: a dataclass is generated anew in the sandbox of every market.


class _Work:
    """What an agent has done so far. `draft` is a result with figures that are no claims, `answer`
    the last turn."""

    def __init__(self, model: str) -> None:
        self.usage = Usage(model=model)
        self.turns = 0
        self.exchanges: list[Exchange] = []
        self.draft: Review | None = None
        self.answer = Turn()

    @property
    def evidence(self) -> tuple[ToolResult, ...]:
        """All tool results, in the order of the calls."""
        return tuple(result for exchange in self.exchanges for result in exchange.results)


class AgentRun:
    """One agent at work on one assignment.

    `place` tells it from another run on the same assignment within a workflow.
    """

    def __init__(
        self,
        profile: AgentProfile,
        assignment: TaskAssignment,
        policy: RunPolicy,
        *,
        findings: tuple[ResearchResult, ...] = (),
        evidence: tuple[ToolResult, ...] = (),
        markets: tuple[MarketSpec, ...] = (),
        place: str = "",
    ) -> None:
        self.profile = profile
        self.assignment = assignment
        self.policy = policy
        self.findings = findings
        self.evidence = evidence
        self.markets = markets
        self.place = place
        self._tools = ToolAsking(profile, assignment, policy)

    async def work(self) -> TaskOutcome:
        """Take turns until the result is there.

        A result whose prose holds figures that are no claims is delivered without those sentences
        when the agent does not mend it in time.

        Raises:
            TaskFailed: the agent gave up, met a limit, or its turn failed for good.
        """
        work = _Work(self.profile.model)
        try:
            result = await self._result(work)
        except TaskFailed as failed:
            if work.draft is None:
                failed.usage = work.usage
                raise
            result = without_rejected(work.draft.result, work.draft.rejected)
        return self._delivered(result, work)

    async def _result(self, work: _Work) -> AgentResult:
        limits = self.assignment.limits
        while work.turns < limits.max_turns:
            work.turns += 1
            turn = await self._turn(work)
            work.usage = work.usage.plus(turn.usage)
            if turn.failure is not None:
                raise TaskFailed(turn.failure)
            self._note_objection(turn, work)
            if turn.result is not None:
                reviewed = self._reviewed(turn.result, work)
                if not reviewed.rejected:
                    return reviewed.result
            if work.usage.tokens > limits.max_tokens:
                raise TaskFailed(self._error("token limit", "it used up its tokens"))
            if turn.calls:
                calls = (self._call(work.turns, call) for call in turn.calls)
                work.exchanges.append(Exchange(results=tuple(await asyncio.gather(*calls))))
        raise TaskFailed(self._error("turn limit", f"no result after {work.turns} turns"))

    def _note_objection(self, turn: Turn, work: _Work) -> None:
        """Keep what a model said and what is wrong with it, for its next turn.

        Raises:
            TaskFailed: it is the same as the last time.
        """
        if turn.objection is not None and turn.objection == work.answer.objection:
            raise TaskFailed(self._error("unmended result", turn.objection))
        work.answer = turn

    def _reviewed(self, result: AgentResult, work: _Work) -> Review:
        """A result read for figures that are no claims; with such it is kept as the draft.

        Raises:
            TaskFailed: it is no result of this task, or it has the same faults as before.
        """
        if result.kind != _DELIVERABLES[self.assignment.task_type]:
            raise TaskFailed(self._error("wrong result", f"it delivered a {result.kind}"))
        known = {claim.claim_id: claim for finding in self.findings for claim in finding.claims}
        reviewed = review(result, known)
        if reviewed == work.draft:
            raise TaskFailed(self._error("unmended result", "the same figures are no claims still"))
        if reviewed.rejected:
            work.draft = reviewed
        return reviewed

    async def _turn(self, work: _Work) -> Turn:
        request = TurnRequest(
            assignment=self.assignment,
            exchanges=tuple(work.exchanges),
            findings=self.findings,
            evidence=self.evidence,
            rejected=work.draft.rejected[:MOST_TOLD] if work.draft else (),
            draft=work.answer.said,
            objection=work.answer.objection,
            model=self.profile.model,
            markets=self.markets,
            voting=self.policy.voting,
        )
        try:
            return await workflow.execute_activity_method(
                TurnActivities.take_turn,
                request,
                task_queue=self.profile.queue,
                activity_id=f"{self._place}.t{work.turns}",
                summary=f"{self.profile.title}: turn {work.turns}",
                **task_bounds(self.assignment, self.policy, self.policy.deadlines.turn),
            )
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            raise TaskFailed(self._error(FailureType.TURN_FAILED, cause(error))) from error

    async def _call(self, turn: int, call: ToolCall) -> ToolResult:
        return await self._tools.ask(
            call, f"{self._place}.t{turn}.{call.call_id.rsplit('/', 1)[-1]}"
        )

    def _delivered(self, result: AgentResult, work: _Work) -> TaskOutcome:
        return TaskOutcome(
            result=result,
            evidence=work.evidence,
            contribution=Contribution(
                agent=self.profile.agent,
                task_type=self.assignment.task_type,
                delivered=True,
                turns=work.turns,
                tool_calls=len(work.evidence),
                usage=work.usage,
            ),
        )

    def _error(self, kind: str, message: str) -> AgentError:
        return AgentError(
            error_type=kind,
            error_message=f"{self.assignment.task_id}, {self.assignment.week}: {message}"[:4_000],
            agent=self.profile.agent,
        )

    @property
    def _place(self) -> str:
        """What tells this agent's activities from those of others in the same workflow."""
        own = f"{self.profile.agent}.{self.assignment.task_type}"
        return f"{own}.{self.place}" if self.place else own
