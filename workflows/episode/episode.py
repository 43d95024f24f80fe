"""A stock researched step by step on a blackboard, recommended on, and held against what
happened."""

from datetime import datetime
from decimal import Decimal

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tasks import TaskAssignment, TaskType
from desk.contracts.episode.run import EpisodeStatus, StockRequest, StockResult
from desk.contracts.episode.stock import ActionChoice, EpisodeStep, StockAction
from desk.contracts.findings.judgement import RecommendationToJudge, Scope
from desk.contracts.findings.results import ResearchResult
from desk.contracts.names import AgentId, FailureType, Message
from desk.contracts.question.graph import GraphStatus
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.week.run import TaskOutcome
from desk.programs.episode.parts import pointers_of, values_of
from desk.programs.episode.program import PROGRAM, STOCK_TASKS
from desk.programs.episode.run.actions import DATA, why_not
from desk.programs.episode.run.assignments import market_of
from desk.programs.episode.run.graph import CONTROLLER
from desk.programs.judging.outcomes import judged_recommendation
from desk.runs.assignments.reassignment import Undelivered
from workflows.engine.agent_work import AgentTask, TaskFailed, TurnContext, undelivered
from workflows.engine.judging import judged_conflicts, recommendation_judged
from workflows.engine.remembering import recall, remember, untold
from workflows.engine.tools import tools_of
from workflows.episode.book import StockBook
from workflows.episode.evaluating import Evaluating
from workflows.options import MARKET, note_outcome, unusable

NO_MEMORY = "memory was not to be used"

NOTHING_RECOMMENDED = "it delivered no recommendation"

RECOMMENDATION_JUDGED_APART = "recommendation-judged-apart"
"""Runs that were evaluated before this change decide in the workflow what is told of it."""

FIRST_YEAR = 1900
"""Before it there are prices of no stock."""


