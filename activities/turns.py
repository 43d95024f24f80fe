"""An agent's turn, as an activity on the agent's queue."""

from collections.abc import Awaitable, Callable

from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.effects import beating, effect_key, once
from activities.errors import permanent, transient
from desk.contracts.agents.turns import Turn, TurnRequest
from desk.contracts.agents.usage import BUILTIN, Usage
from desk.contracts.names import FailureType
from desk.platform.effects import EffectJournal
from desk.platform.models.model_calling import ModelFailed
from desk.programs.judging.turns import judged

Analyst = Callable[[TurnRequest], Awaitable[Turn]]
"""Whoever takes turns: a built-in analyst, or a model behind its client."""


class TurnActivities:
    """Turns of the agents, each taken once."""

    def __init__(self, analyst: Analyst, journal: EffectJournal) -> None:
        self._analyst = analyst
        self._journal = journal

    @activity.defn
    async def take_turn(self, request: TurnRequest) -> Turn:
        """What the agent answers to all it knows so far, judged, and what all attempts at it took.

        A model that was asked is not asked again by an attempt that comes while the answer is
        under way in this process: that attempt waits for the same answer.

        Raises:
            ApplicationError: `CallCutOff`, not retryable here, where a model's answer was lost and
                may be billed. `TurnFailed`; retryable, after the pause that its API asks for, when
                a model may answer yet. Not retryable when the analyst cannot make sense of what
                it was given, or no model will: the same turn would end the same way. The detail
                of a model's is the `Usage` of all attempts.
        """
        by_model = request.model != BUILTIN
        async with beating():
            turn = await once(self._journal, lambda: self._take(request), Turn, outlives=by_model)
        total = self._journal.paid.total(effect_key()) if by_model else None
        return turn if total is None else turn.model_copy(update={"usage": total})

    async def _take(self, request: TurnRequest) -> Turn:
        try:
            return judged(await self._analyst(request), request)
        except ModelFailed as failed:
            taken = self._journal.paid.total(effect_key()) or Usage()
            raise _of_model(request, failed, taken) from None
        except (ValueError, LookupError, ArithmeticError) as error:
            task = request.assignment
            raise permanent(
                FailureType.TURN_FAILED, f"{task.agent} on {task.task_id}: {error}"
            ) from error


def _of_model(request: TurnRequest, failed: ModelFailed, taken: Usage) -> ApplicationError:
    task, told = request.assignment, taken.model_dump(mode="json")
    words = f"{task.agent} on {task.task_id}: {failed}"
    if failed.billed:
        # The workflow decides whether it can pay for another.
        return permanent(FailureType.CALL_CUT_OFF, words, told)
    if failed.again:
        return transient(FailureType.TURN_FAILED, words, told, retry_after=failed.after)
    return permanent(FailureType.TURN_FAILED, words, told)
