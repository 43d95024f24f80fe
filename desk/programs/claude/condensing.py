"""A transcript that grows is condensed by rule, long before a model could not read it any more.

What the oldest calls brought is left out and said to be, and the model may ask again. So much is
condensed at a time that the transcript stays as it is for a while: a prompt cache serves what stays
the same.
"""

import json
from collections.abc import Sequence
from functools import reduce
from typing import Any, Final

from pydantic import JsonValue

from desk.contracts.agents.tools import ToolResult
from desk.contracts.agents.turns import Exchange

LONGEST_TRANSCRIPT: Final = 300_000
"""Characters: 150,000 tokens where all of it is figures, far fewer of prose. The smallest window
of a model leaves more."""

LEFT_OF_IT: Final = 0.5
"""The part of the length down to which a transcript that exceeds it is condensed."""

LONGEST_RESULT: Final = 50_000
"""As many characters of one tool's answer as a model is shown."""

KEPT_WHOLE: Final = 2
"""Exchanges at the end that stay as they are."""

LONGEST_THOUGHT: Final = 300

KEPT_OF_A_RESULT: Final = 200
"""Characters: what is no longer than the words in its place would be stays."""

LEFT_OUT: Final = "left out to keep the transcript short; ask again if it is needed"


def condensed(
    exchanges: Sequence[Exchange], longest: int = LONGEST_TRANSCRIPT
) -> tuple[Exchange, ...]:
    """The exchanges, of which the oldest are condensed as far as the length asks for it.

    The order, the number of exchanges and their calls stay. The last ones stay whole, so that a
    few very long answers can exceed the length. What was condensed at one turn is at every later
    one, because the turns are gone through from the first.
    """
    sizes = [_size(exchange) for exchange in exchanges]
    short: list[Exchange] = []
    length = 0
    for turn, size in enumerate(sizes, start=1):
        length += size
        aim = longest if length <= longest else longest * LEFT_OF_IT
        while length > aim and len(short) < turn - KEPT_WHOLE:
            oldest = len(short)
            short.append(_condensed(exchanges[oldest]))
            length -= sizes[oldest] - _size(short[oldest])
    return (*short, *exchanges[len(short) :])


def _condensed(exchange: Exchange) -> Exchange:
    return Exchange(
        results=tuple(_told(result) for result in exchange.results),
        said=tuple(_clipped(block) for block in exchange.said if not is_thought(block)),
    )


def _told(result: ToolResult) -> ToolResult:
    """That there was a result, without what it was. Never shown as evidence."""
    size = len(json.dumps(result.content))
    told = f"{size} characters, {LEFT_OUT}" if size > KEPT_OF_A_RESULT else result.content
    error = (result.error or "")[:KEPT_OF_A_RESULT] or None
    return result.model_copy(update={"content": told, "error": error})


def _clipped(block: JsonValue) -> JsonValue:
    if isinstance(block, dict) and isinstance(text := block.get("text"), str):
        return {**block, "text": text.strip()[:LONGEST_THOUGHT]}
    return block


def is_thought(block: JsonValue) -> bool:
    """Whether a block is what a model thought before it spoke."""
    kind = block.get("type") if isinstance(block, dict) else None
    return isinstance(kind, str) and "thinking" in kind


def _size(exchange: Exchange) -> int:
    said: int = reduce(lambda total, block: total + len(json.dumps(block)), exchange.said, 0)
    return said + sum(_size_of(result) for result in exchange.results)


def _size_of(result: ToolResult) -> int:
    shown: Any = result.content if result.content is not None else result.error
    return min(len(json.dumps(shown)), LONGEST_RESULT)
