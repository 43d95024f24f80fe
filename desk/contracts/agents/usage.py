"""What a model's turns cost."""

from decimal import Decimal
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.base import Contract, Figure, ShortText, is_empty

BUILTIN: Final = "builtin"
"""The model name of the built-in analysts, which need no model."""

BUILTIN_VERSION: Final = 7
"""The version of how the built-in analysts turn answers into results. It is raised with every
change of that, so that a report is checked by the analysts that wrote it."""


class Usage(Contract):
    """The cost of turns. The built-in analysts cost nothing.

    `input_tokens` are all input tokens; `cache_read_tokens` and `cache_write_tokens` are those of
    them read from or written to the prompt cache. `cost_usd` is the known cost; the price of
    `unpriced_calls` is not known.

    `lost_calls` were sent and never answered: they may have been billed, for at most `lost_tokens`
    and `lost_usd` together. No other field counts them.
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
        """All input and output tokens of the answers that arrived."""
        return self.input_tokens + self.output_tokens

    @property
    def asked(self) -> bool:
        """Whether a model was called at all."""
        return self.tokens > 0 or self.lost_calls > 0

    def plus(self, other: "Usage") -> "Usage":
        """Returns the sum, under the name of the model that took the last turn."""
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
