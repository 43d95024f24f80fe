"""Asking the desk's learning system, and telling it: effects of its runs."""

from datetime import timedelta
from typing import Final, TypedDict

from temporalio import activity
from temporalio.client import WithStartWorkflowOperation
from temporalio.common import WorkflowIDConflictPolicy

from activities.attempts import attempts_of
from activities.heartbeats import beating, effect_key
from desk.contracts.learning.learning import Advice, Lesson, LessonSources
from desk.contracts.learning.record import LearningRequest, Question
from desk.contracts.names import LEARNING_SYSTEM_ID, Message, Queue, WorkflowType
from desk.contracts.swarm.swarm import ScoredHypothesis
from desk.learning.lessons.attempts import with_attempts

TASK_TIMEOUT: Final = timedelta(seconds=5)
"""How long a killed worker can hold a workflow task of the learning system. A worker that takes
over has to replay up to twenty weeks within it."""


class _Entity(TypedDict):
    """How the one workflow is named and started."""

    id: str
    task_queue: str
    id_conflict_policy: WorkflowIDConflictPolicy
    task_timeout: timedelta
    static_summary: str


_ENTITY: Final[_Entity] = {
    "id": LEARNING_SYSTEM_ID,
    "task_queue": Queue.DESK,
    "id_conflict_policy": WorkflowIDConflictPolicy.USE_EXISTING,
    "task_timeout": TASK_TIMEOUT,
    "static_summary": "What the desk has learned from its own runs",
}


class LearningActivities:
    """Each starts the learning system where it does not run yet."""

    @activity.defn
    async def ask_learning(self, question: Question) -> Advice:
        """What the record says to a run. Asked again, it gives the answer that it gave.

        Raises:
            RPCError, WorkflowUpdateFailedError: there is no answer; another try may do.
        """
        async with beating():
            advice: Advice = await activity.client().execute_update_with_start_workflow(
                Message.ADVISE,
                question,
                id=effect_key(),
                result_type=Advice,
                start_workflow_operation=WithStartWorkflowOperation(
                    WorkflowType.LEARNING_SYSTEM,
                    LearningRequest(),
                    **_ENTITY,
                ),
            )
            return advice

    @activity.defn
    async def tell_learning(self, lesson: Lesson, sources: LessonSources | None = None) -> None:
        """Tell what became of a run, with what its histories tell of every try. Told again, the
        same lesson changes nothing. `sources` is None of runs of an earlier version.

        Raises:
            RPCError: it could not be told, or a history could not be read; another try may do.
        """
        async with beating():
            if sources is not None:
                counted = frozenset(sources.counted)
                tried = await attempts_of(activity.client(), sources.workflows, counted)
                lesson = with_attempts(lesson, tried, counted)
            await _signal(Message.LEARN, lesson)

    @activity.defn
    async def tell_hypothesis(self, scored: ScoredHypothesis) -> None:
        """Tell what became of a hypothesis. Told again, the same changes nothing.

        Raises:
            RPCError: it could not be told; another try may do.
        """
        async with beating():
            await _signal(Message.LEARN_HYPOTHESIS, scored)


async def _signal(message: Message, told: Lesson | ScoredHypothesis) -> None:
    await activity.client().start_workflow(
        WorkflowType.LEARNING_SYSTEM,
        LearningRequest(),
        **_ENTITY,
        start_signal=message,
        start_signal_args=[told],
    )
