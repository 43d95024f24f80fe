"""Who takes a turn: the built-in analyst, or the model that the run names."""

from datetime import timedelta
from typing import Final

from temporalio import activity

from agents.builtin.analysts import builtin_turn
from agents.claude.analysts import model_call, turn_of
from contracts.turns import BUILTIN, Turn, TurnRequest
from infra.model_calling import ModelCaller, ModelFailed

MARGIN: Final = timedelta(seconds=5)
"""A call ends this long before its attempt does, so that its own error is the one that is told."""


class Analyst:
    """Takes turns of every agent. `model` is None where no key is set."""

    def __init__(self, model: ModelCaller | None = None) -> None:
        self._model = model

    async def __call__(self, request: TurnRequest) -> Turn:
        """The turn, by whoever the request names.

        Raises:
            ModelFailed: the model could not be asked, or did not answer.
            ValueError: it is no work for a model.
        """
        if request.model == BUILTIN:
            return builtin_turn(request)
        if self._model is None:
            words = f"{request.model} is wanted, and the worker has no ANTHROPIC_API_KEY"
            raise ModelFailed(words, again=False)
        call = model_call(request)
        answer = await self._model.ask(call, timeout_seconds=_time_for_a_call().total_seconds())
        return turn_of(request, answer)


def _time_for_a_call() -> timedelta:
    allowed = activity.info().start_to_close_timeout
    return max(allowed - MARGIN, allowed / 2) if allowed else MARGIN
