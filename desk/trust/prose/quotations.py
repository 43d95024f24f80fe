"""Whether words stand in a source as they are quoted: letter by letter, white space aside."""

import re
from collections.abc import Iterator
from typing import Final

from pydantic import JsonValue

MOST_DEPTH: Final = 50

_WITHIN: Final = re.compile(r"\d[.,:]\d|\d[%‰]|[-−+]\d")
"""Signs between which nothing is taken apart: those of a number."""


def stands_in(text: str, content: JsonValue) -> bool:
    """Whether one of the texts within a tool's answer holds the words, from where a word or number
    of its begins to where one ends: `5 bp` does not stand in `25 bp`.

    Numbers are no texts: a document's words are quoted, and figures of markets are claims.
    """
    words = _plain(text)
    return bool(words) and any(_holds(_plain(told), words) for told in texts_in(content))


def texts_in(content: JsonValue, depth: int = MOST_DEPTH) -> Iterator[str]:
    """All texts of an answer, keys aside, as deep as answers go."""
    if isinstance(content, str):
        yield content
    elif depth and isinstance(content, dict):
        for value in content.values():
            yield from texts_in(value, depth - 1)
    elif depth and isinstance(content, list):
        for value in content:
            yield from texts_in(value, depth - 1)


def _holds(told: str, words: str) -> bool:
    start = told.find(words)
    while start >= 0:
        if _is_edge(told, start) and _is_edge(told, start + len(words)):
            return True
        start = told.find(words, start + 1)
    return False


def _is_edge(told: str, place: int) -> bool:
    """Whether a place does not split a word or a number. Scripts without capitals, such as those
    without spaces between words, can be quoted from any place."""
    before, after = told[place - 1 : place] if place else "", told[place : place + 1]
    if _joins(before) and _joins(after):
        return False
    around = told[max(0, place - 2) : place + 2]
    middle = min(place, 2)
    return not any(m.start() < middle < m.end() for m in _WITHIN.finditer(around))


def _joins(sign: str) -> bool:
    return sign.isdigit() or sign.lower() != sign.upper()


def _plain(text: str) -> str:
    return " ".join(text.split())
