"""What a call of Claude cost, from the tokens in its answer."""

import logging
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from genai_prices import extract_usage

from desk.contracts.agents.budget import ModelPrice
from desk.contracts.agents.usage import Usage

PRICED_TOKENS = 1_000

LOG = logging.getLogger(__name__)


def usage_of(model: str, counted: Mapping[str, Any]) -> Usage:
    """Tokens and money of one answer, `counted` being the `usage` of the response.

    Prices are those of the installed `genai-prices`. A model that it does not know has tokens and
    no price; the call has been paid for, so nothing that goes wrong here is an error.
    """
    cost = _cost(model, counted)
    read = _count(counted, "cache_read_input_tokens")
    written = _count(counted, "cache_creation_input_tokens")
    return Usage(
        # Anthropic counts what the cache served or took apart from the rest of the input.
        input_tokens=_count(counted, "input_tokens") + read + written,
        output_tokens=_count(counted, "output_tokens"),
        cache_read_tokens=read,
        cache_write_tokens=written,
        cost_usd=cost or Decimal(0),
        unpriced_calls=0 if cost is not None else 1,
        model=model[:200],
    )


def price_of(model: str, reading: int) -> ModelPrice | None:
    """What a token of a model costs at most in a call that reads so many, by the installed
    `genai-prices`: one read goes into the prompt cache, which costs more than to read it, and some
    models cost more, also to write, from a length on. None where the price is not known."""
    read = {"input_tokens": 0, "cache_creation_input_tokens": max(reading, 1)}
    for_reading = _cost(model, {**read, "output_tokens": 0})
    for_both = _cost(model, {**read, "output_tokens": PRICED_TOKENS})
    if not for_reading or not for_both or for_both <= for_reading:
        return None
    return ModelPrice(
        read=for_reading / max(reading, 1), written=(for_both - for_reading) / PRICED_TOKENS
    )


def _count(counted: Mapping[str, Any], name: str) -> int:
    found = counted.get(name)
    return found if isinstance(found, int) and found > 0 else 0


def _cost(model: str, counted: Mapping[str, Any]) -> Decimal | None:
    try:
        usage = extract_usage({"model": model, "usage": dict(counted)}, provider_id="anthropic")
        return usage.calc_price().total_price
    except Exception as error:
        # Whatever a table of prices stumbles over, the tokens are spent and the answer is here.
        LOG.warning("the price of a call of %s is not known: %s", model, error)
        return None
