"""The polite frame of a question: what is said before and after it, and is none of what is asked.

How frames are worded is data, in `frames.toml`. A text begins with one where each word follows the
one before it in some wording, from the beginning of one to the end of one.
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
    """A question without its polite frame; the whole of a text that is nothing else."""
    found = [*_WORD.finditer(text)]
    told = [stem(word[0]) for word in found]
    first = _run(told, _neighbours("before"))
    backwards = frozenset((then, word) for word, then in _neighbours("after"))
    last = len(found) - _run(told[::-1], backwards)
    if first >= last:
        return text
    end = len(text) if last == len(found) else found[last - 1].end()
    return text[found[first].start() if first else 0 : end]


def _run(told: Sequence[str], neighbours: frozenset[tuple[str, str]]) -> int:
    """How many words a text begins with that are frames, one behind the other."""
    run, before = 0, _EDGE
    for place, word in enumerate(told):
        ended = (before, _EDGE) in neighbours and (_EDGE, word) in neighbours
        if not ended and (before, word) not in neighbours:
            break
        before = word
        run = place + 1 if (word, _EDGE) in neighbours else run
    return run


@cache
def _neighbours(side: str) -> frozenset[tuple[str, str]]:
    """Each two words that stand beside each other in a wording, and its edges."""
    wordings = tomllib.loads(FILE.read_text(encoding="utf-8"))[side]
    stemmed = ([_EDGE, *map(stem, words(each)), _EDGE] for each in wordings)
    return frozenset(pair for each in stemmed for pair in pairwise(each))
