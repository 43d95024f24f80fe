"""The steps of an episode: the controller chooses an action, an agent carries it out, and the
result goes onto the blackboard."""

from datetime import datetime
from decimal import Decimal

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from desk.contracts.agents.tasks import TaskAssignment, TaskType
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import ActionChoice, EpisodeStep
from desk.contracts.findings.results import ConflictRecord, ResearchResult
from desk.contracts.learning.memory import Recalled
from desk.contracts.names import AgentId, FailureType
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.judgement import RecommendationToJudge, Scope
from desk.contracts.runs.tasks import TaskOutcome
from desk.contracts.runs.turns import EpisodeContext
from desk.programs.episode.actions import DATA, generated_in, pointers_of, values_of, why_not
from desk.programs.episode.program import STOCK_TASKS
from desk.programs.episode.run.assignments import market_of
from desk.programs.episode.run.graph import CONTROLLER
from desk.programs.judging.outcomes import judged_recommendation
from desk.runs.assignments import Undelivered
from workflows.engine.agent_work import AgentTask, TaskFailed, undelivered
from workflows.engine.judging import judged_conflicts, recommendation_judged
from workflows.engine.options import unusable
from workflows.engine.remembering import recall, remember, report_to_learning
from workflows.episode.evaluating import Evaluating
from workflows.episode.run import EpisodeRun

NO_MEMORY = "memory was not to be used"

MADE_UP = "facts were generated for practice, and of such nothing is recalled, kept or learned"

STEPS_CHARGED = "steps-charged"
"""The patch for runs that began before steps had charges. These are charged nothing."""

NOTHING_RECOMMENDED = "it delivered no recommendation"

RECOMMENDATION_JUDGED_IN_ACTIVITY = "recommendation-judged-apart"
"""The patch for runs in which the workflow itself decided what to report about the
recommendation."""


class StockSteps:
    """The steps of one run. Results are stored on the blackboard and in `state`."""

    def __init__(self, run: EpisodeRun) -> None:
        self._run = run
        self._board = run.board
        self._request = run.request
        if run.request.charges and workflow.patched(STEPS_CHARGED):
            self._board.charges = run.request.charges

    async def run_to_end(self) -> None:
        """Takes steps until the controller chooses none or no further step is allowed.

        Raises:
            ApplicationError: `UnusableRequest`: the controller found that the request cannot be
                researched, for example because there is no such symbol.
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
            board=self._board.blackboard.snapshot(),
            started_at=began,
            ended_at=workflow.now(),
        )
        self._board.steps.append(step)
        self._run.show()

    async def _chosen(self) -> ActionChoice:
        """Returns the next action. If the request gives the steps, the built-in controller names
        them. If a controller fails, the usual order is followed."""
        run, board = self._run, self._board
        profile = run.profile(AgentId.CONTROLLER_AGENT, built_in=bool(self._request.steps))
        run.begin(CONTROLLER)
        context = EpisodeContext(
            state=(*board.choices, *board.results), board=board.blackboard.snapshot()
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
        """Runs an action's agent and writes the result to its part of the blackboard."""
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
        """Fetches one part of the figures. If every agent failed, the whole part is missing, unless
        an earlier round brought some of it."""
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
        """Makes a recommendation, with the conflicts between the parts. A conflict that a vote
        cannot decide stays open; no person is asked."""
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
        board.recommended_at = workflow.now()
        if self._remembers:
            entry = self._run.remembering.recommendation(found.result, board.results)
            place = f"remember.recommendation.{board.rounds_of(action)}"
            stored = await remember((entry,), self._request.policy, place)
            board.memory = stored.missing or board.memory

    @property
    def _remembers(self) -> bool:
        """Whether the run uses the memory. A run on generated practice data does not."""
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
        """Evaluates the recommendation. If the evaluation was given up, all of its figures count as
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
        await self._report_outcome()

    async def _report_outcome(self) -> None:
        """Sends the outcome to the memory and the learning system. If that fails, a note on the
        board says why."""
        board, policy = self._board, self._request.policy
        board_now = board.blackboard.snapshot()
        if self._remembers:
            known_at = board.due if board_now.evaluation and board_now.evaluation.figures else None
            entry = self._run.remembering.outcome(known_at or workflow.now())
            stored = await remember((entry,), policy, "remember.evaluation")
            board.memory = stored.missing or board.memory
        if not self._request.learn or board.blackboard.generated is not None:
            return
        asked = RecommendationToJudge(
            board=board_now,
            agents=board.researchers,
            workflow_id=workflow.info().workflow_id,
            now=workflow.now(),
            written_at=board.recommended_at,
        )
        if workflow.patched(RECOMMENDATION_JUDGED_IN_ACTIVITY):
            judged = await recommendation_judged(asked, policy)
        else:
            judged = judged_recommendation(asked)
        if judged.untellable is not None:
            board.notes.append(f"the learning system was not told: {judged.untellable}")
            return
        scored = judged.scored
        if scored is not None and (words := await report_to_learning(scored, policy)):
            board.notes.append(words)

    async def _done(
        self,
        action: StockAction,
        recalled: tuple[Recalled, ...] = (),
        conflicts: tuple[ConflictRecord, ...] = (),
    ) -> TaskOutcome | None:
        """Runs an action's task by its agent, which is shown the blackboard and all results. A task
        that fetches figures may be reassigned. Returns None if it failed."""
        run, board = self._run, self._board
        context = EpisodeContext(
            state=board.results,
            board=board.blackboard.snapshot(),
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
        """Runs a task. Only a task that fetches figures is reassigned if its agent fails."""
        if action in DATA:
            return await self._run.tasks.run_or_reassign(task)
        try:
            return await self._run.tasks.run(task)
        except TaskFailed as failed:
            return undelivered(failed, *STOCK_TASKS[action])


def _recommends_nothing(done: TaskOutcome) -> bool:
    return isinstance(done.result, Synthesis) and done.result.recommendation is None
