"""Runs the tasks of a workflow, each by its own agent or by an agent that takes it over.

An agent takes turns until it delivers a result, fails, or reaches a limit. Every turn and every
tool call is an activity of its own, so a crash loses at most the call in progress. The loop is the
same for built-in analysts and models. If the planner of the task named its opening calls, they are
made before the first turn.

Every result comes back judged. The agent is shown what was rejected, and may correct it while it
has turns left.

A task that its agent could not do is given to the next agents in a child workflow, which ends as a
dead letter if all of them fail.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial

from temporalio import workflow
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    ChildWorkflowError,
    is_cancelled_exception,
)

from activities.metrics import count_unstated, measured_task
from activities.turns import TurnActivities
from desk.agents.registry import FACT_CHECKED, delivers
from desk.agents.roster import fallbacks
from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.config import RunPolicy, VotingConfig
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import MOST_CALLS, SourceOutage, ToolCall, ToolResult, Tools
from desk.contracts.agents.usage import BUILTIN, Usage
from desk.contracts.base import Contract
from desk.contracts.findings.results import AgentError
from desk.contracts.findings.verdicts import FactCheck
from desk.contracts.names import (
    AgentId,
    FailureType,
    WorkflowType,
    reassignment_run_id,
    turn_activity_id,
)
from desk.contracts.runs.tasks import ReassignmentRequest, TaskOutcome
from desk.contracts.runs.turns import AgentResult, EpisodeContext, Exchange, Turn, TurnRequest
from desk.contracts.week.report import Contribution
from desk.runs.assignments import (
    Budget,
    Stage,
    Undelivered,
    effort_for,
    lost_usage,
    merged_outages,
    model_works_until,
    next_agent,
    turns_for,
    works_until,
)
from desk.runs.tools import sharing_cost
from desk.trust.prose import not_fact_checked
from workflows.engine.agent_work import (
    UNCORRECTED,
    AgentProgress,
    AgentTask,
    TaskFailed,
    billed,
    cut_off,
    with_usage_before,
)
from workflows.engine.escalating import cancelled_here
from workflows.engine.heartbeat_retry import with_heartbeat_retry
from workflows.engine.options import (
    PATIENT_HEARTBEAT_TIMEOUT,
    TASK_TIMEOUT,
    cause,
    priority,
    run_attributes,
    task_bounds,
    task_label,
)
from workflows.engine.tools import TaskToolCalls, refused

TIME_TO_TAKE_OVER = "time-to-take-over"
"""The patch for runs whose agents used all the time that was left, and left none for an agent that
takes over. A run started with `leave_time` does not check it, which saves two events and an update
of the search attributes."""

NO_LATE_CALLS = "no-late-calls"
"""The patch for runs that asked a model however little time was left. Such a call was billed and
its answer came too late."""

CHECKS_FACTS = "checks-facts"
"""The patch for runs whose models' final words nobody read a second time."""

CORRECTION_TURNS = 2
"""The further turns of a writer whose text a fact check objects to: one to correct it, and one if
the correction has a figure that is not a claim."""

ALL_OBJECTED_TO = "a second reading objected to all that it wrote"

MIN_TIME_FOR_MODEL = timedelta(seconds=20)
"""A model is not asked with less time than this, or than a tenth of the time that it started with
if that is shorter."""

BUILTIN_TURNS = 3
"""The turns of a built-in analyst that replaces a model: two to ask, one to deliver."""


