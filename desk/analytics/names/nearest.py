"""Suggests the known names closest to an unknown one, and finds the one that is misspelled."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

from rapidfuzz.distance import OSA

CLOSE: Final = 0.5
SURE: Final = 0.6
"""The similarity, by `difflib` and at most 1, from which a name is offered, and from which it is
suggested as a question."""


LONG: Final = 8
"""From how many letters on a known word may have two slips instead of one."""

_VOWELS: Final = re.compile(r"[aeiou]", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"[/:._-]")


def nearest(written: str, known: Sequence[str], most: int = 3) -> tuple[str, ...]:
    """The known names closest to a given one. Names of the same parts in another order come first,
    as for a reversed pair. The first few names if none is close."""
    turned = [name for name in known if _parts(name) == _parts(written)]
    close = _close(written, known, most, CLOSE)
    return tuple(dict.fromkeys((*turned, *close)))[:most] or tuple(known[:most])


def suggestion(written: str, known: Iterable[str]) -> str:
    """`; did you mean X?` with the closest known name. Empty if none is close."""
    return "".join(f"; did you mean {name}?" for name in _close(written, known, 1, SURE))


def respelled(written: str, known: Iterable[str]) -> str | None:
    """The one known word that differs from a misspelled one by a letter too many, too few, wrong or
    swapped with the next; a word of eight letters or more by two of them. The first letter is never
    wrong. Of several such words the one with the same letters, or the same consonants, as vowels
    are left out in haste, or else the one with the fewest slips. None if that leaves more than one,
    or none. Case-sensitive."""
    slips = {word: found for word in known if (found := _slips(written, word)) is not None}
    fewest = [word for word, found in slips.items() if found == min(slips.values())]
    swapped = [word for word in fewest if sorted(word) == sorted(written)]
    consonants = [word for word in slips if _VOWELS.sub("", word) == _VOWELS.sub("", written)]
    likeliest = swapped or consonants or fewest
    return likeliest[0] if len(likeliest) == 1 else None


def _slips(written: str, word: str) -> int | None:
    """The slips between a written word and a known one; None if there are too many."""
    most = 2 if len(word) >= LONG else 1
    if written[:1] != word[:1] or abs(len(written) - len(word)) > most:
        return None
    slips = OSA.distance(written, word, score_cutoff=most)
    return slips if slips <= most else None


def _close(written: str, known: Iterable[str], most: int, likeness: float) -> tuple[str, ...]:
    by_key = {_key(name): name for name in known}
    close = get_close_matches(_key(written), list(by_key), n=most, cutoff=likeness)
    return tuple(by_key[key] for key in close)


def _parts(name: str) -> list[str]:
    return sorted(_BETWEEN.split(name.upper()))


def _key(name: str) -> str:
    return name.upper().replace("/", "").replace("-", "")
