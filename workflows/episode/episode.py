"""A stock researched step by step on a blackboard, recommended on, and held against what
happened."""

from datetime import datetime
from decimal import Decimal

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from desk.agents.program import AgentProfile
from desk.agents.roster import profile_in
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tasks import Query, TaskAssignment, TaskType
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import ActionChoice, EpisodeStep
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ConflictRecord, ResearchResult
from desk.contracts.learning.memory import Recalled
from desk.contracts.names import AgentId, FailureType, Message
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.episode import EpisodeStatus, StockRequest, StockResult
from desk.contracts.runs.graph import AnswerPublication, GraphStatus
from desk.contracts.runs.judgement import (
    EvaluationToJudge,
    JudgedEvaluation,
    RecommendationToJudge,
    Scope,
)
from desk.contracts.runs.tasks import TaskOutcome
from desk.contracts.runs.turns import EpisodeContext
from desk.contracts.week.report import Contribution
from desk.contracts.weeks import TimeWindow
from desk.learning.forecasts import FIRST_PAUSE, LONGEST_PAUSE
from desk.programs.episode.actions import DATA, generated_in, pointers_of, values_of, why_not
from desk.programs.episode.horizon import (
    NEVER,
    SETTLING,
    Later,
    had_no_price,
    has_price,
    later,
    never_evaluated,
    was_told_no_price,
)
from desk.programs.episode.program import PROGRAM, STOCK_TASKS
from desk.programs.episode.run.assignments import episode_task, market_of, outcome_parameters
from desk.programs.episode.run.board import EpisodeBoard
from desk.programs.episode.run.graph import CONTROLLER
from desk.programs.episode.run.memories import StockRemembering
from desk.programs.judging.outcomes import NO_PRICE, judged_recommendation
from desk.runs.assignments import Undelivered, time_left
from workflows.engine.agent_work import AgentTask, TaskFailed, undelivered
from workflows.engine.judging import evaluation_judged, judged_conflicts, recommendation_judged
from workflows.engine.options import MARKET, note_outcome, unusable
from workflows.engine.publishing import published
from workflows.engine.remembering import recall, remember, tell_learning
from workflows.engine.run import NodeRun
from workflows.engine.tools import policy_now, tools_of

NO_CONTEXT = EpisodeContext()


class EpisodeRun(NodeRun[EpisodeBoard]):
    """One episode at work."""

    def __init__(self, request: StockRequest) -> None:
        super().__init__(EpisodeBoard(request, workflow.info().start_time), request.policy)
        self.request = request
        self._publications = 0

    @property
    def remembering(self) -> StockRemembering:
        """What is remembered of the episode, as it stands."""
        told = self.board.blackboard.told()
        return StockRemembering(workflow.info().workflow_id, self.board.query.question, told)

    def profile(self, agent: AgentId, *, built_in: bool = False) -> AgentProfile:
        """An agent as the run has it, or the built-in one in its place, which costs nothing."""
        profile = profile_in(self.request.policy, agent)
        return profile.model_copy(update={"model": BUILTIN}) if built_in else profile

    def task(
        self,
        node: str,
        profile: AgentProfile,
        context: EpisodeContext = NO_CONTEXT,
        *,
        round_: int | None = None,
        again: int = 0,
        query: Query | None = None,
        window: TimeWindow | None = None,
    ) -> AgentTask:
        """The task of an agent at a node. Unless said otherwise it is about what the episode asks,
        in its window, and one round after the last. `again` tells a repeated try from the one
        before."""
        board = self.board
        assignment = episode_task(
            profile,
            node,
            board.rounds_of(node) if round_ is None else round_,
            self.request,
            query or board.query,
            window or board.window,
            workflow.now() + self.request.policy.deadlines.task,
        )
        place = f"{assignment.task_id}.again{again}" if again else assignment.task_id
        return AgentTask(profile, assignment, context, place)

    async def publish(self) -> AnswerPublication:
        """The report of what there is; a later one takes its place."""
        info = workflow.info()
        record = self.board.record(info.workflow_id, info.run_id)
        self._publications += 1
        publication = await published(record, activity_id=f"publish.{self._publications}")
        self.board.published = publication
        self.board.files = publication.files
        return publication


EVALUATE = StockAction.EVALUATE_PERFORMANCE

TOLD_BY_ANY_ACTION = "no-price-told-by-any-action"
"""Runs that waited before this change for a price that none but `RUN_TA_ADVANCED` asked for go on
waiting."""