class AgentRun:
    """One agent's work on one task.

    Each paid turn reserves one part in `sharing` of what is left of `budget`. A model is shown
    those of `tools` that its agent may call. If it does not deliver, the built-in analyst does, and
    a remark says why.

    `tried` are the agents that failed at the task before. While another agent could take over, this
    one stops early enough to leave it time. Without `leave_time` the run's history decides whether
    it does.
    """

    def __init__(
        self,
        task: AgentTask,
        policy: RunPolicy,
        budget: Budget,
        tools: Tools,
        *,
        sharing: int = 1,
        tried: tuple[AgentId, ...] = (),
        leave_time: bool = False,
    ) -> None:
        profile, assignment = task.profile, task.assignment
        others = next_agent((*tried, profile.agent), fallbacks(policy.agents))
        if others is not None and (leave_time or workflow.patched(TIME_TO_TAKE_OVER)):
            until = works_until(workflow.now(), assignment.deadline)
            assignment = assignment.model_copy(update={"deadline": until})
        self.profile = profile
        self.assignment = assignment
        self.policy = policy
        self.context = task.context
        self.place = task.place
        self._opening = task.opening
        self._offered = tuple(spec for spec in tools if profile.may_call(spec.server, spec.tool))
        self._budget = budget
        self._sharing = sharing
        self._tools = TaskToolCalls(profile, assignment, policy)
        self._model_until = model_works_until(workflow.now(), assignment.deadline)
        self._least = min(MIN_TIME_FOR_MODEL, (self._model_until - workflow.now()) / 10)

    async def work(self) -> TaskOutcome:
        """Takes turns until there is a result.

        If the agent does not correct figures that are not claims in time, its result is delivered
        without the sentences that contain them.

        Raises:
            TaskFailed: the agent gave up, met a limit, or its turn failed after all retries.
        """
        work = AgentProgress(self.profile.model)
        with measured_task(self.profile.agent, self.assignment.task_type):
            await self._open(work)
            try:
                result = await self._result(work, self._most_turns(work))
            except TaskFailed as failed:
                result = await self._fallback_result(work, failed)
            result = await self._fact_checked(result, work)
        return self._delivered(result, work)

    async def _open(self, work: AgentProgress) -> None:
        """Makes the opening calls and records the answers as the first exchange."""
        if self._opening:
            answers = await self._ask(self._opening, work)
            work.exchanges.append(Exchange(results=answers))

    async def _fallback_result(self, work: AgentProgress, failed: TaskFailed) -> AgentResult:
        """Returns the result to deliver when the agent failed: the built-in analyst's in place of a
        model's, or the draft without its rejected sentences.

        Raises:
            TaskFailed: there is neither. It carries what was spent.
        """
        if work.draft is None and work.model != BUILTIN:
            work.switch_to_builtin(
                f"{work.model} did not deliver ({failed.reason})", self.assignment.task_type
            )
            try:
                return await self._result(work, work.turns + BUILTIN_TURNS)
            except TaskFailed as last:
                failed = last
        if work.draft is not None and work.draft.without is not None:
            work.deliver_draft(failed)
            return work.draft.without
        failed.usage, failed.outages = work.usage, self._tools.outages
        raise failed

    async def _fact_checked(self, result: AgentResult, work: AgentProgress) -> AgentResult:
        """Returns a text that a model wrote without the sentences that a second reading objects to.

        The objections are sent back to the writer once, like figures that are not claims, and its
        corrected text is checked again. If nothing is left, the built-in analyst delivers. If no
        check can be made, the text is delivered as it is and says so.

        Raises:
            TaskFailed: nothing is left, and the built-in analyst has no result.
        """
        by_model = work.model != BUILTIN and bool(work.answer.said)
        checked = by_model and self.assignment.task_type in FACT_CHECKED
        if not checked or not workflow.patched(CHECKS_FACTS):
            return result
        check = await self._fact_check(result, work)
        if check.rejected and not work.gave_up:
            check = await self._corrected(check, result, work)
        if check.without is not None:
            return check.without
        work.draft = None
        return await self._fallback_result(work, self._failed("fact check", ALL_OBJECTED_TO))

    async def _corrected(self, check: Turn, result: AgentResult, work: AgentProgress) -> Turn:
        """Returns the check of the text that the writer corrected; that of its first text if
        it delivers no other, or one that cannot be checked or of which nothing is left: a sentence
        that was objected to is not published because nobody reads it again."""
        work.draft = check.model_copy(update={"result": result})
        try:
            corrected = await self._result(work, work.turns + CORRECTION_TURNS)
        except TaskFailed:
            return check
        if corrected == result:
            return check
        again = await self._fact_check(corrected, work)
        settled = isinstance(again.result, FactCheck)
        return again if settled and (again.without or check.without is None) else check

    async def _fact_check(self, text: AgentResult, work: AgentProgress) -> Turn:
        """Asks the model that wrote a text to check it. Returns the objections and the text without
        them, or the unchanged text with the reason why it was not checked."""
        try:
            self._degrade(work)
            turn = await self._fact_check_turn(text, work)
        except TaskFailed as failed:
            return Turn(without=not_fact_checked(text, failed.reason))
        work.usage = work.usage.plus(turn.usage)
        if isinstance(turn.result, FactCheck):
            return turn
        gave_up = turn.failure and (turn.failure.reason or turn.failure.error_message)
        reason = turn.over_budget or turn.fault or gave_up or "the model's answer was lost"
        return Turn(without=not_fact_checked(text, reason))

    async def _fact_check_turn(self, text: AgentResult, work: AgentProgress) -> Turn:
        work.fact_checks += 1
        kind, agent = TaskType.CHECK_FACTS, self.profile.agent
        request = TurnRequest(
            assignment=self.assignment.model_copy(update={"task_type": kind}),
            **dict(self.context),
            text=text,
            model=work.model,
            allowance=self._budget.reserve(self._sharing),
            last=True,
        )
        turn_id = turn_activity_id(agent, kind, work.fact_checks, self.place)
        summary = f"{self.profile.title}: fact check {work.fact_checks}"
        return await self._taken(request, work, turn_id, summary)

    def _most_turns(self, work: AgentProgress) -> int:
        """Returns the number of turns that the agent has. An opening replaces its first turn, which
        would have made the same calls."""
        limits, opened = self.assignment.limits, bool(self._opening)
        if work.model == BUILTIN:
            return limits.max_turns - opened
        return turns_for(effort_for(self.assignment.priority), limits) - opened

    async def _result(self, work: AgentProgress, most_turns: int) -> AgentResult:
        while work.turns < most_turns:
            self._degrade(work)
            work.turns += 1
            turn = await self._turn(work, last=work.turns >= most_turns - 1)
            work.usage = work.usage.plus(turn.usage)
            if turn.failure is not None:
                if turn.usage.model == BUILTIN:
                    # If the built-in analyst failed, falling back to it again cannot help.
                    work.model = BUILTIN
                raise TaskFailed(turn.failure)
            if turn.over_budget is not None:
                work.over_budget(turn.over_budget, self.policy.budget.cheaper_model)
                continue
            if turn.cut_off:
                work.lost_answers += 1
                continue
            self._note_answer(turn, work)
            if turn.result is not None and self._is_deliverable(turn, turn.result, work):
                return turn.result
            if self._too_long(work):
                raise self._failed("token limit", "it used up its tokens")
            if len(work.evidence) + len(turn.calls) > MOST_CALLS:
                raise self._failed("call limit", f"more than {MOST_CALLS} calls")
            if turn.calls:
                answers = await self._ask(turn.calls, work)
                results = sharing_cost(answers, turn.usage.cost_usd)
                work.exchanges.append(Exchange(results=results, said=turn.said))
        raise self._failed("turn limit", work.failure_summary)

    def _too_long(self, work: AgentProgress) -> bool:
        """Returns whether a model has used up its tokens. The built-in analyst uses none."""
        return work.model != BUILTIN and work.usage.tokens > self.assignment.limits.max_tokens

    def _degrade(self, work: AgentProgress) -> None:
        """Restricts the work when the budget runs short.

        Raises:
            TaskFailed: no money is left for a model, or too little time.
        """
        if work.model == BUILTIN:
            return
        work.degrade(self._budget.stage, self.policy.budget.cheaper_model)
        if work.stage is Stage.BUILT_IN:
            raise self._failed("budget", "its part of the budget is used up")
        if self._model_until - workflow.now() < self._least and workflow.patched(NO_LATE_CALLS):
            raise self._failed("deadline", "too little time was left for another answer")

    def _note_answer(self, turn: Turn, work: AgentProgress) -> None:
        """Stores a model's answer and its fault, which its next turn is shown.

        Raises:
            TaskFailed: the fault is the same as the last time.
        """
        if turn.feedback is not None and turn.feedback == work.answer.feedback:
            workflow.logger.info("unmended: %s", turn.feedback)
            raise self._failed(UNCORRECTED, "its answer had the same fault twice")
        work.answer = turn

    def _is_deliverable(self, turn: Turn, result: AgentResult, work: AgentProgress) -> bool:
        """Returns whether a result can be delivered unchanged. One with rejected figures becomes
        the draft.

        Raises:
            TaskFailed: it is not a result of this task, or it has the same faults as before.
        """
        if result.kind != delivers(self.assignment.task_type):
            raise self._failed("wrong result", f"it delivered a {result.kind}")
        work.judged, work.openings = turn.judged, turn.openings
        before = work.draft
        if before and (before.result, before.rejected) == (result, turn.rejected):
            raise self._failed(UNCORRECTED, "the same figures are no claims still")
        count_unstated(len(turn.rejected))
        if turn.rejected:
            work.draft = turn
        return not turn.rejected

    async def _turn(self, work: AgentProgress, *, last: bool) -> Turn:
        by_model = work.model != BUILTIN
        reserved = self._budget.reserve(self._sharing) if by_model else Allowance()
        request = TurnRequest(
            assignment=self.assignment,
            exchanges=tuple(work.exchanges),
            **dict(self.context),
            rejected=work.draft.rejected if work.draft else (),
            draft=work.answer.said,
            feedback=work.answer.feedback,
            model=work.model,
            voting=self.policy.voting if self.context.findings else VotingConfig(),
            tools=self._offered if by_model else (),
            allowance=reserved,
            last=by_model
            and (last or work.stage >= Stage.FEWER_TURNS or self._calls_left(work) == 0),
        )
        summary = f"{self.profile.title}: turn {work.turns}"
        return await self._taken(request, work, self._turn_id(work), summary)

    async def _taken(
        self, request: TurnRequest, work: AgentProgress, turn_id: str, summary: str
    ) -> Turn:
        """Runs a turn and settles what was reserved for it.

        Raises:
            TaskFailed: the turn failed after all retries.
        """
        reserved, by_model, spent = request.allowance, request.model != BUILTIN, Usage()
        try:
            turn = await self._run_turn(request, turn_id, summary)
            spent = turn.usage
            return turn
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            if by_model:
                spent = billed(error, reserved, request.model)
            if cut_off(error):
                return Turn(cut_off=True, usage=spent)
            work.usage = work.usage.plus(spent)
            raise self._failed(FailureType.TURN_FAILED, cause(error)) from error
        finally:
            if by_model:
                self._budget.settle(reserved, spent)

    async def _run_turn(self, request: TurnRequest, turn_id: str, summary: str) -> Turn:
        """Runs the turn as an activity. A model's turn ends early enough for the built-in analyst
        to take over. Its heartbeat timeout is longer, because it is paid for: a worker that hangs
        for some seconds does not lose its answer."""
        if request.model == BUILTIN:
            start = partial(self._execute_turn, request, turn_id, summary, self.assignment.deadline)
            return await with_heartbeat_retry(start)
        return await self._execute_turn(
            request, turn_id, summary, self._model_until, PATIENT_HEARTBEAT_TIMEOUT
        )

    async def _execute_turn(
        self,
        request: TurnRequest,
        turn_id: str,
        summary: str,
        until: datetime,
        heartbeat: timedelta,
    ) -> Turn:
        one_attempt = self.policy.deadlines.turn
        return await workflow.execute_activity_method(
            TurnActivities.take_turn,
            request,
            task_queue=self.profile.queue,
            activity_id=turn_id,
            summary=summary,
            **task_bounds(self.assignment, self.policy, one_attempt, heartbeat, until),
        )

    async def _ask(self, calls: Sequence[ToolCall], work: AgentProgress) -> tuple[ToolResult, ...]:
        """Makes a turn's calls concurrently and returns their answers. Calls beyond the task's
        limit are refused."""
        allowed = self._calls_left(work)
        answers = await self._tools.ask(self._turn_id(work), calls[:allowed])
        most = self.assignment.limits.max_calls
        return (*answers, *(refused(c, f"only {most} calls on a task") for c in calls[allowed:]))

    def _calls_left(self, work: AgentProgress) -> int:
        """Returns how many more tool calls the agent may make."""
        return max((self.assignment.limits.max_calls or MOST_CALLS) - len(work.evidence), 0)

    def _delivered(self, result: AgentResult, work: AgentProgress) -> TaskOutcome:
        return TaskOutcome(
            result=result,
            judged=work.judged,
            openings=work.openings,
            evidence=work.evidence,
            contribution=Contribution(
                agent=self.profile.agent,
                task_type=self.assignment.task_type,
                delivered=True,
                turns=work.turns + work.fact_checks,
                tool_calls=len(work.evidence),
                remark="; ".join(work.remarks)[:4_000] or None,
                usage=work.usage,
                outages=self._tools.outages,
            ),
        )

    def _failed(self, kind: str, reason: str) -> TaskFailed:
        error = AgentError(
            error_type=kind,
            error_message=f"{task_label(self.assignment)}: {reason}"[:4_000],
            reason=reason[:4_000],
            agent=self.profile.agent,
        )
        return TaskFailed(error)

    def _turn_id(self, work: AgentProgress) -> str:
        return turn_activity_id(
            self.profile.agent, self.assignment.task_type, work.turns, self.place
        )


