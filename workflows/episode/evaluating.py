"""The evaluation of an episode's recommendation, which may be due weeks later."""

from datetime import datetime

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from desk.agents.program import AgentProfile
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.episode.actions import StockAction
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ResearchResult
from desk.contracts.runs.judgement import EvaluationToJudge, JudgedEvaluation
from desk.contracts.runs.tasks import TaskOutcome
from desk.contracts.runs.turns import EpisodeContext
from desk.contracts.week.report import Contribution
from desk.learning.forecasts import FIRST_PAUSE, LONGEST_PAUSE
from desk.programs.episode.actions import values_of
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
from desk.programs.episode.program import STOCK_TASKS
from desk.programs.episode.run.assignments import outcome_parameters
from desk.programs.judging.outcomes import NO_PRICE
from desk.runs.assignments import time_left
from workflows.engine.agent_work import AgentTask, TaskFailed
from workflows.engine.judging import evaluation_judged
from workflows.episode.run import NO_CONTEXT, EpisodeRun

EVALUATE = StockAction.EVALUATE_PERFORMANCE

NO_PRICE_FROM_ANY_ACTION = "no-price-told-by-any-action"
"""The patch for runs in which only `RUN_TA_ADVANCED` could find that there is no price. If another
action found it, these runs keep waiting."""


WAIT_JUDGED_IN_ACTIVITY = "wait-judged-apart"
EVALUATION_JUDGED_IN_ACTIVITY = "evaluation-judged-apart"
"""The patches for runs in which the workflow itself decided whether to wait."""


class Evaluating:
    """The evaluation of one episode, which may be due weeks later.

    The report is published before any wait. If there is no price yet, or the source is unavailable,
    the price is requested again after pauses that grow to a day, until the evaluation is given up.
    From the second attempt on the built-in evaluator does it, which costs nothing. A stock that had
    no price at the beginning is not waited for.
    """

    def __init__(self, run: EpisodeRun, round_: int) -> None:
        self._run = run
        self._board = run.board
        self._round = round_

    async def outcome(self) -> TaskOutcome:
        """Returns the evaluation at the end of the horizon, which may say that there is no price.

        Raises:
            TaskFailed: no attempt succeeded until the evaluation was given up.
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
        context = EpisodeContext(state=board.results, board=board.blackboard.snapshot())
        try:
            return await run.tasks.run(self._task(profile, context, tries))
        except TaskFailed as failed:
            return failed

    async def _had_no_price(self) -> bool:
        """Returns whether a source reported, when the episode began, that it has no price of the
        stock."""
        if workflow.patched(WAIT_JUDGED_IN_ACTIVITY):
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
        return was_told_no_price(known, outcomes) and workflow.patched(NO_PRICE_FROM_ANY_ACTION)

    async def _judged(self, found: TaskOutcome | TaskFailed | None, place: str) -> JudgedEvaluation:
        board, request = self._board, self._run.request
        result = found.result if isinstance(found, TaskOutcome) else None
        asked = EvaluationToJudge(
            symbol=request.symbol,
            known=tuple(board.blackboard.values),
            # They are only searched for the reason why there is no price.
            outcomes=() if self._has_price else board.arrivals,
            found=result if isinstance(result, ResearchResult) else None,
            failed=str(found)[:4_000] if isinstance(found, TaskFailed) else None,
            due=board.due,
            now=workflow.now(),
            given_up_after=request.given_up_after,
        )
        return await evaluation_judged(asked, f"evaluation.{self._round}.{place}", request.policy)

    def _never(self) -> TaskOutcome:
        """Returns an evaluation that says that the horizon was not waited for. No agent is
        asked."""
        agent, kind = STOCK_TASKS[EVALUATE]
        words = f"not evaluated: {NEVER}"
        task = self._task(self._run.profile(agent))
        return TaskOutcome(
            result=never_evaluated(task.assignment, self._run.request.symbol),
            evidence=(),
            contribution=Contribution(agent=agent, task_type=kind, delivered=True, remark=words),
        )

    def _task(
        self, profile: AgentProfile, context: EpisodeContext = NO_CONTEXT, tries: int = 0
    ) -> AgentTask:
        """Returns the task to evaluate. Its tool calls are made as of the end of the horizon."""
        board = self._board
        made = board.blackboard.recommendation
        if made is None:  # whoever begins an evaluation has seen to it
            raise ApplicationError("there is no recommendation to evaluate", non_retryable=True)
        parameters = {**board.query.parameters, **outcome_parameters(board.as_of, made.action)}
        query = board.query.model_copy(update={"parameters": parameters})
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
        if workflow.patched(EVALUATION_JUDGED_IN_ACTIVITY):
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
        """Waits until an instant with a Temporal timer. Returns at once if it has passed."""
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