WAIT_JUDGED_APART = "wait-judged-apart"
EVALUATION_JUDGED_APART = "evaluation-judged-apart"
"""Runs that came to these points before this change decide in the workflow whether they wait."""


class Evaluating:
    """The evaluation of one episode, which may be weeks ahead.

    Before anything is waited for, the report of what there is goes out. A price that is not there
    yet, or a source that is away, is asked again after a pause that grows to a day, until it is
    given up; from the second try on the built-in evaluator asks, which costs nothing. A stock that
    had no price to begin with is not waited for.
    """

    def __init__(self, run: EpisodeRun, round_: int) -> None:
        self._run = run
        self._board = run.board
        self._round = round_

    async def outcome(self) -> TaskOutcome:
        """What the evaluator found when the horizon was over, be it that there is no price.

        Raises:
            TaskFailed: it could not be asked until it was given up.
        """
        if time_left(self._board.due, workflow.now()) and await self._had_no_price():
            return self._never()
        await self._wait_until(self._board.due + SETTLING, "its horizon is over")
        pause, tries = FIRST_PAUSE, 0
        while True:
            found = await self._asked(tries)
            reason = await self._waits_because(found, tries)
            if reason is None:
                break
            workflow.logger.warning("not evaluated yet: %s", reason.words)
            self._board.waits_because = reason.words
            again = min(workflow.now() + pause, reason.until)
            await self._wait_until(again, "it is asked again")
            pause, tries = min(2 * pause, LONGEST_PAUSE), tries + 1
        self._board.waits_because = None
        if isinstance(found, TaskFailed):
            raise found
        return found

    async def _asked(self, tries: int) -> TaskOutcome | TaskFailed:
        run, board = self._run, self._board
        agent, _ = STOCK_TASKS[EVALUATE]
        profile = run.profile(agent, built_in=tries > 0)
        context = EpisodeContext(state=board.results, board=board.blackboard.told())
        try:
            return await run.tasks.run(self._task(profile, context, tries))
        except TaskFailed as failed:
            return failed

    async def _had_no_price(self) -> bool:
        """Whether a source said as the episode began that it has no price of the stock."""
        if workflow.patched(WAIT_JUDGED_APART):
            return not self._has_price and (await self._judged(None, "begin")).no_price
        return self._had_none

    @property
    def _has_price(self) -> bool:
        return has_price(self._board.blackboard.values.keys())

    @property
    def _had_none(self) -> bool:
        known, outcomes = self._board.blackboard.values.keys(), self._board.arrivals
        if had_no_price(known, outcomes):
            return True
        return was_told_no_price(known, outcomes) and workflow.patched(TOLD_BY_ANY_ACTION)

    async def _judged(self, found: TaskOutcome | TaskFailed | None, place: str) -> JudgedEvaluation:
        board, request = self._board, self._run.request
        result = found.result if isinstance(found, TaskOutcome) else None
        asked = EvaluationToJudge(
            symbol=request.symbol,
            known=tuple(board.blackboard.values),
            # They are looked at for what was said in place of a price.
            outcomes=() if self._has_price else board.arrivals,
            found=result if isinstance(result, ResearchResult) else None,
            failed=str(found)[:4_000] if isinstance(found, TaskFailed) else None,
            due=board.due,
            now=workflow.now(),
            given_up_after=request.given_up_after,
        )
        return await evaluation_judged(asked, f"evaluation.{self._round}.{place}", request.policy)

    def _never(self) -> TaskOutcome:
        """The evaluation of a horizon that is not waited for: it says so, and no agent is asked."""
        agent, kind = STOCK_TASKS[EVALUATE]
        words = f"nobody was asked: {NEVER}"
        task = self._task(self._run.profile(agent))
        return TaskOutcome(
            result=never_evaluated(task.assignment, self._run.request.symbol),
            evidence=(),
            contribution=Contribution(agent=agent, task_type=kind, delivered=True, remark=words),
        )

    def _task(
        self, profile: AgentProfile, context: EpisodeContext = NO_CONTEXT, tries: int = 0
    ) -> AgentTask:
        """The evaluation; its tools are asked as of the end of the horizon."""
        board = self._board
        made = board.blackboard.recommendation
        if made is None:  # whoever begins an evaluation has seen to it
            raise ApplicationError("there is no recommendation to evaluate", non_retryable=True)
        told = {**board.query.parameters, **outcome_parameters(board.as_of, made.action)}
        query = board.query.model_copy(update={"parameters": told})
        return self._run.task(
            EVALUATE,
            profile,
            context,
            round_=self._round,
            again=tries,
            query=query,
            window=board.horizon,
        )

    async def _waits_because(self, found: TaskOutcome | TaskFailed, tries: int) -> Later | None:
        if workflow.patched(EVALUATION_JUDGED_APART):
            judged = await self._judged(found, f"t{tries}")
            until = judged.until
            return Later(judged.waits_because or NO_PRICE, until) if until is not None else None
        return self._waits_here(found)

    def _waits_here(self, found: TaskOutcome | TaskFailed) -> Later | None:
        exit_day, reason = None, NO_PRICE
        if isinstance(found, TaskFailed):
            reason = str(found)
        elif isinstance(found.result, ResearchResult):
            _, days = values_of(found.result.claims, EVALUATE, self._run.request.symbol)
            exit_day = days.get(Metric.EXIT)
            if exit_day is None and self._had_none:
                return None
            reason = "; ".join(found.result.missing) or NO_PRICE
        return later(
            exit_day,
            reason,
            due=self._board.due,
            now=workflow.now(),
            given_up_after=self._run.request.given_up_after,
        )

    async def _wait_until(self, when: datetime, then: str) -> None:
        """A durable wait, where there is anything to wait for."""
        left = time_left(when, workflow.now())
        if not left:
            return
        run, began = self._run, workflow.now()
        if run.board.published is None:
            run.enter(Phase.PUBLISHING)
            await run.publish()
        run.board.waits_for = when
        run.enter(Phase.AWAITING_HORIZON)
        await workflow.sleep(time_left(when, workflow.now()), summary=f"{then}: {when:%Y-%m-%d}")
        run.board.waits_for = None
        self._board.waited += workflow.now() - began
        run.board.resume(EVALUATE, workflow.now())
        run.enter(Phase.RESEARCHING)


