"""Removes the polite frame of a question: the phrases before and after what is asked.

The wordings of frames are data, in `frames.toml`. A text begins with a frame if each of its words
follows the one before it in some wording, from the beginning of one to the end of one.
"""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from desk.analytics.retrieval.full_text import stem, words

FILE: Final = Path(__file__).with_name("frames.toml")

_WORD: Final = re.compile(r"[^\W_]+")
_EDGE: Final = ""


def without_frame(text: str) -> str:
    """A question without its polite frame. The whole text if it is nothing else."""
    found = [*_WORD.finditer(text)]
    stemmed_words = [stem(word[0]) for word in found]
    first = _run(stemmed_words, _neighbours("before"))
    backwards = frozenset((then, word) for word, then in _neighbours("after"))
    last = len(found) - _run(stemmed_words[::-1], backwards)
    if first >= last:
        return text
    end = len(text) if last == len(found) else found[last - 1].end()
    return text[found[first].start() if first else 0 : end]


def _run(stemmed_words: Sequence[str], neighbours: frozenset[tuple[str, str]]) -> int:
    """The number of words that a text begins with that are frames, one after the other."""
    run, before = 0, _EDGE
    for place, word in enumerate(stemmed_words):
        ended = (before, _EDGE) in neighbours and (_EDGE, word) in neighbours
        if not ended and (before, word) not in neighbours:
            break
        before = word
        run = place + 1 if (word, _EDGE) in neighbours else run
    return run


@cache
def _neighbours(side: str) -> frozenset[tuple[str, str]]:
    """Each pair of adjacent words in a wording, with its edges."""
    wordings = tomllib.loads(FILE.read_text(encoding="utf-8"))[side]
    stemmed = ([_EDGE, *map(stem, words(each)), _EDGE] for each in wordings)
    return frozenset(pair for each in stemmed for pair in pairwise(each))
