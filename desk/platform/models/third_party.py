"""Adapts calls to third-party models: uses only the parts of the Messages protocol that the
endpoint supports.

Unsupported parts are put into words: the schema goes into the system prompt, and earlier tool calls
become text. An answer may have text around its JSON.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from pydantic import JsonValue

from desk.contracts.agents.model_calls import ModelCall
from desk.platform.models.abilities import Abilities

MOST_OUTPUT_TOKENS: Final = 8_000
"""The most output tokens of such a model: its input and output must fit its context window."""

LEAST_OUTPUT_TOKENS: Final = 500
OUTPUT_SHARE: Final = 0.5
"""The share of the call's time for output. The rest is for input, and for a slower endpoint."""

SCHEMA_INSTRUCTIONS: Final = (
    "Answer with one JSON object and nothing else, without words or marks around it. It follows"
    " this JSON schema:"
)


def is_claude(model: str) -> bool:
    """Whether a model is one of Anthropic's, by its name, through whichever provider."""
    return model.rsplit("/", 1)[-1].startswith("claude")


def most_output_tokens(call: ModelCall, can: Abilities, seconds: float) -> int:
    """The most output tokens for a call: no more than the model can write in the time, so that an
    endless answer is cut off and not lost."""
    fits = MOST_OUTPUT_TOKENS
    if can.tokens_a_second is not None:
        fits = max(LEAST_OUTPUT_TOKENS, int(can.tokens_a_second * seconds * OUTPUT_SHARE))
    return min(call.max_tokens, MOST_OUTPUT_TOKENS, fits)


def adapted_request(call: ModelCall, can: Abilities) -> dict[str, Any]:
    """The request of a call, with only the parts of the protocol that an endpoint supports."""
    schema = call.schema_of_result
    words = (
        call.system
        if can.structured
        else f"{call.system}\n\n{SCHEMA_INSTRUCTIONS}\n{json.dumps(schema)}"
    )
    offered = bool(call.tools) and can.tools and (can.tool_choice or not call.no_more_calls)
    asked: dict[str, Any] = {
        "model": call.model,
        "max_tokens": min(call.max_tokens, MOST_OUTPUT_TOKENS),
        "system": words,
        "messages": list(call.messages) if offered else [_in_words(m) for m in call.messages],
    }
    config: dict[str, Any] = {"effort": call.effort.value} if can.effort else {}
    if can.structured:
        config["format"] = {"type": "json_schema", "schema": schema}
    if config:
        asked["output_config"] = config
    if can.caching:
        asked["cache_control"] = {"type": "ephemeral"}
    if offered:
        asked["tools"] = list(call.tools)
        if can.tool_choice:
            asked["tool_choice"] = {"type": "none" if call.no_more_calls else "auto"}
    return asked


def json_object_in(text: str) -> str:
    """The longest JSON object in a text. The text itself if it contains none."""
    decoder, found, at = json.JSONDecoder(), "", text.find("{")
    while at >= 0:
        end = at + 1
        try:
            read, end = decoder.raw_decode(text, at)
            if isinstance(read, dict) and end - at > len(found):
                found = text[at:end]
        except (ValueError, RecursionError):
            end = at + 1
        at = text.find("{", end)
    return found or text


def _in_words(message: JsonValue) -> JsonValue:
    """A message with its tool calls and their results as text."""
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        return message
    content = message["content"]
    blocks = content if isinstance(content, list) else []
    return {**message, "content": [_as_text(block) for block in blocks]}


def _as_text(block: JsonValue) -> JsonValue:
    if not isinstance(block, Mapping):
        return block
    match block.get("type"):
        case "tool_use":
            asked = json.dumps(block.get("input"), ensure_ascii=False)
            return {"type": "text", "text": f"(I asked {block.get('name')} for {asked}.)"}
        case "tool_result":
            return {"type": "text", "text": f"The tool answered: {block.get('content')}"}
        case _:
            return dict(block)