NO_MEMORY = "memory was not to be used"

MADE_UP = "facts were generated for practice, and of such nothing is recalled, kept or learned"

STEPS_CHARGED = "steps-charged"
"""Runs that were begun by workers that knew no charges are charged nothing to their end."""

NOTHING_RECOMMENDED = "it delivered no recommendation"

RECOMMENDATION_JUDGED_APART = "recommendation-judged-apart"
"""Runs that were evaluated before this change decide in the workflow what is told of it."""

FIRST_YEAR = 1900
"""Before it there are prices of no stock."""


class StockSteps:
    """The steps of one run. What they bring stands on the blackboard, and in `state`."""

    def __init__(self, run: EpisodeRun) -> None:
        self._run = run
        self._board = run.board
        self._request = run.request
        if run.request.charges and workflow.patched(STEPS_CHARGED):
            self._board.charges = run.request.charges

    async def to_the_end(self) -> None:
        """Step by step until there is none, or no room for one.

        Raises:
            ApplicationError: `UnusableRequest`: the controller has found that nothing can be done
                with what was asked, as where there is no such symbol.
        """
        while self._board.goes_on(began := workflow.now()):
            choice = await self._chosen()
            if choice.action is None:
                return
            refused = why_not(self._board.blackboard, choice.action)
            if refused is None:
                await self._carried_out(choice.action)
            self._note_step(choice.action, choice.reason, refused, began)

    def _note_step(
        self, action: StockAction, reason: str, refused: str | None, began: datetime
    ) -> None:
        evaluates = action is StockAction.EVALUATE_PERFORMANCE and refused is None
        reward = self._board.blackboard.reward if evaluates else None
        charges = self._board.charges if refused is None else {}
        step = EpisodeStep(
            number=len(self._board.steps) + 1,
            action=action,
            reason=reason,
            refused=refused,
            reward=reward or Decimal(0),
            charge=charges.get(action, Decimal(0)),
            board=self._board.blackboard.told(),
            started_at=began,
            ended_at=workflow.now(),
        )
        self._board.steps.append(step)
        self._run.show()

    async def _chosen(self) -> ActionChoice:
        """What comes next. Where the steps are given, the built-in controller names them; where a
        controller cannot choose, the usual order goes on."""
        run, board = self._run, self._board
        profile = run.profile(AgentId.CONTROLLER_AGENT, built_in=bool(self._request.steps))
        run.begin(CONTROLLER)
        context = EpisodeContext(
            state=(*board.choices, *board.results), board=board.blackboard.told()
        )
        task = run.task(CONTROLLER, profile, context)
        try:
            outcome = await run.tasks.run(task)
        except TaskFailed as failed:
            run.end(CONTROLLER, undelivered(failed, profile.agent, TaskType.CHOOSE_ACTION))
            if failed.error.error_type == FailureType.UNUSABLE_REQUEST and not board.steps:
                raise unusable(failed.error.error_message[:1_000]) from None
            return self._by_rule(task.assignment, failed)
        run.end(CONTROLLER, outcome)
        if not isinstance(outcome.result, ActionChoice):  # the loop has seen to it
            raise ApplicationError("the controller delivered no choice", non_retryable=True)
        return outcome.result

    def _by_rule(self, task: TaskAssignment, failed: TaskFailed) -> ActionChoice:
        return ActionChoice(
            task_id=task.task_id,
            market=market_of(self._request.symbol),
            action=self._board.by_rule(),
            reason=f"The controller could not choose, and the order goes on: {failed}"[:4_000],
        )

    async def _carried_out(self, action: StockAction) -> None:
        """An action's agent at work; what it brings is written onto its part of the blackboard."""
        self._run.begin(action)
        if action is StockAction.GENERATE_INSIGHT:
            await self._insight()
        elif action is StockAction.GENERATE_RECOMMENDATION:
            await self._recommendation()
        elif action is StockAction.EVALUATE_PERFORMANCE:
            await self._evaluation()
        else:
            await self._data(action)

    async def _data(self, action: StockAction) -> None:
        """Fetches one part of the figures. Where no agent could, the whole part counts as missing,
        unless an earlier round has brought some of it."""
        found = await self._done(action)
        symbol = self._request.symbol
        if found is not None and isinstance(found.result, ResearchResult):
            values, days = values_of(found.result.claims, action, symbol)
            made = generated_in(found.result, action, symbol)
            self._board.blackboard.write_part(action, values, days, made)
        elif action not in self._board.blackboard.taken:
            self._board.blackboard.write_part(action, {}, self._board.as_of.date())

    async def _insight(self) -> None:
        found = await self._done(StockAction.GENERATE_INSIGHT)
        if found is not None and isinstance(found.result, ResearchResult):
            self._board.blackboard.write_insights(pointers_of(found.result))

    async def _recommendation(self) -> None:
        """A recommendation, with what the parts contradict each other in: what a vote cannot decide
        stays open, and no person is asked."""
        action, board = StockAction.GENERATE_RECOMMENDATION, self._board
        place = f"{board.rounds_of(action)}"
        board.conflicts = await judged_conflicts(
            Scope.WITHIN_MARKETS, (board.found,), self._request.policy, place
        )
        recalled = await self._recall()
        found = await self._done(action, recalled, board.conflicts)
        if found is None or not isinstance(found.result, Synthesis):
            return
        made = found.result.recommendation
        if made is None:
            return
        board.blackboard.write_recommendation(made)
        if self._remembers:
            entry = self._run.remembering.recommendation(found.result, board.results)
            place = f"remember.recommendation.{board.rounds_of(action)}"
            stored = await remember((entry,), self._request.policy, place)
            board.memory = stored.missing or board.memory

    @property
    def _remembers(self) -> bool:
        """Of facts that were made for practice nothing is remembered, and nothing is learned."""
        return self._request.memory and self._board.blackboard.generated is None

    async def _recall(self) -> tuple[Recalled, ...]:
        if not self._remembers:
            self._board.memory = NO_MEMORY if not self._request.memory else MADE_UP
            return ()
        place = f"recall.{self._board.rounds_of(StockAction.GENERATE_RECOMMENDATION)}"
        answer = await recall(self._run.remembering.query(), self._request.policy, place)
        self._board.memory = answer.missing or self._board.memory
        return answer.recalled

    async def _evaluation(self) -> None:
        """Evaluates the recommendation. Where the evaluation was given up, all of it counts as
        missing."""
        action, board, run = StockAction.EVALUATE_PERFORMANCE, self._board, self._run
        evaluating = Evaluating(run, board.rounds_of(action))
        try:
            found = await evaluating.outcome()
        except TaskFailed as failed:
            run.end(action, undelivered(failed, *STOCK_TASKS[action]))
            board.blackboard.write_evaluation({}, board.due.date())
        else:
            run.end(action, found)
            claims = found.result.claims if isinstance(found.result, ResearchResult) else ()
            board.blackboard.write_evaluation(*values_of(claims, action, self._request.symbol))
        await self._tell()

    async def _tell(self) -> None:
        """Sends the outcome to the memory and the learning system. Where that fails, a note on the
        board says why."""
        board, policy = self._board, self._request.policy
        told = board.blackboard.told()
        if self._remembers:
            known_at = board.due if told.evaluation and told.evaluation.figures else None
            entry = self._run.remembering.outcome(known_at or workflow.now())
            stored = await remember((entry,), policy, "remember.evaluation")
            board.memory = stored.missing or board.memory
        if not self._request.learn or board.blackboard.generated is not None:
            return
        asked = RecommendationToJudge(
            board=told,
            agents=board.researchers,
            workflow_id=workflow.info().workflow_id,
            now=workflow.now(),
        )
        if workflow.patched(RECOMMENDATION_JUDGED_APART):
            judged = await recommendation_judged(asked, policy)
        else:
            judged = judged_recommendation(asked)
        if judged.untellable is not None:
            board.notes.append(f"the learning system was not told: {judged.untellable}")
            return
        scored = judged.scored
        if scored is not None and (words := await tell_learning(scored, policy)):
            board.notes.append(words)

    async def _done(
        self,
        action: StockAction,
        recalled: tuple[Recalled, ...] = (),
        conflicts: tuple[ConflictRecord, ...] = (),
    ) -> TaskOutcome | None:
        """Has an action's task done by its agent, which is shown the blackboard and all results.
        None where it failed; a task that fetches figures is given to the fallback agents first."""
        run, board = self._run, self._board
        context = EpisodeContext(
            state=board.results,
            board=board.blackboard.told(),
            recalled=recalled,
            conflicts=conflicts,
        )
        task = run.task(action, run.profile(STOCK_TASKS[action][0]), context)
        done = await self._tried(action, task)
        if isinstance(done, TaskOutcome) and _recommends_nothing(done):
            line = {"delivered": False, "error": NOTHING_RECOMMENDED}
            done = Undelivered(done.contribution.model_copy(update=line))
        run.end(action, done)
        return done if isinstance(done, TaskOutcome) else None

    async def _tried(self, action: StockAction, task: AgentTask) -> TaskOutcome | Undelivered:
        """Has a task done. Only one that fetches figures is reassigned where its agent fails."""
        if action in DATA:
            return await self._run.tasks.run_or_reassign(task)
        try:
            return await self._run.tasks.run(task)
        except TaskFailed as failed:
            return undelivered(failed, *STOCK_TASKS[action])


