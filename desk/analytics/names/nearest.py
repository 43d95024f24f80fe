"""Suggests the known names closest to an unknown one."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

CLOSE: Final = 0.5
SURE: Final = 0.6
"""The similarity, by `difflib` and at most 1, from which a name is offered, and from which it is
suggested as a question."""


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


def _close(written: str, known: Iterable[str], most: int, likeness: float) -> tuple[str, ...]:
    by_key = {_key(name): name for name in known}
    close = get_close_matches(_key(written), list(by_key), n=most, cutoff=likeness)
    return tuple(by_key[key] for key in close)


def _parts(name: str) -> list[str]:
    return sorted(_BETWEEN.split(name.upper()))


def _key(name: str) -> str:
    return name.upper().replace("/", "").replace("-", "")
