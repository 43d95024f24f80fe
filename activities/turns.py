"""Takes an agent's turn, as an activity on the agent's queue."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable

from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.effects import effect_key, heartbeating, once
from activities.errors import permanent, transient
from desk.analytics.retrieval.meaning import WORKER_EMBEDDING_MODEL
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.usage import BUILTIN, Usage
from desk.contracts.names import FailureType
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.platform.effects import EffectJournal, PaidCalls
from desk.platform.memory.sentence_encoder import desk_embedding_model
from desk.platform.models.model_calling import ModelCaller, ModelFailed
from desk.programs.openings import with_openings
from desk.programs.turns import builtin_turn, is_for_a_model, judged

Analyst = Callable[[TurnRequest], Awaitable[Turn]]
"""A function that takes an agent's turn."""


class Analysts:
    """Takes the turns of every agent, by its built-in analyst or its model.

    `model` is None if no key is set. Before each request to a model, the maximum that it can cost
    is recorded in `paid`.
    """

    def __init__(self, paid: PaidCalls, model: ModelCaller | None = None) -> None:
        self._paid = paid
        self._model = model

    async def __call__(self, request: TurnRequest) -> Turn:
        """Returns the turn, by the analyst that the request names, with the openings of the tasks
        that its result starts. A model is asked once the built-in analyst has a result for it to
        replace.

        Raises:
            ModelFailed: the model could not be asked, or did not answer.
        """
        return with_openings(await self._turn(request), request)

    async def _turn(self, request: TurnRequest) -> Turn:
        own = await _own_turn(request)
        if request.model == BUILTIN or not is_for_a_model(request):
            return own
        # Imported late: only a worker whose agents are models needs it.
        from activities.model_turns import ModelTurns

        return await ModelTurns(self._paid, self._model).turn(request, own)


async def _own_turn(request: TurnRequest) -> Turn:
    """Returns the built-in analyst's turn. A synthesis runs in a thread: it may use the embedding
    model, which takes a while, and the activity must continue to send heartbeats."""
    if request.assignment.task_type != TaskType.SYNTHESISE:
        return builtin_turn(request)
    WORKER_EMBEDDING_MODEL.set(desk_embedding_model)
    return await asyncio.to_thread(builtin_turn, request)


class TurnActivities:
    """The turns of agents, each taken once."""

    def __init__(self, analyst: Analyst, journal: EffectJournal) -> None:
        self._analyst = analyst
        self._journal = journal

    @activity.defn
    async def take_turn(self, request: TurnRequest) -> Turn:
        """Returns the agent's next turn, judged. Its usage is that of all attempts.

        If an earlier attempt in this process is still waiting for a model's answer, this attempt
        waits for the same answer and does not ask again.

        Raises:
            ApplicationError: `CallCutOff`, not retryable here, if a model's answer was lost and may
                be billed. `TurnFailed`, retryable after the pause that its API asks for, if the
                model may still answer. Not retryable if the analyst cannot use its input, or if no
                model will answer: the same turn would end the same way. For a model's turn, the
                detail is always the `Usage` of all attempts.
        """
        by_model = request.model != BUILTIN
        if by_model and self._journal.is_in_flight(effect_key()):
            # This attempt makes no request: the next attempt must not count it as a call.
            self._journal.paid.begin(effect_key(), activity.info().attempt)
        async with heartbeating():
            turn = await once(self._journal, lambda: self._take(request), Turn, outlives=by_model)
        try:
            total = self._journal.paid.total(effect_key()) if by_model else None
        except sqlite3.Error:
            # The usage of this attempt is known.
            total = None
        return turn if total is None else turn.model_copy(update={"usage": total})

    async def _take(self, request: TurnRequest) -> Turn:
        try:
            return judged(await self._analyst(request), request)
        except ModelFailed as failed:
            raise _model_failure(request, failed, self._usage()) from None
        except (ValueError, LookupError, ArithmeticError) as error:
            words = f"{request.assignment.agent} on {request.assignment.task_id}: {error}"
            raise permanent(FailureType.TURN_FAILED, words, *self._usage_detail(request)) from error
        except Exception as error:
            if isinstance(error, ApplicationError) or request.model == BUILTIN:
                raise
            # An earlier attempt may have been billed: without a detail its usage would not be
            # counted.
            words = f"{request.assignment.agent}: {type(error).__name__}: {error}"
            activity.logger.warning("%s", words, exc_info=error)
            # With its cause it may be larger than a server keeps of a failed attempt.
            raise transient(FailureType.TURN_FAILED, words, *self._usage_detail(request)) from None

    def _usage(self) -> Usage:
        return self._journal.paid.total(effect_key()) or Usage()

    def _usage_detail(self, request: TurnRequest) -> tuple[object, ...]:
        return () if request.model == BUILTIN else (self._usage().model_dump(mode="json"),)


def _model_failure(request: TurnRequest, failed: ModelFailed, taken: Usage) -> ApplicationError:
    task, usage_detail = request.assignment, taken.model_dump(mode="json")
    words = f"{task.agent} on {task.task_id}: {failed}"
    if failed.billed:
        # The workflow decides whether it can pay for another.
        return permanent(FailureType.CALL_CUT_OFF, words, usage_detail)
    if failed.again:
        return transient(FailureType.TURN_FAILED, words, usage_detail, retry_after=failed.after)
    return permanent(FailureType.TURN_FAILED, words, usage_detail)