def _recommends_nothing(done: TaskOutcome) -> bool:
    return isinstance(done.result, Synthesis) and done.result.recommendation is None


@workflow.defn
class StockResearchWorkflow:
    """One episode. Whatever fails after the symbol was found, it ends with what there is.

    In history the recommendation is evaluated at once. Where its horizon is ahead, the report goes
    out first, and again when it is over and the evaluation is there.
    """

    @workflow.init
    def __init__(self, request: StockRequest) -> None:
        self._run = EpisodeRun(request)

    @workflow.run
    async def run(self, request: StockRequest) -> StockResult:
        """The published report, the blackboard, and the steps that led to it.

        Raises:
            ApplicationError: `UnusableRequest`: it is about a time that has not come, or there is
                no such symbol.
        """
        run, board = self._run, self._run.board
        if board.as_of > workflow.now():
            raise unusable(f"{board.as_of.date()} has not come yet")
        if board.as_of.year < FIRST_YEAR:
            raise unusable(f"there are no prices of {board.as_of.date()}")
        workflow.upsert_search_attributes([MARKET.value_set(request.symbol)])
        policy = await policy_now(request.policy, PROGRAM.agents)
        if policy is not request.policy:
            request = request.model_copy(update={"policy": policy})
            run = self._run = EpisodeRun(request)
            board = run.board
        run.enter(Phase.RESEARCHING)
        run.tools = await tools_of(policy, PROGRAM.agents)
        await StockSteps(run).to_the_end()
        run.enter(Phase.PUBLISHING)
        publication = await run.publish()
        run.board.note_published(publication.files)
        run.show()
        note_outcome(publication.outcome)
        return StockResult(
            outcome=publication.outcome,
            files=publication.files,
            summary=publication.summary,
            board=board.blackboard.told(),
            steps=tuple(board.steps),
            seconds=(workflow.now() - board.started_at - board.waited).total_seconds(),
        )

    @workflow.query(name=Message.STATUS, description="How far the episode is, node by node")
    def status(self) -> GraphStatus:
        """The status board."""
        return self._run.board.status()

    @workflow.query(name=Message.EPISODE, description="The blackboard, and the steps so far")
    def episode(self) -> EpisodeStatus:
        """The blackboard as it stands, complete at every moment."""
        return self._run.board.episode()
