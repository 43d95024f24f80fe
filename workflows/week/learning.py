"""Requests a week's advice from the learning system, and sends the week's lesson back."""

import asyncio
import contextlib
from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, is_cancelled_exception

from activities.learning import LearningActivities
from desk.contracts.agents.config import RunPolicy
from desk.contracts.learning.lessons import Advice, Lesson, LessonSources
from desk.contracts.runs.week import WeekRequest
from desk.learning.advice import policy_with
from desk.learning.forecasts import question_of
from desk.learning.lessons import lesson_of, sources_of
from desk.runs.boards import WeekBoard
from workflows.engine.heartbeat_retry import with_heartbeat_retry
from workflows.engine.options import (
    HEARTBEAT_TIMEOUT,
    cause,
    patient_retry_policy,
    priority,
    retry_policy,
)

ADVICE_ATTEMPT: Final = timedelta(seconds=40)
"""Timeout of one attempt. The learning system may spend about half of it waiting for scores that
are due."""

ADVICE_DEADLINE: Final = timedelta(seconds=60)
LESSON_ATTEMPT: Final = timedelta(seconds=60)
"""Timeout of one attempt, which reads the run's histories for the lesson."""

PUBLISHING_WAIT: Final = timedelta(seconds=2)
"""How long publishing waits for the lesson to be delivered, so that a run of the next week can use
it."""

VERIFIED_ONLY: Final = "borne-out-is-verified"
"""The patch for runs in whose lesson a claim counted as borne out if only its series agreed."""

LESSON_SENT_IN_BACKGROUND: Final = "told-beside-the-run"
"""The patch for runs that waited until the lesson was delivered, for up to `TELLING_AT_MOST`."""

LESSON_DEADLINE: Final = timedelta(seconds=30)

NO_ANSWER: Final = "the desk's own record could not be read"


async def ask_record(request: WeekRequest, board: WeekBoard) -> None:
    """Requests advice from the learning system and puts it on the board. If there is no answer, the
    board says so and the week continues."""
    if not request.learn:
        return
    question = question_of(request.config.policy, board.window.end, asked_at=workflow.now())
    try:
        board.advice = await with_heartbeat_retry(
            lambda heartbeat: workflow.execute_activity_method(
                LearningActivities.ask_learning,
                question,
                activity_id="ask_learning",
                summary=f"What the record says to {board.week}",
                start_to_close_timeout=ADVICE_ATTEMPT,
                schedule_to_close_timeout=ADVICE_DEADLINE,
                heartbeat_timeout=heartbeat,
                retry_policy=retry_policy(request.config.policy.retries),
                priority=priority(1),
            )
        )
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        workflow.logger.warning("%s: %s: %s", board.week, NO_ANSWER, cause(error))
        board.advice = Advice(as_of=question.as_of, unread=f"{NO_ANSWER}: {cause(error)}")


class WeekLessons:
    """Sends the week's lesson to the learning system in the background, retrying as long as the run
    is open. Publishing waits for it at most `AT_FIRST`; the end of the run waits until it is
    delivered or given up."""

    def __init__(self, request: WeekRequest, board: WeekBoard) -> None:
        self._request = request
        self._board = board
        self._in_flight: set[asyncio.Task[None]] = set()

    async def tell(self) -> None:
        """Starts to send the lesson of the revision that is published next. Returns when it is
        delivered, or after `AT_FIRST`. A lesson that is given up is logged, and the week
        continues."""
        if not self._request.learn:
            return
        record = self._board.record_with()
        lesson = lesson_of(
            record,
            self._request.config,
            workflow_id=workflow.info().workflow_id,
            whole=self._request.subset is None,
            told_at=workflow.now(),
            by_series=not workflow.patched(VERIFIED_ONLY),
        )
        lesson_and_sources = (lesson, sources_of(self._board.workflows, record.outcomes))
        revision, policy = self._board.last_revision + 1, self._request.config.policy
        if not workflow.patched(LESSON_SENT_IN_BACKGROUND):
            await self._deliver(
                lesson_and_sources, revision, LESSON_DEADLINE, retry_policy(policy.retries)
            )
            return
        longest = max(policy.deadlines.week, policy.deadlines.open_for_reruns)
        task = asyncio.create_task(
            self._deliver(
                lesson_and_sources, revision, longest, patient_retry_policy(policy.retries)
            )
        )
        self._in_flight.add(task)
        task.add_done_callback(self._in_flight.discard)
        with contextlib.suppress(TimeoutError):
            await workflow.wait_condition(
                task.done,
                timeout=PUBLISHING_WAIT,
                timeout_summary="give the learning system a moment before publishing",
            )

    @property
    def are_finished(self) -> bool:
        """Whether every lesson is delivered or given up. Each has a deadline."""
        return not self._in_flight

    async def _deliver(
        self,
        lesson_and_sources: tuple[Lesson, LessonSources],
        revision: int,
        longest: timedelta,
        retries: RetryPolicy,
    ) -> None:
        week = lesson_and_sources[0].week
        try:
            await workflow.execute_activity_method(
                LearningActivities.tell_learning,
                args=lesson_and_sources,
                activity_id=f"tell_learning.r{revision}",
                summary=f"What became of {week}",
                start_to_close_timeout=LESSON_ATTEMPT,
                schedule_to_close_timeout=longest,
                heartbeat_timeout=HEARTBEAT_TIMEOUT,
                retry_policy=retries,
                priority=priority(1),
            )
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            workflow.logger.warning("%s is not in the desk's record: %s", week, cause(error))


def policy_of(request: WeekRequest, board: WeekBoard) -> RunPolicy:
    """Returns the policy of the run: the configured one, changed by the advice that the plan
    follows."""
    return policy_with(request.config.policy, board.advice, board.plan.follows)
