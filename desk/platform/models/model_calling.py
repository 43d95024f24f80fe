"""The interface for asking a model. It imports no client, so that callers stay light."""

from datetime import timedelta
from typing import Protocol

from desk.contracts.agents.budget import ModelPrice
from desk.contracts.agents.model_calls import ModelAnswer, ModelCall


class ModelFailed(Exception):
    """A call brought no answer.

    `again` says whether the same call may be tried again, `after` how long to wait first, if the
    API said so. With `billed` the call was made and its answer lost; it may be billed all the same.
    """

    def __init__(
        self,
        words: str,
        *,
        again: bool,
        after: timedelta | None = None,
        billed: bool = False,
    ) -> None:
        super().__init__(words)
        self.again = again
        self.billed = billed
        self.after = after


class ModelCaller(Protocol):
    """Asks models."""

    def price(self, model: str, reading: int) -> ModelPrice | None:
        """What a model costs at most in a call that reads so many tokens; None where it is not
        known."""
        ...

    async def ask(self, call: ModelCall, *, timeout_seconds: float) -> ModelAnswer:
        """The model's answer, whatever it is: refusals and answers cut off are answers too.

        Raises:
            ModelFailed: there is none.
        """
        ...
