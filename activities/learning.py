"""Requests advice for runs from the learning system and sends it their lessons."""

import asyncio
from collections.abc import AsyncIterator, Sequence, Set
from datetime import timedelta
from typing import Final, TypedDict

from google.protobuf.message import DecodeError
from temporalio import activity
from temporalio.api.failure.v1 import Failure
from temporalio.client import Client, WithStartWorkflowOperation
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.exceptions import FailureError

from activities.effects import effect_key, heartbeating
from activities.errors import parse_fault
from desk.contracts.agents.tools import ToolStatus
from desk.contracts.learning.lessons import Advice, Lesson, LessonSources
from desk.contracts.learning.record import LearningRequest, RecordQuery
from desk.contracts.names import (
    LEARNING_SYSTEM_ID,
    ActivityName,
    Message,
    Queue,
    WorkflowType,
    activity_id_parts,
)
from desk.contracts.swarm.hypotheses import ScoredHypothesis
from desk.learning.lessons import AttemptRecord, Fault, task_key, with_attempts
from desk.platform.temporal.history import (
    ActivityEnded,
    CallMade,
    Ending,
    HistoryGone,
    RunHistory,
    calls_of,
    fetch_history,
)

SIDE_BY_SIDE: Final = 8

TASK_TIMEOUT: Final = timedelta(seconds=5)
"""How long a killed worker can hold a workflow task of the learning system. The worker that takes
over can replay up to twenty weeks in this time."""


async def attempts_of(
    client: Client, workflows: Sequence[str], counted: Set[str]
) -> tuple[AttemptRecord, ...]:
    """Returns the turns and tool calls of some workflows and their reassignments that took more
    than one attempt, and every call of tasks that are not `counted`. A history that the server no
    longer has contributes none.

    Raises:
        RPCError: a history could not be read; another attempt may succeed.
    """
    turns = asyncio.Semaphore(SIDE_BY_SIDE)

    async def read(workflow_id: str, run_id: str | None) -> list[AttemptRecord]:
        try:
            async with turns:
                history = await fetch_history(client, workflow_id, run_id)
        except (HistoryGone, DecodeError):
            return []
        tried = [one async for one in _tried(history, counted)]
        others = (
            read(child.started.workflow_id, child.started.run_id)
            for child in history.children
            if child.started and child.started.workflow_type == WorkflowType.REASSIGNMENT
        )
        return [*tried, *(one for found in await asyncio.gather(*others) for one in found)]

    found = await asyncio.gather(*(read(workflow_id, None) for workflow_id in workflows))
    return tuple(one for tried in found for one in tried)


async def _tried(history: RunHistory, counted: Set[str]) -> AsyncIterator[AttemptRecord]:
    """Yields the turns and calls of one history, except those that succeeded at once and belong to
    `counted` tasks. Payloads are only decoded if an attempt failed, or if an activity made several
    calls."""
    for scheduled, started, ended in history.activities:
        is_call, failed = (
            scheduled.name == ActivityName.CALL_TOOL,
            started.failure if started else None,
        )
        known = not is_call or task_key(history.workflow_id, scheduled.activity_id) in counted
        parts = activity_id_parts(scheduled.activity_id)
        several = parts is not None and parts.calls > 1
        if scheduled.name not in (ActivityName.TAKE_TURN, ActivityName.CALL_TOOL) or (
            failed is None and known and not several
        ):
            continue
        if ended is not None and ended.ending is Ending.CANCELED:
            ended = None
        found = AttemptRecord(
            workflow_id=history.workflow_id,
            activity_id=scheduled.activity_id,
            at=(ended or started or scheduled).at,
            tries=started.attempt if started else 1,
            before=await _fault(history, failed) if failed is not None else None,
        )
        if not is_call:
            yield found
            continue
        for made in await calls_of(history, scheduled, ended):
            one = await _with_call(found, history, made, ended)
            if not known or one.before is not None:
                yield one


async def _with_call(
    found: AttemptRecord, history: RunHistory, made: CallMade, ended: ActivityEnded | None
) -> AttemptRecord:
    """Returns the record of one call. A call that was repeated alone has a failed attempt before
    it."""
    found = found._replace(server=made.call.server, tool=made.call.tool)
    last: Fault | None = None
    if made.result is not None:
        last = Fault(made.result.fault, made.result.error) if made.result.error else None
    elif ended is not None and ended.failure is not None:
        last = await _fault(history, ended.failure)
    if made.again:
        return found._replace(before=last, tries=found.tries + 1)
    if made.result is None:
        return found._replace(status=ToolStatus.UNAVAILABLE if last else None, last=last)
    return found._replace(status=made.result.status, last=last, took=made.result.took)


async def _fault(history: RunHistory, failure: Failure) -> Fault:
    """Returns the innermost message of a failure. For a skipped call, the fault is the earlier
    failure of its source."""
    error = await history.error(failure)
    parsed = parse_fault(error)
    fault = parsed.circuit.fault if parsed.circuit else parsed.fault
    while error.__cause__ is not None:
        error = error.__cause__
    return Fault(fault, error.message if isinstance(error, FailureError) else str(error))


class _Entity(TypedDict):
    """The options with which the workflow of the learning system is started."""

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
    """Queries and informs the learning system. Each activity starts its workflow if it does not
    run."""

    @activity.defn
    async def ask_learning(self, question: RecordQuery) -> Advice:
        """Returns the advice for a run. A repeated request returns the same advice.

        Raises:
            RPCError, WorkflowUpdateFailedError: there is no answer; another attempt may succeed.
        """
        async with heartbeating():
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
        """Sends the lesson of a run, completed from its histories. Sending the same lesson again
        changes nothing. `sources` is None for runs of an earlier version.

        Raises:
            RPCError: it could not be sent, or a history could not be read; another attempt may
                succeed.
        """
        async with heartbeating():
            if sources is not None:
                counted = frozenset(sources.counted)
                tried = await attempts_of(activity.client(), sources.workflows, counted)
                lesson = with_attempts(lesson, tried, counted)
            await _signal(Message.LEARN, lesson)

    @activity.defn
    async def tell_hypothesis(self, scored: ScoredHypothesis) -> None:
        """Sends the outcome of a hypothesis to the learning system. Sending the same outcome again
        changes nothing.

        Raises:
            RPCError: it could not be sent; another attempt may succeed.
        """
        async with heartbeating():
            await _signal(Message.LEARN_HYPOTHESIS, scored)


async def _signal(message: Message, payload: Lesson | ScoredHypothesis) -> None:
    await activity.client().start_workflow(
        WorkflowType.LEARNING_SYSTEM,
        LearningRequest(),
        **_ENTITY,
        start_signal=message,
        start_signal_args=[payload],
    )
