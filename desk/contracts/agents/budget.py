"""A run's budget for models, and the share of it that one call may use."""

from typing import Annotated

from pydantic import Field

from desk.contracts.base import Contract, Figure, ShortText

CHEAPER_MODEL = "claude-haiku-5-5"


class Allowance(Contract):
    """The money and the tokens (input and output together) that may be spent. None means no
    limit."""

    usd: Annotated[Figure, Field(ge=0)] | None = None
    tokens: Annotated[int, Field(ge=0)] | None = None

    @property
    def unlimited(self) -> bool:
        """Whether neither money nor tokens are limited."""
        return self.usd is None and self.tokens is None


class ModelPrice(Contract):
    """The highest price of a model: US dollars per input token (`read`) and per output token
    (`written`)."""

    read: Figure
    written: Figure


class BudgetConfig(Contract):
    """The budget of a run, including its reruns. `cheaper_model` is used when little of it is
    left."""

    usd: Annotated[Figure, Field(ge=0)] | None = None
    tokens: Annotated[int, Field(ge=0)] | None = None
    cheaper_model: ShortText = CHEAPER_MODEL

    @property
    def allowance(self) -> Allowance:
        """The whole budget."""
        return Allowance(usd=self.usd, tokens=self.tokens)
