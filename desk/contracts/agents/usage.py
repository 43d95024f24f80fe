"""What the turns of a model cost."""

from decimal import Decimal
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.base import Contract, Figure, ShortText, is_empty

BUILTIN: Final = "builtin"
"""The model of an analyst that needs none."""

BUILTIN_VERSION: Final = 6
"""Of what the built-in analysts make of the same answers; raised with every change of that, so that
a report is held against the analysts that wrote it."""


class Usage(Contract):
    """What turns cost. The built-in analysts cost nothing.

    `input_tokens` are all that were read, `cache_read_tokens` and `cache_write_tokens` those of
    them that came from the prompt cache or went into it. `cost_usd` is the money that is known;
    of `unpriced_calls` the price is not known.

    `lost_calls` were asked and their answers never came: they may have been billed, for at most
    `lost_tokens` and `lost_usd` together. No other field counts them.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: Figure = Decimal(0)
    unpriced_calls: int = 0
    lost_calls: Annotated[int, Field(exclude_if=is_empty)] = 0
    lost_tokens: Annotated[int, Field(exclude_if=is_empty)] = 0
    lost_usd: Annotated[Figure, Field(exclude_if=is_empty)] = Decimal(0)
    model: ShortText = BUILTIN

    @property
    def tokens(self) -> int:
        """All tokens of the answers that came, read and written."""
        return self.input_tokens + self.output_tokens

    @property
    def asked(self) -> bool:
        """Whether a model was asked at all."""
        return self.tokens > 0 or self.lost_calls > 0

    def plus(self, other: "Usage") -> "Usage":
        """The sum, under the name of the model that took a turn last."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            cost_usd=self.cost_usd + other.cost_usd,
            unpriced_calls=self.unpriced_calls + other.unpriced_calls,
            lost_calls=self.lost_calls + other.lost_calls,
            lost_tokens=self.lost_tokens + other.lost_tokens,
            lost_usd=self.lost_usd + other.lost_usd,
            model=self.model if other.model == BUILTIN else other.model,
        )
