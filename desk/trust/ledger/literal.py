"""Evidence of a shape that the desk does not know: a figure must stand in it as it is claimed."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

from pydantic import JsonValue

from desk.contracts.agents.tools import ToolResult
from desk.trust.claims.recompute import at_precision_of

INSTANT: Final = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?|\d{1,2}:\d{2}")
NUMBER: Final = re.compile(r"(?<![\w.])[-+−]?\d+(?:,\d{3})*(?:\.\d+)?(?![\d.]*\d)")


def states(content: JsonValue, value: Decimal) -> bool:
    """Whether a number in the content is the value, at the value's precision.

    Numbers are read from JSON numbers and from strings; days and times of day are none.
    """
    return any(_is(number, value) for number in _numbers(content))


def names(result: ToolResult, subject: str) -> bool:
    """Whether the arguments of the call or its content name a pair or an area.

    A pair is also named by its letters alone, or by its two currencies in their order.
    """
    words = [*_strings(dict(result.call.arguments)), *_strings(result.content)]
    spellings = {subject, subject.replace("/", ""), subject.replace("/", "-")}
    found = any(_has_word(word, spelling) for word in words for spelling in spellings)
    return found or all(any(_has_word(w, code) for w in words) for code in subject.split("/"))


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<![A-Z]){re.escape(word)}(?![A-Z])", text) is not None


def _is(number: Decimal, value: Decimal) -> bool:
    try:
        return at_precision_of(value, number) == value
    except InvalidOperation:
        return False


def _numbers(content: JsonValue) -> Iterator[Decimal]:
    for leaf in _leaves(content):
        if isinstance(leaf, str):
            for match in NUMBER.finditer(INSTANT.sub(" ", leaf)):
                yield Decimal(match.group().replace(",", "").replace("−", "-"))
        elif isinstance(leaf, int | float) and not isinstance(leaf, bool):
            yield Decimal(str(leaf))


def _strings(content: JsonValue) -> list[str]:
    keys = [key for part in _parts(content) if isinstance(part, Mapping) for key in part]
    return [*keys, *(leaf for leaf in _leaves(content) if isinstance(leaf, str))]


def _leaves(content: JsonValue) -> Iterator[JsonValue]:
    return (part for part in _parts(content) if not isinstance(part, dict | list))


def _parts(content: JsonValue) -> Iterator[JsonValue]:
    """The content and everything in it. Not recursive: what a server sends may be nested deeply."""
    waiting: list[JsonValue] = [content]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
