"""An agent's turn, as an activity on the agent's queue."""

from collections.abc import Awaitable, Callable

from temporalio import activity

from activities.errors import permanent
from activities.heartbeats import beating, effect_key
from contracts.names import FailureType
from contracts.turns import Turn, TurnRequest
from infra.effect_journal import EffectJournal

Analyst = Callable[[TurnRequest], Awaitable[Turn]]
"""Whoever takes turns: a built-in analyst, or a model behind its client."""


class TurnActivities:
    """Turns of the agents, each taken once."""

    def __init__(self, analyst: Analyst, journal: EffectJournal) -> None:
        self._analyst = analyst
        self._journal = journal

    @activity.defn
    async def take_turn(self, request: TurnRequest) -> Turn:
        """What the agent answers to all it knows so far.

        Raises:
            ApplicationError: `TurnFailed`, not retryable, when the analyst cannot make sense of
                what it was given; taking the same turn again would end the same way.
        """
        async with beating():
            return await self._journal.once(effect_key(), lambda: self._take(request), Turn)

    async def _take(self, request: TurnRequest) -> Turn:
        try:
            return await self._analyst(request)
        except (ValueError, LookupError, ArithmeticError) as error:
            task = request.assignment
            raise permanent(
                FailureType.TURN_FAILED, f"{task.agent} on {task.task_id}: {error}"
            ) from error
