"""Suggests the known names that are closest to one that does not exist."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

CLOSE: Final = 0.5
SURE: Final = 0.6
"""The likeness of `difflib`, of 1, from which on a name is offered, and from which one is asked
for."""


_BETWEEN: Final = re.compile(r"[/:._-]")


def nearest(written: str, known: Sequence[str], most: int = 3) -> tuple[str, ...]:
    """The known names closest to a written one, before them those of the same parts in another
    order, as a pair has the other way round; the first few when none is close."""
    turned = [name for name in known if _parts(name) == _parts(written)]
    close = _close(written, known, most, CLOSE)
    return tuple(dict.fromkeys((*turned, *close)))[:most] or tuple(known[:most])


def meant(written: str, known: Iterable[str]) -> str:
    """`; did you mean X?` for the known name that is closest; empty where none is close."""
    return "".join(f"; did you mean {name}?" for name in _close(written, known, 1, SURE))


def _close(written: str, known: Iterable[str], most: int, likeness: float) -> tuple[str, ...]:
    by_key = {_key(name): name for name in known}
    close = get_close_matches(_key(written), list(by_key), n=most, cutoff=likeness)
    return tuple(by_key[key] for key in close)


def _parts(name: str) -> list[str]:
    return sorted(_BETWEEN.split(name.upper()))


def _key(name: str) -> str:
    return name.upper().replace("/", "").replace("-", "")
