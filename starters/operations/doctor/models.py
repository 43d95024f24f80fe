"""Checks of the models, each called once."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from pydantic import SecretStr

from desk.contracts.agents.budget import ModelPrice
from desk.contracts.agents.model_calls import ModelCall
from desk.contracts.agents.usage import BUILTIN
from desk.platform.models.abilities import Abilities
from desk.platform.models.model_calling import ModelFailed
from desk.platform.models.third_party import is_claude
from desk.platform.settings import Settings


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
    """What a million tokens cost at most, or how to limit the model's spending without a known
    price."""
    if price is None:
        return (
            "its price is not known: a budget in dollars would stop it, so set one in tokens"
            " (--budget-tokens, or tokens under [budget] in desk.toml, without usd)"
        )
    read, written = price.read * 1_000_000, price.written * 1_000_000
    return f"a million tokens cost at most ${read:.2f} read and ${written:.2f} written"


PATIENCE_SECONDS: Final = 120.0

_SCHEMA: Final = {
    "type": "object",
    "properties": {"market": {"type": "string"}, "priority": {"type": "integer"}},
    "required": ["market", "priority"],
}


class ModelAsked(NamedTuple):
    """The outcome of a model call, in words."""

    model: str
    answers: bool
    words: str


async def model_checks(settings: Settings) -> list[ModelAsked]:
    """Calls each model once, in the form of the desk's own calls."""
    models = {entry.model for entry in settings.config.policy.agents if entry.model}
    wanted = sorted(models - {BUILTIN})
    key = settings.model_key
    if not wanted:
        words = (
            "all agents are built in; ANTHROPIC_API_KEY makes them Claude, and docs/models.md"
            " says how another model is used"
        )
        return [ModelAsked("none", True, words)]
    if key is None:
        words = "it cannot be asked: neither ANTHROPIC_API_KEY nor ANTHROPIC_BASE_URL is set"
        return [ModelAsked(model, False, words) for model in wanted]
    return [await _asked(settings, key, model) for model in wanted]


async def _asked(settings: Settings, key: SecretStr, model: str) -> ModelAsked:
    # The client takes a second to import, and only `--ask` calls a model.
    from desk.platform.models.claude import Claude

    endpoint = Claude(key, base_url=settings.anthropic_base_url, home=settings.home)
    call = ModelCall(
        model=model,
        system="You plan. Give the market that is named the priority that is named.",
        messages=(
            {"role": "user", "content": [{"type": "text", "text": "USD/JPY has priority 2."}]},
        ),
        schema_of_result=_SCHEMA,
        max_tokens=1_000,
    )
    try:
        found = await endpoint.abilities(model, timeout_seconds=PATIENCE_SECONDS)
        answer = await endpoint.ask(call, timeout_seconds=PATIENCE_SECONDS)
    except ModelFailed as failed:
        return ModelAsked(model, False, str(failed))
    finally:
        await endpoint.close()
    usage = found.usage.plus(answer.usage)
    formed = '"priority"' in answer.text
    told = [
        f"it answers{'' if formed else ', but not in the form asked for: expect built-in results'}"
    ]
    if not is_claude(model):
        told += ability_words(found.abilities)
    told += [price_words(endpoint.price(model, 1_000)), f"this check took {usage.tokens:,} tokens"]
    return ModelAsked(model, True, "; ".join(told))
