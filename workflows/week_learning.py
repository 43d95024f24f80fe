"""What a week's run takes from the desk's own record, and what it adds to it."""

from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from activities.learning import LearningActivities
from contracts.config import RunPolicy
from contracts.learning import Advice
from contracts.week_run import WeekRequest
from domain.advice import policy_with
from domain.learning_question import question_of
from domain.lessons import lesson_of
from domain.week_board import WeekBoard
from workflows.options import HEARTBEAT_TIMEOUT, cause, priority, retry_policy

ASKING: Final = timedelta(seconds=40)
"""One try: the record waits for scores that are due, for about half of it."""

ASKING_AT_MOST: Final = timedelta(seconds=60)
TELLING: Final = timedelta(seconds=10)
TELLING_AT_MOST: Final = timedelta(seconds=30)

NO_ANSWER: Final = "the desk's own record could not be read"


async def ask_record(request: WeekRequest, board: WeekBoard) -> None:
    """Put what the record says on the board. A week is not held back by a record without answer:
    the board then says so."""
    if not request.learn:
        return
    question = question_of(request.config.policy, board.window.end, asked_at=workflow.now())
    try:
        board.advice = await workflow.execute_activity_method(
            LearningActivities.ask_learning,
            question,
            activity_id="ask_learning",
            summary=f"What the record says to {board.week}",
            start_to_close_timeout=ASKING,
            schedule_to_close_timeout=ASKING_AT_MOST,
            heartbeat_timeout=HEARTBEAT_TIMEOUT,
            retry_policy=retry_policy(request.config.policy.retries),
            priority=priority(1),
        )
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        workflow.logger.warning("%s: %s: %s", board.week, NO_ANSWER, cause(error))
        board.advice = Advice(as_of=question.as_of, unread=f"{NO_ANSWER}: {cause(error)}")


async def tell_record(request: WeekRequest, board: WeekBoard) -> None:
    """Tell what became of the week. Where it cannot be told, the log says so, and the week goes
    on."""
    if not request.learn:
        return
    lesson = lesson_of(
        board.record_with(),
        request.config,
        workflow_id=workflow.info().workflow_id,
        whole=request.subset is None,
        told_at=workflow.now(),
    )
    try:
        await workflow.execute_activity_method(
            LearningActivities.tell_learning,
            lesson,
            activity_id=f"tell_learning.r{board.last_revision + 1}",
            summary=f"What became of {board.week}",
            start_to_close_timeout=TELLING,
            schedule_to_close_timeout=TELLING_AT_MOST,
            heartbeat_timeout=HEARTBEAT_TIMEOUT,
            retry_policy=retry_policy(request.config.policy.retries),
            priority=priority(1),
        )
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        workflow.logger.warning("%s is not in the desk's record: %s", board.week, cause(error))


def policy_of(request: WeekRequest, board: WeekBoard) -> RunPolicy:
    """The policy that the run works by: the configured one, with what its plan follows."""
    return policy_with(request.config.policy, board.advice, board.plan.follows)
