"""What an endpoint can do and costs, in plain words."""

from collections.abc import Iterator

from desk.contracts.agents.budget import ModelPrice
from desk.platform.models.abilities import Abilities


def ability_words(can: Abilities) -> Iterator[str]:
    """A sentence for each part of the protocol that matters to a run."""
    if can.structured:
        yield "it keeps to a JSON schema by itself"
    else:
        yield "it knows no JSON schema: the desk says the form in words, and looks for the JSON"
    if can.tools and can.tool_choice:
        yield "it asks tools, and can be told to stop asking"
    elif can.tools:
        yield "it asks tools; for its last answer they are taken away"
    else:
        yield "it asks no tools: it writes over what the desk has asked"
    if not can.caching:
        yield "it keeps nothing of what it has read: each turn reads all of it again"


def price_words(price: ModelPrice | None) -> str:
    """What a million tokens cost at most, or how to hold the model to a budget all the same."""
    if price is None:
        return (
            "its price is not known: a budget in dollars would stop it, so set one in tokens"
            " (--budget-tokens, or tokens under [budget] in desk.toml, without usd)"
        )
    read, written = price.read * 1_000_000, price.written * 1_000_000
    return f"a million tokens cost at most ${read:.2f} read and ${written:.2f} written"
