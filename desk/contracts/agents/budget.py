"""What a run may spend on models, and what of it one call may."""

from typing import Annotated

from pydantic import Field

from desk.contracts.base import Contract, Figure, ShortText

CHEAPER_MODEL = "claude-haiku-5-5"


class Allowance(Contract):
    """Money and tokens, read and written, that may be spent; None is without a limit."""

    usd: Annotated[Figure, Field(ge=0)] | None = None
    tokens: Annotated[int, Field(ge=0)] | None = None

    @property
    def unlimited(self) -> bool:
        """Whether nothing bounds the spending."""
        return self.usd is None and self.tokens is None


class ModelPrice(Contract):
    """What a model costs at most: US dollars for each token read, and for each token written."""

    read: Figure
    written: Figure


class BudgetConfig(Contract):
    """What a run may cost, reruns included. `cheaper_model` takes over where it runs short."""

    usd: Annotated[Figure, Field(ge=0)] | None = None
    tokens: Annotated[int, Field(ge=0)] | None = None
    cheaper_model: ShortText = CHEAPER_MODEL

    @property
    def allowance(self) -> Allowance:
        """All of it."""
        return Allowance(usd=self.usd, tokens=self.tokens)
