"""What somebody may have meant."""

from collections.abc import Sequence
from difflib import get_close_matches


def nearest(written: str, known: Sequence[str], most: int = 3) -> tuple[str, ...]:
    """The known names closest to a written one; the first few when none is close."""
    by_key = {_key(name): name for name in known}
    close = get_close_matches(_key(written), list(by_key), n=most, cutoff=0.5)
    return tuple(by_key[key] for key in close) or tuple(known[:most])


def _key(name: str) -> str:
    return name.upper().replace("/", "").replace("-", "")
