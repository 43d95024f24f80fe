"""Splits prose into sentences. Figures, abbreviations and references do not end one."""

import re
from typing import Final


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


_BREAK: Final = re.compile(r"[.!?]+[\"')\]”’]*\s+|\n\s*|[。！？]\s*")
_INITIALS: Final = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]|[A-Z]")
_MARKER: Final = re.compile(r"\W*(?:\d{1,2}|[a-z])")
_OPENERS: Final = frozenset("\"'([“‘$€£¥-+*•~#")

_NEVER_LAST: Final = _set_of(
    "e.g i.e vs cf approx ca c mr mrs ms dr prof st gov sen fig figs art sec est incl excl avg"
    " resp pp p nos"
)
_BEFORE_A_DIGIT: Final = _set_of(
    "no vol jan feb mar apr jun jul aug sep sept oct nov dec wk art sec h"
)
_SELDOM_LAST: Final = _set_of("inc ltd co corp etc")
_STARTERS: Final = _set_of(
    "The A An It Its In On At This That These Those But And However Meanwhile While For With After"
    " Before If As There Both From By Markets Analysts Traders They He She We"
)


def split_sentences(prose: str) -> tuple[str, ...]:
    """Returns the sentences of a text with the white space after them. Joined, they are the text
    again.

    A line break always ends a sentence. In doubt two sentences stay one.
    """
    pieces, start = [], 0
    for found in _BREAK.finditer(prose):
        if found.end() < len(prose) and _ends_one(prose, start, found):
            pieces.append(prose[start : found.end()])
            start = found.end()
    return (*pieces, prose[start:]) if start < len(prose) else tuple(pieces)


def _ends_one(prose: str, start: int, found: re.Match[str]) -> bool:
    if "\n" in found[0] or found[0][0] in "。！？":
        return True
    following = prose[found.end()]
    opens = following.isupper() or following.isdigit() or following in _OPENERS
    if not (opens or not following.isascii()):
        return False
    if found[0].rstrip() != ".":
        return True
    return not _abbreviates(prose, start, found)


def _abbreviates(prose: str, start: int, found: re.Match[str]) -> bool:
    """Returns whether a full stop belongs to the word or the list marker before it."""
    if found.start() - start < 6 and _MARKER.fullmatch(prose, start, found.start()):
        return True
    blank = max(prose.rfind(" ", start, found.start()), start - 1)
    word = prose[blank + 1 : found.start()].lstrip("([\"'“‘")
    plain = word.lower()
    if plain in _BEFORE_A_DIGIT and prose[found.end()].isdigit():
        return True
    if _INITIALS.fullmatch(word) or plain in _SELDOM_LAST:
        return _next_word(prose, found.end()) not in _STARTERS
    return plain in _NEVER_LAST


def _next_word(prose: str, start: int) -> str:
    return prose[start : start + 20].partition(" ")[0].rstrip(",")
