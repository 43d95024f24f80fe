"""The interface for asking a model. It imports no client, so that importing it stays cheap."""

from datetime import timedelta
from typing import Protocol

from desk.contracts.agents.budget import ModelPrice
from desk.contracts.agents.model_calls import ModelAnswer, ModelCall


class ModelFailed(Exception):
    """A call returned no answer.

    `again` says whether the call may be retried, `after` how long to wait first, if the API said
    so. With `billed`, the call was made and its answer lost, so it may have been billed.
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
    """A client that asks models."""

    def price(self, model: str, reading: int) -> ModelPrice | None:
        """The most that a model costs in a call that reads `reading` tokens. None if it is
        unknown."""
        ...

    async def ask(self, call: ModelCall, *, timeout_seconds: float) -> ModelAnswer:
        """Returns the model's answer, which may also be a refusal or cut off.

        Raises:
            ModelFailed: there is no answer.
        """
        ...
