"""Checks whether quoted words occur in a source, letter by letter except for white space."""

import re
from collections.abc import Iterator
from typing import Final

from pydantic import JsonValue

MOST_DEPTH: Final = 50

_WITHIN: Final = re.compile(r"\d[.,:]\d|\d[%‰]|[-−+]\d")
"""Characters inside of a number, which is never split."""


def occurs_in(text: str, content: JsonValue) -> bool:
    """Returns whether a text in a tool's answer contains the words, starting and ending at the edge
    of a word or number: `5 bp` does not occur in `25 bp`.

    Numbers are not texts: documents are quoted in words, and figures of markets are claims.
    """
    words = _plain(text)
    return bool(words) and any(_holds(_plain(text_part), words) for text_part in texts_in(content))


def texts_in(content: JsonValue, depth: int = MOST_DEPTH) -> Iterator[str]:
    """Yields all texts in an answer, without keys, at any depth."""
    if isinstance(content, str):
        yield content
    elif depth and isinstance(content, dict):
        for value in content.values():
            yield from texts_in(value, depth - 1)
    elif depth and isinstance(content, list):
        for value in content:
            yield from texts_in(value, depth - 1)


def _holds(content: str, words: str) -> bool:
    start = content.find(words)
    while start >= 0:
        if _is_edge(content, start) and _is_edge(content, start + len(words)):
            return True
        start = content.find(words, start + 1)
    return False


def _is_edge(content: str, place: int) -> bool:
    """Returns whether a position does not split a word or number. Text in a script without capital
    letters, such as one without spaces between words, can be quoted from any position."""
    before, after = content[place - 1 : place] if place else "", content[place : place + 1]
    if _joins(before) and _joins(after):
        return False
    around = content[max(0, place - 2) : place + 2]
    middle = min(place, 2)
    return not any(m.start() < middle < m.end() for m in _WITHIN.finditer(around))


def _joins(sign: str) -> bool:
    return sign.isdigit() or sign.lower() != sign.upper()


def _plain(text: str) -> str:
    return " ".join(text.split())
