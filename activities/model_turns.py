"""Who takes a turn: the built-in analyst, or the model that the run names."""

import json
from datetime import timedelta
from typing import Final

from temporalio import activity

from activities.metrics import count_model_call, count_over_budget
from agents.claude.analysts import desk_turn, is_for_a_model, model_call, turn_of
from contracts.model_calls import ModelCall
from contracts.turns import Turn, TurnRequest
from contracts.usage import BUILTIN
from domain.budget import affordable
from infra.model_calling import ModelCaller, ModelFailed

MARGIN: Final = timedelta(seconds=5)
"""A call ends this long before its attempt does, so that its own error is the one that is told."""

BYTES_A_TOKEN: Final = 2
"""No text of the desk's has fewer bytes to a token; English prose has about four."""

LEAST_WRITTEN: Final = 2_000
"""A call that could write less than so many tokens is not made."""


class Analyst:
    """Takes turns of every agent. `model` is None where no key is set."""

    def __init__(self, model: ModelCaller | None = None) -> None:
        self._model = model

    async def __call__(self, request: TurnRequest) -> Turn:
        """The turn, by whoever the request names.

        A model is asked once the desk has a result of its own for it to write over, and only
        where the call cannot cost more than it may: else the turn is over the budget.

        Raises:
            ModelFailed: the model could not be asked, or did not answer.
        """
        own = desk_turn(request)
        if request.model == BUILTIN or own.result is None or not is_for_a_model(request):
            return own
        if self._model is None:
            words = f"{request.model} is wanted, and the worker has no ANTHROPIC_API_KEY"
            raise ModelFailed(words, again=False)
        call = _fitted(model_call(request), request, self._model)
        if isinstance(call, Turn):
            count_over_budget(request.assignment.agent, request.model)
            return call
        answer = await self._model.ask(call, timeout_seconds=_time_for_a_call().total_seconds())
        count_model_call(request.assignment.agent, answer.usage)
        return turn_of(request, answer)


def _fitted(call: ModelCall, request: TurnRequest, model: ModelCaller) -> ModelCall | Turn:
    """The call, writing no more than can be paid for; a turn over the budget where that is too
    little."""
    if request.allowance.unlimited:
        return call
    reading = len(json.dumps(call.model_dump(mode="json")).encode()) // BYTES_A_TOKEN
    price = model.price(call.model, reading)
    if price is None and request.allowance.usd is not None:
        return Turn(over_budget=f"the price of {call.model} is not known, and the budget is money")
    most = affordable(request.allowance, price, reading, call.max_tokens)
    if most < LEAST_WRITTEN:
        return Turn(over_budget=f"a call of {call.model} could cost more than is left for it")
    return call.model_copy(update={"max_tokens": most})


def _time_for_a_call() -> timedelta:
    allowed = activity.info().start_to_close_timeout
    return max(allowed - MARGIN, allowed / 2) if allowed else MARGIN
