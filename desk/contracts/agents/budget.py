"""The budget of a run for models, and the part of it that one call may use."""

from typing import Annotated

from pydantic import Field

from desk.contracts.base import Contract, Figure, ShortText

CHEAPER_MODEL = "claude-haiku-5-5"


class Allowance(Contract):
    """The money and the tokens (read and written together) that may be spent. None means no
    limit."""

    usd: Annotated[Figure, Field(ge=0)] | None = None
    tokens: Annotated[int, Field(ge=0)] | None = None

    @property
    def unlimited(self) -> bool:
        """Whether neither money nor tokens are limited."""
        return self.usd is None and self.tokens is None


class ModelPrice(Contract):
    """What a model costs at most: US dollars for each token read, and for each token written."""

    read: Figure
    written: Figure


class BudgetConfig(Contract):
    """The budget of a run, reruns included. When little of it is left, `cheaper_model` is used."""

    usd: Annotated[Figure, Field(ge=0)] | None = None
    tokens: Annotated[int, Field(ge=0)] | None = None
    cheaper_model: ShortText = CHEAPER_MODEL

    @property
    def allowance(self) -> Allowance:
        """The whole budget."""
        return Allowance(usd=self.usd, tokens=self.tokens)