class StockSteps:
    """The steps of one run. What they bring stands on the blackboard, and in `state`."""

    def __init__(self, book: StockBook) -> None:
        self._book = book
        self._state = book.state
        self._request = book.request

    async def to_the_end(self) -> None:
        """Step by step until there is none, or no room for one.

        Raises:
            ApplicationError: `UnusableRequest`: the controller has found that nothing can be done
                with what was asked, as where there is no such symbol.
        """
        while self._state.goes_on(began := workflow.now()):
            choice = await self._chosen()
            if choice.action is None:
                return
            refused = why_not(self._state.board, choice.action)
            if refused is None:
                await self._carried_out(choice.action)
            self._note_step(choice.action, choice.reason, refused, began)

    def _note_step(
        self, action: StockAction, reason: str, refused: str | None, began: datetime
    ) -> None:
        evaluates = action is StockAction.EVALUATE_PERFORMANCE and refused is None
        reward = self._state.board.reward if evaluates else None
        step = EpisodeStep(
            number=len(self._state.steps) + 1,
            action=action,
            reason=reason,
            refused=refused,
            reward=reward or Decimal(0),
            board=self._state.board.told(),
            started_at=began,
            ended_at=workflow.now(),
        )
        self._state.steps.append(step)
        self._book.show()

    async def _chosen(self) -> ActionChoice:
        """What comes next. Where the steps are given, the built-in controller names them; where a
        controller cannot choose, the usual order goes on."""
        book, state = self._book, self._state
        profile = book.profile(AgentId.CONTROLLER_AGENT, built_in=bool(self._request.steps))
        book.begin(CONTROLLER)
        context = TurnContext(state=(*state.choices, *state.results), board=state.board.told())
        task = book.task(CONTROLLER, profile, context)
        try:
            outcome = await book.tasks.run(task)
        except TaskFailed as failed:
            book.end(CONTROLLER, undelivered(failed, profile.agent, TaskType.CHOOSE_ACTION))
            if failed.error.error_type == FailureType.UNUSABLE_REQUEST and not state.steps:
                raise unusable(failed.error.error_message[:1_000]) from None
            return self._by_rule(task.assignment, failed)
        book.end(CONTROLLER, outcome)
        if not isinstance(outcome.result, ActionChoice):  # the loop has seen to it
            raise ApplicationError("the controller delivered no choice", non_retryable=True)
        return outcome.result

    def _by_rule(self, task: TaskAssignment, failed: TaskFailed) -> ActionChoice:
        return ActionChoice(
            task_id=task.task_id,
            market=market_of(self._request.symbol),
            action=self._state.by_rule(),
            reason=f"The controller could not choose, and the order goes on: {failed}"[:4_000],
        )

    async def _carried_out(self, action: StockAction) -> None:
        """An action's agent at work; what it brings is written onto its part of the blackboard."""
        self._book.begin(action)
        if action is StockAction.GENERATE_INSIGHT:
            await self._insight()
        elif action is StockAction.GENERATE_RECOMMENDATION:
            await self._recommendation()
        elif action is StockAction.EVALUATE_PERFORMANCE:
            await self._evaluation()
        else:
            await self._data(action)

    async def _data(self, action: StockAction) -> None:
        """A part of figures. Where nobody could bring any, all of them are lacking, unless an
        earlier round has brought some."""
        found = await self._done(action, TurnContext())
        symbol = self._request.symbol
        if found is not None and isinstance(found.result, ResearchResult):
            values, days = values_of(found.result.claims, action, symbol)
            self._state.board.write_part(action, values, days)
        elif action not in self._state.board.taken:
            self._state.board.write_part(action, {}, self._state.as_of.date())

    async def _insight(self) -> None:
        found = await self._done(StockAction.GENERATE_INSIGHT, TurnContext())
        if found is not None and isinstance(found.result, ResearchResult):
            self._state.board.write_insights(pointers_of(found.result))

    async def _recommendation(self) -> None:
        """A recommendation, with what the parts contradict each other in: what a vote cannot decide
        stays open, and no person is asked."""
        action, state = StockAction.GENERATE_RECOMMENDATION, self._state
        place = f"{state.rounds_of(action)}"
        state.conflicts = await judged_conflicts(
            Scope.WITHIN_MARKETS, (state.found,), self._request.policy, place
        )
        recalled = await self._recall()
        found = await self._done(action, recalled._replace(conflicts=state.conflicts))
        if found is None or not isinstance(found.result, Synthesis):
            return
        made = found.result.recommendation
        if made is None:
            return
        state.board.write_recommendation(made)
        if self._request.memory:
            entry = self._book.remembering.recommendation(found.result, state.results)
            place = f"remember.recommendation.{state.rounds_of(action)}"
            stored = await remember((entry,), self._request.policy, place)
            state.memory = stored.missing or state.memory

    async def _recall(self) -> TurnContext:
        if not self._request.memory:
            self._state.memory = NO_MEMORY
            return TurnContext()
        place = f"recall.{self._state.rounds_of(StockAction.GENERATE_RECOMMENDATION)}"
        answer = await recall(self._book.remembering.query(), self._request.policy, place)
        self._state.memory = answer.missing or self._state.memory
        return TurnContext(recalled=answer.recalled)

    async def _evaluation(self) -> None:
        """What came of the recommendation; all of it lacking where it was given up."""
        action, state, book = StockAction.EVALUATE_PERFORMANCE, self._state, self._book
        evaluating = Evaluating(book, state.rounds_of(action))
        try:
            found = await evaluating.outcome()
        except TaskFailed as failed:
            book.end(action, undelivered(failed, *STOCK_TASKS[action]))
            state.board.write_evaluation({}, state.due.date())
        else:
            book.end(action, found)
            claims = found.result.claims if isinstance(found.result, ResearchResult) else ()
            state.board.write_evaluation(*values_of(claims, action, self._request.symbol))
        await self._tell()

    async def _tell(self) -> None:
        """Have the memory and the learning system know what came of it; a note says why not."""
        state, policy = self._state, self._request.policy
        board = state.board.told()
        if self._request.memory:
            known_at = state.due if board.evaluation and board.evaluation.figures else None
            entry = self._book.remembering.outcome(known_at or workflow.now())
            stored = await remember((entry,), policy, "remember.evaluation")
            state.memory = stored.missing or state.memory
        if not self._request.learn:
            return
        asked = RecommendationToJudge(
            board=board,
            agents=state.researchers,
            workflow_id=workflow.info().workflow_id,
            now=workflow.now(),
        )
        if workflow.patched(RECOMMENDATION_JUDGED_APART):
            judged = await recommendation_judged(asked, policy)
        else:
            judged = judged_recommendation(asked)
        if judged.untellable is not None:
            state.notes.append(f"the learning system was not told: {judged.untellable}")
            return
        told = judged.scored
        if told is not None and (words := await untold(told, policy)):
            state.notes.append(words)

    async def _done(self, action: StockAction, context: TurnContext) -> TaskOutcome | None:
        """What an agent brought who is shown the blackboard and all results besides; None where it
        failed, and where it is one for figures, everybody else as well."""
        book, state = self._book, self._state
        context = context._replace(state=state.results, board=state.board.told())
        task = book.task(action, book.profile(STOCK_TASKS[action][0]), context)
        done = await self._tried(action, task)
        if isinstance(done, TaskOutcome) and _recommends_nothing(done):
            line = {"delivered": False, "error": NOTHING_RECOMMENDED}
            done = Undelivered(done.contribution.model_copy(update=line))
        book.end(action, done)
        return done if isinstance(done, TaskOutcome) else None

    async def _tried(self, action: StockAction, task: AgentTask) -> TaskOutcome | Undelivered:
        """Only figures can be had from somebody else."""
        if action in DATA:
            return await self._book.tasks.run_or_reassign(task)
        try:
            return await self._book.tasks.run(task)
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
        self._book = StockBook(request)

    @workflow.run
    async def run(self, request: StockRequest) -> StockResult:
        """The published report, the blackboard, and the steps that led to it.

        Raises:
            ApplicationError: `UnusableRequest`: it is about a time that has not come, or there is
                no such symbol.
        """
        book, state = self._book, self._book.state
        if state.as_of > workflow.now():
            raise unusable(f"{state.as_of.date()} has not come yet")
        if state.as_of.year < FIRST_YEAR:
            raise unusable(f"there are no prices of {state.as_of.date()}")
        workflow.upsert_search_attributes([MARKET.value_set(request.symbol)])
        book.enter(Phase.RESEARCHING)
        book.tools = await tools_of(request.policy, PROGRAM.agents)
        await StockSteps(book).to_the_end()
        book.enter(Phase.PUBLISHING)
        publication = await book.publish()
        book.board.note_published(publication.files)
        book.show()
        note_outcome(publication.outcome)
        return StockResult(
            outcome=publication.outcome,
            files=publication.files,
            summary=publication.summary,
            board=state.board.told(),
            steps=tuple(state.steps),
            seconds=(workflow.now() - state.started_at - state.waited).total_seconds(),
        )

    @workflow.query(name=Message.STATUS, description="How far the episode is, node by node")
    def status(self) -> GraphStatus:
        """The status board."""
        return self._book.board.status(self._book.state.as_of, self._book.state.deadline)

    @workflow.query(name=Message.EPISODE, description="The blackboard, and the steps so far")
    def episode(self) -> EpisodeStatus:
        """The blackboard as it stands, complete at every moment."""
        return self._book.status
