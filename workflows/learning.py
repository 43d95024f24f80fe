"""The learning system: one workflow that stores the lessons of all runs, scores their forecasts,
and gives advice."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from activities.tool_calls import ToolActivities
from desk.contracts.agents.config import RetryConfig
from desk.contracts.agents.tools import ToolCall, ToolRequest, ToolResult, ToolStatus
from desk.contracts.learning.lessons import Advice, Lesson
from desk.contracts.learning.record import FixingPause, LearnedView, LearningRequest, RecordQuery
from desk.contracts.names import Message, source_queue
from desk.contracts.runs.judgement import FixingsToJudge, JudgedFixings
from desk.contracts.swarm.hypotheses import ScoredHypothesis
from desk.contracts.weeks import week_of
from desk.learning.forecasts import (
    Fixed,
    FixingPauses,
    asked_for,
    fixing_calls,
    given_up,
    is_given_up,
)
from desk.learning.learned import Learned, learned_details
from desk.learning.standing import in_time_until
from desk.programs.judging.outcomes import judged_fixings
from desk.runs.assignments import time_left
from workflows.engine.judging import fixings_judged
from workflows.engine.options import HEARTBEAT_TIMEOUT, cause, priority, retry_policy

ONE_TRY: Final = timedelta(seconds=20)

ONE_CALL: Final = timedelta(minutes=1)
"""Timeout of one call of a source. After that the source is asked again later."""

FIXINGS_JUDGED_IN_ACTIVITY: Final = "fixings-judged-apart"
"""The patch for executions that read answers in the workflow."""

WRITTEN_IN_TIME: Final = "written-in-time"
"""The patch for executions that accepted forecasts until they were due."""


class ForecastScoring:
    """Requests the fixings that are due, each source separately.

    A fixing that is not available stays open and is requested again after pauses that grow. A
    source that does not answer at all is skipped until its pause is over. A fixing that an
    answering source has refused for too long is void.
    """

    def __init__(self, learned: Learned, pauses: Iterable[FixingPause] = ()) -> None:
        self._learned = learned
        self._pauses = FixingPauses(pauses)
        self._asked: Counter[str] = Counter()
        self._judged_times = 0

    @property
    def pauses(self) -> tuple[FixingPause, ...]:
        """The pauses that a later execution of the workflow continues with."""
        return self._pauses.carried(self._learned.open_by(workflow.now()))

    def awaited_by(self, as_of: datetime) -> bool:
        """Returns whether a forecast that was due by an instant may be scored shortly."""
        return any(not self._pauses.is_paused(fixed) for fixed in self._learned.open_by(as_of))

    def due(self) -> tuple[Fixed, ...]:
        """Returns the fixings to request now."""
        now = workflow.now()
        waiting = self._learned.open_by(now)
        return tuple(fixed for fixed in waiting if self._pauses.until(fixed, now) <= now)

    def next_time(self) -> datetime | None:
        """Returns when the next fixing is to be requested, or None if none is open."""
        now = workflow.now()
        times = [self._pauses.until(fixed, now) for fixed in self._learned.open_by(now)]
        ahead = self._learned.next_due_after(now)
        return min((*times, ahead) if ahead is not None else times, default=None)

    async def ask(self, is_enough: Callable[[], bool]) -> None:
        """Requests everything that is due, the servers concurrently, until all is done or
        `is_enough()`."""
        while (servers := sorted({fixed.server for fixed in self.due()})) and not is_enough():
            await asyncio.gather(*(self._ask_server(server, is_enough) for server in servers))

    async def _ask_server(self, server: str, is_enough: Callable[[], bool]) -> None:
        """Requests a server's fixings. The least often requested ones come first, then the ones due
        first, so that an unavailable fixing delays no other."""
        while (due := self._due_of(server)) and not is_enough():
            first = min(due, key=lambda fixed: (self._pauses.tries(fixed), fixed))
            await self._ask([fixed for fixed in due if fixed.due == first.due])

    def _due_of(self, server: str) -> list[Fixed]:
        return [fixed for fixed in self.due() if fixed.server == server]

    async def _ask(self, together: Sequence[Fixed]) -> None:
        due, server, _ = together[0]
        markets = [fixed.market for fixed in together]
        alone = {fixed.market for fixed in together if self._pauses.was_refused(fixed)}
        calls = fixing_calls(server, markets, alone)
        answers = await asyncio.gather(*(self._answer(call, due) for call in calls))
        if all(answer.status is ToolStatus.UNAVAILABLE for answer in answers):
            self._pauses.hold_server(server, workflow.now())
        else:
            self._pauses.release_server(server)
        judged = await self._judged(FixingsToJudge(answers=answers, due=due, now=workflow.now()))
        self._read(answers, due, judged)

    async def _judged(self, asked: FixingsToJudge) -> JudgedFixings:
        if not workflow.patched(FIXINGS_JUDGED_IN_ACTIVITY):
            return judged_fixings(asked)
        self._judged_times += 1
        return await fixings_judged(asked, f"fixings.{self._judged_times}")

    def _read(self, answers: Sequence[ToolResult], due: datetime, judged: JudgedFixings) -> None:
        now = workflow.now()
        found = {known.market: known for known in judged.resolutions}
        for answer in answers:
            for market in asked_for(answer.call):
                fixed = Fixed(due, answer.call.server, market)
                if market not in found:
                    pause = self._pauses.hold(fixed, now, refused=market in judged.refused)
                    if is_given_up(pause, now):
                        found[market] = given_up(answer, pause, market, due)
                if market in found:
                    self._pauses.release(fixed)
        self._learned.fix(found.values())

    async def _answer(self, call: ToolCall, due: datetime) -> ToolResult:
        try:
            return await workflow.execute_activity_method(
                ToolActivities.call_tool,
                ToolRequest(call=call, as_of=due),
                task_queue=source_queue(call.server),
                activity_id=self._activity_id(due),
                summary=f"What was fixed by {due:%Y-%m-%d %H:%M}",
                start_to_close_timeout=ONE_TRY,
                schedule_to_close_timeout=ONE_CALL,
                heartbeat_timeout=HEARTBEAT_TIMEOUT,
                retry_policy=retry_policy(RetryConfig()),
                priority=priority(1),
            )
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            workflow.logger.warning("%s cannot be asked for fixings: %s", call.server, cause(error))
            return ToolResult(call=call, status=ToolStatus.UNAVAILABLE, error=cause(error))

    def _activity_id(self, due: datetime) -> str:
        """Returns `score.2026-W44`, with a number for each further call about the same week."""
        place = f"score.{week_of(due.date() - timedelta(days=7))}"
        self._asked[place] += 1
        return place if self._asked[place] == 1 else f"{place}.{self._asked[place]}"


def _until_due(_as_of: datetime, due: datetime) -> datetime:
    return due


@workflow.defn
class LearningSystemWorkflow:
    """The learning system of a desk. It runs as long as the desk exists.

    It receives the outcome of each run and each hypothesis, scores forecasts when they are due, and
    answers what the record recommends. It continues as new with its whole state and loses no
    message that reached it.
    """

    @workflow.init
    def __init__(self, request: LearningRequest) -> None:
        self._request = request
        made_in_time = in_time_until if workflow.patched(WRITTEN_IN_TIME) else _until_due
        self._learned = Learned(request.state, in_time_until=made_in_time)
        self._scoring = ForecastScoring(self._learned, request.state.pauses)
        self._advised: Advice | None = None
        self._armed: datetime | None = None

    @workflow.run
    async def run(self, request: LearningRequest) -> None:
        """Works until the history is long, then continues as new."""
        while True:
            await self._scoring.ask(self._can_continue_as_new)
            self._show()
            if self._can_continue_as_new():
                break
            await self._wait_for_work()
        # Nothing is awaited after the check that the handlers have finished.
        state = self._learned.state.model_copy(update={"pauses": self._scoring.pauses})
        workflow.continue_as_new(request.model_copy(update={"state": state}))

    @workflow.signal(name=Message.LEARN, description="What became of a run")
    def learn(self, lesson: Lesson) -> None:
        """Records the lesson of a run. It replaces an earlier lesson of the same run."""
        self._learned.take(lesson)

    @workflow.signal(name=Message.LEARN_HYPOTHESIS, description="What became of a hypothesis")
    def learn_hypothesis(self, scored: ScoredHypothesis) -> None:
        """Records the outcome of a hypothesis. Sending the same outcome again changes nothing."""
        self._learned.take_hypothesis(scored)

    @workflow.update(name=Message.ADVISE, description="What the record says to a run")
    async def advise(self, question: RecordQuery) -> Advice:
        """Returns the advice that follows from what was known by an instant.

        Fixings due by then are scored first, unless their source is unavailable or it takes too
        long.
        """
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
    def learned(self, question: RecordQuery) -> LearnedView:
        """Returns the record, with everything that is computed from it."""
        return self._learned.view(question)

    async def _wait_for_work(self) -> None:
        """Waits until a fixing is due, or it is time to continue as new."""
        self._armed = self._scoring.next_time()
        timeout = time_left(self._armed, workflow.now()) if self._armed else None
        with contextlib.suppress(TimeoutError):
            await workflow.wait_condition(
                self._has_work, timeout=timeout, timeout_summary="forecasts are due"
            )

    def _has_work(self) -> bool:
        if self._scoring.due() or self._can_continue_as_new():
            return True
        sooner = self._scoring.next_time()
        return sooner is not None and (self._armed is None or sooner < self._armed)

    def _can_continue_as_new(self) -> bool:
        info = workflow.info()
        long = info.get_current_history_length() >= self._request.longest_history
        return (long or info.is_continue_as_new_suggested()) and workflow.all_handlers_finished()

    def _show(self) -> None:
        workflow.set_current_details(learned_details(self._learned, self._advised))
