"""A model's turn: limits what it may cost, and records what it cost."""

import json
import logging
import sqlite3
from datetime import timedelta
from typing import Final, NamedTuple

from temporalio import activity

from activities.effects import effect_key
from activities.metrics import count_lost_call, count_model_call, count_over_budget
from desk.contracts.agents.budget import Allowance, ModelPrice
from desk.contracts.agents.model_calls import ModelAnswer, ModelCall
from desk.contracts.agents.usage import Usage
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.platform.effects import PaidCalls
from desk.platform.models.abilities import READ_BY_PROBES, WRITTEN_BY_PROBES
from desk.platform.models.asking import asking_model
from desk.platform.models.model_calling import ModelCaller, ModelFailed
from desk.platform.models.third_party import is_claude
from desk.programs.claude.turns import is_worth_asking, model_call, turn_of
from desk.programs.openings import with_calls_for_model
from desk.runs.assignments import affordable, lost_call, minus, taken_by

MARGIN: Final = timedelta(seconds=5)
"""A call ends this long before its attempt times out, so that its own error is the one reported."""

BYTES_A_TOKEN: Final = 2
"""The fewest bytes to a token in any text of the desk. English prose has about four."""

LEAST_WRITTEN: Final = 2_000
"""The minimum number of tokens that a call must be able to write. Otherwise it is not made."""


LOG = logging.getLogger(__name__)


class _Priced(NamedTuple):
    """A call that the budget allows, and the maximum that it can cost."""

    call: ModelCall
    bound: Usage


class ModelTurns:
    """Takes turns by asking models.

    `model` is None if no key is set. Before each request, the maximum that it can cost is recorded
    in `paid`.
    """

    def __init__(self, paid: PaidCalls, model: ModelCaller | None = None) -> None:
        self._paid = paid
        self._model = model

    async def turn(self, request: TurnRequest, own: Turn) -> Turn:
        """Returns the model's turn, if the desk's `own` turn has a result for it to replace;
        otherwise `own`.

        The model is asked only if the call cannot cost more than the turn has left, over all
        attempts; otherwise the returned turn is `over_budget`. The usage of the turn is that of
        this answer; `PaidCalls.total` is that of all attempts.

        Raises:
            ModelFailed: the model could not be asked, or did not answer.
        """
        try:
            row = self._begun()
            if own.result is None:
                return with_calls_for_model(request, own)
            if not is_worth_asking(request, own):
                return own
            return await self._by_model(request, row)
        except sqlite3.Error as error:
            words = f"the call cannot be written down before it is made: {error}"
            raise ModelFailed(words, again=True) from None

    def _begun(self) -> int:
        return self._paid.begin(effect_key(), activity.info().attempt)

    async def _by_model(self, request: TurnRequest, row: int) -> Turn:
        # Paid for by an attempt that died before its turn was recorded.
        answered = self._paid.answer(effect_key())
        if answered is not None:
            return turn_of(request, answered)
        model = self._model
        if model is None:
            words = (
                f"{request.model} is wanted, and the worker has neither ANTHROPIC_API_KEY nor"
                " ANTHROPIC_BASE_URL"
            )
            raise ModelFailed(words, again=False)
        priced = self._affordable(model_call(request), request, model)
        if isinstance(priced, Turn):
            count_over_budget(request.assignment.agent, request.model)
            return priced
        self._paid.settle(row, priced.bound)
        answer = await self._answer(priced, request, model, row)
        self._note(row, answer.usage, answer)
        count_model_call(request.assignment.agent, answer.usage)
        return turn_of(request, answer)

    def _affordable(
        self, call: ModelCall, request: TurnRequest, model: ModelCaller
    ) -> _Priced | Turn:
        """Returns the call within what earlier attempts left of its allowance. An attempt that this
        process has no record of counts as the maximum that its call could have cost."""
        key, allowed = effect_key(), request.allowance
        unseen = self._paid.unseen(key, activity.info().attempt)
        theirs = _fitted(call, allowed, model) if unseen else None
        if isinstance(theirs, _Priced):
            for attempt in unseen:
                self._paid.assume(key, attempt, theirs.bound)
        before = self._paid.total(key) or Usage()
        return _fitted(call, minus(allowed, taken_by(before)), model)

    async def _answer(
        self, priced: _Priced, request: TurnRequest, model: ModelCaller, row: int
    ) -> ModelAnswer:
        try:
            with asking_model():
                return await model.ask(
                    priced.call, timeout_seconds=_time_for_a_call().total_seconds()
                )
        except ModelFailed as failed:
            if failed.billed:
                count_lost_call(request.assignment.agent, request.model)
            else:
                self._note(row, Usage())
            raise

    def _note(self, row: int, usage: Usage, answer: ModelAnswer | None = None) -> None:
        """Records a call's cost and answer. If that cannot be written, the maximum that it could
        have cost stays recorded, and the answer is used."""
        try:
            self._paid.settle(row, usage, answer)
        except sqlite3.Error as error:
            LOG.warning("what a call took could not be written down: %s", error)


def _fitted(call: ModelCall, allowed: Allowance, model: ModelCaller) -> _Priced | Turn:
    """Returns the call with a limit on the tokens it may write, so that it can be paid for. Returns
    an `over_budget` turn if that limit is too low."""
    reading = len(json.dumps(call.model_dump(mode="json")).encode()) // BYTES_A_TOKEN
    price = model.price(call.model, reading)
    probes = _probes(call.model, price)
    if not allowed.unlimited:
        if price is None and allowed.usd is not None:
            if is_claude(call.model) or allowed.tokens is None:
                words = f"the price of {call.model} is not known, and the budget is money"
                return Turn(over_budget=words)
            # The desk has no price of a third-party model, whose operator pays for it: only its
            # tokens count.
            allowed = Allowance(tokens=allowed.tokens)
        allowed = minus(allowed, taken_by(probes))
        most = affordable(allowed, price, reading, call.max_tokens)
        if most < LEAST_WRITTEN:
            return Turn(over_budget=f"a call of {call.model} could cost more than is left for it")
        call = call.model_copy(update={"max_tokens": most})
    return _Priced(call, probes.plus(_bound(call, price, reading)))


def _probes(model: str, price: ModelPrice | None) -> Usage:
    """Returns the maximum that probing an endpoint may cost. Only third-party models are probed,
    before their first call."""
    if is_claude(model):
        return Usage()
    most = lost_call(price, READ_BY_PROBES, WRITTEN_BY_PROBES)
    return most.model_copy(update={"lost_calls": 0, "model": model})


def _bound(call: ModelCall, price: ModelPrice | None, reading: int) -> Usage:
    bound = lost_call(price, reading, call.max_tokens)
    return bound.model_copy(update={"model": call.model})


def _time_for_a_call() -> timedelta:
    allowed = activity.info().start_to_close_timeout
    return max(allowed - MARGIN, allowed / 2) if allowed else MARGIN
