"""The desk's memory of its own runs: what they told, how their forecasts did, what follows."""

import contextlib
from datetime import datetime

from temporalio import workflow

from desk.contracts.learning.learning import Advice, Lesson
from desk.contracts.learning.record import LearnedView, LearningRequest, Question
from desk.contracts.names import Message
from desk.contracts.swarm.swarm import ScoredHypothesis
from desk.learning.learned.details import learned_details
from desk.learning.learned.learned import Learned
from desk.runs.assignments.deadlines import time_left
from workflows.forecast_scoring import ForecastScoring


@workflow.defn
class LearningSystemWorkflow:
    """One for each desk, for as long as the desk is there.

    It is told what became of each run and of each hypothesis, scores forecasts when they are due,
    and answers what the record says. It continues as new with all that it knows, and loses nothing
    that reached it.
    """

    @workflow.init
    def __init__(self, request: LearningRequest) -> None:
        self._request = request
        self._learned = Learned(request.state)
        self._scoring = ForecastScoring(self._learned, request.state.pauses)
        self._advised: Advice | None = None
        self._armed: datetime | None = None

    @workflow.run
    async def run(self, request: LearningRequest) -> None:
        """Work until the history is long, and then go on with a new one."""
        while True:
            await self._scoring.ask(self._can_go_on_anew)
            self._show()
            if self._can_go_on_anew():
                break
            await self._something_to_do()
        # Nothing is awaited since the handlers were seen to have finished.
        state = self._learned.state.model_copy(update={"pauses": self._scoring.pauses})
        workflow.continue_as_new(request.model_copy(update={"state": state}))

    @workflow.signal(name=Message.LEARN, description="What became of a run")
    def learn(self, lesson: Lesson) -> None:
        """Take a lesson, in place of an earlier one of the same run."""
        self._learned.take(lesson)

    @workflow.signal(name=Message.LEARN_HYPOTHESIS, description="What became of a hypothesis")
    def learn_hypothesis(self, scored: ScoredHypothesis) -> None:
        """Take it once, however often it is told."""
        self._learned.take_hypothesis(scored)

    @workflow.update(name=Message.ADVISE, description="What the record says to a run")
    async def advise(self, question: Question) -> Advice:
        """What was known by the instant; what was due by then is scored first, unless its source
        is away or it takes too long."""
        if self._scoring.awaited_by(question.as_of):
            with contextlib.suppress(TimeoutError):
                await workflow.wait_condition(
                    lambda: not self._scoring.awaited_by(question.as_of),
                    timeout=self._request.longest_wait,
                    timeout_summary="an answer without the scores",
                )
        self._advised = self._learned.advice(question)
        self._show()
        return self._advised

    @workflow.query(name=Message.LEARNED, description="All that was known by an instant")
    def learned(self, question: Question) -> LearnedView:
        """The record and everything that follows from it."""
        return self._learned.view(question)

    async def _something_to_do(self) -> None:
        """Wait until a fixing is due, or it is time to go on anew."""
        self._armed = self._scoring.next_time()
        timeout = time_left(self._armed, workflow.now()) if self._armed else None
        with contextlib.suppress(TimeoutError):
            await workflow.wait_condition(
                self._is_wanted, timeout=timeout, timeout_summary="forecasts are due"
            )

    def _is_wanted(self) -> bool:
        if self._scoring.due() or self._can_go_on_anew():
            return True
        sooner = self._scoring.next_time()
        return sooner is not None and (self._armed is None or sooner < self._armed)

    def _can_go_on_anew(self) -> bool:
        info = workflow.info()
        long = info.get_current_history_length() >= self._request.longest_history
        return (long or info.is_continue_as_new_suggested()) and workflow.all_handlers_finished()

    def _show(self) -> None:
        workflow.set_current_details(learned_details(self._learned, self._advised))