class TaskRunner:
    """Runs the tasks of one workflow on one budget.

    `tools` are the descriptions shown to models. With `leave_time` every agent leaves time for a
    successor; without it, the history of the run decides (see `TIME_TO_TAKE_OVER`).
    """

    def __init__(
        self, policy: RunPolicy, budget: Budget, tools: Tools = (), *, leave_time: bool = False
    ) -> None:
        self._policy = policy
        self._budget = budget
        self._tools = tools
        self._leave_time = leave_time

    async def run(
        self, task: AgentTask, *, tools: Tools | None = None, sharing: int = 1
    ) -> TaskOutcome:
        """Runs a task by its own agent. A model is shown `tools`, or else all tools of the run.
        Each paid turn may reserve one part in `sharing` of the budget.

        Raises:
            TaskFailed: the agent could not do the task.
        """
        offered = self._tools if tools is None else tools
        run = AgentRun(
            task,
            self._policy,
            self._budget,
            offered,
            sharing=sharing,
            leave_time=self._leave_time,
        )
        return await run.work()

    async def run_or_reassign(
        self,
        task: AgentTask,
        *,
        tools: Tools | None = None,
        sharing: int = 1,
        sharing_then: Callable[[], int] = lambda: 1,
    ) -> TaskOutcome | Undelivered:
        """Runs a task by its own agent and, if that fails, by others. They may reserve one part in
        `sharing_then()` of what is left at that time."""
        try:
            return await self.run(task, tools=tools, sharing=sharing)
        except TaskFailed as failed:
            return await self.reassign(task, failed, sharing=sharing_then())

    async def reassign(
        self, task: AgentTask, failed: TaskFailed, *, sharing: int = 1
    ) -> TaskOutcome | Undelivered:
        """Gives a failed task to other agents, with the same context. The usage of the outcome
        includes what the first agent spent."""
        # Leaves a part of the budget for tasks that still run.
        reserved, spent = self._budget.reserve(sharing), Usage()
        child = reassignment_run_id(
            workflow.info().workflow_id, task.place or task.assignment.task_type
        )
        try:
            outcome = await self._by_another(task, failed, child, reserved)
            spent = outcome.contribution.usage
            return with_usage_before(outcome, failed.usage, failed.outages)
        except ChildWorkflowError as error:
            if cancelled_here():
                raise
            letter = _letter(error)
            spent = letter.usage if letter else lost_usage(reserved)
            return _dead_lettered(task, failed, letter, spent, error, child)
        finally:
            self._budget.settle(reserved, spent)

    async def _by_another(
        self, task: AgentTask, failed: TaskFailed, child: str, reserved: Allowance
    ) -> TaskOutcome:
        assignment, context = task.assignment, task.context
        market = assignment.market.market if assignment.market else None
        # Started by name, so that not every workflow's sandbox loads a workflow that is seldom
        # needed.
        outcome: TaskOutcome = await workflow.execute_child_workflow(
            WorkflowType.REASSIGNMENT,
            ReassignmentRequest(
                assignment=assignment,
                tried=(assignment.agent,),
                errors=(failed.error,),
                findings=context.findings,
                evidence=context.evidence,
                state=context.state,
                board=context.board if isinstance(context, EpisodeContext) else None,
                policy=self._policy,
                tools=self._tools,
                allowance=reserved,
            ),
            id=child,
            result_type=TaskOutcome,
            task_timeout=TASK_TIMEOUT,
            priority=priority(assignment.priority, market),
            search_attributes=run_attributes(
                market,
                week=None if assignment.query else assignment.week,
                phase=Phase.REASSIGNING,
            ),
            static_summary=f"{assignment.task_id}: somebody else for {assignment.agent}",
        )
        return outcome


class _DeadLetter(Contract):
    """The part of a dead letter that the parent workflow needs: usage and outages of all agents
    that tried."""

    usage: Usage
    outages: tuple[SourceOutage, ...] = ()


def _letter(error: ChildWorkflowError) -> _DeadLetter | None:
    """Returns the detail of a child's failure, or None if the child failed without one."""
    cause = error.cause
    letter = cause.details[0] if isinstance(cause, ApplicationError) and cause.details else None
    has_usage = isinstance(letter, dict) and letter.get("usage")
    return _DeadLetter.model_validate(letter) if has_usage else None


def _dead_lettered(
    task: AgentTask,
    failed: TaskFailed,
    letter: _DeadLetter | None,
    spent: Usage,
    error: ChildWorkflowError,
    child: str,
) -> Undelivered:
    cause, outages = error.cause, letter.outages if letter else ()
    return Undelivered(
        Contribution(
            agent=task.assignment.agent,
            task_type=task.assignment.task_type,
            delivered=False,
            error=cause.message if isinstance(cause, ApplicationError) else str(cause or error),
            usage=failed.usage.plus(spent),
            outages=merged_outages((*failed.outages, *outages)),
        ),
        dead_letter=child,
    )
