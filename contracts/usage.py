"""What the turns of a model cost."""

from decimal import Decimal
from typing import Final

from contracts.base import Contract, Figure, ShortText

BUILTIN: Final = "builtin"
"""The model of an analyst that needs none."""


class Usage(Contract):
    """What turns cost. The built-in analysts cost nothing.

    `input_tokens` are all that were read, `cache_read_tokens` and `cache_write_tokens` those of
    them that came from the prompt cache or went into it. `cost_usd` is the money that is known;
    of `unpriced_calls` the price is not known.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: Figure = Decimal(0)
    unpriced_calls: int = 0
    model: ShortText = BUILTIN

    @property
    def tokens(self) -> int:
        """All tokens, read and written."""
        return self.input_tokens + self.output_tokens

    def plus(self, other: "Usage") -> "Usage":
        """The sum, under the name of the model that took a turn last."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            cost_usd=self.cost_usd + other.cost_usd,
            unpriced_calls=self.unpriced_calls + other.unpriced_calls,
            model=self.model if other.model == BUILTIN else other.model,
        )
