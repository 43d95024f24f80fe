"""Joins words into a list for a sentence."""

from collections.abc import Iterable


def listed(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`. Empty for no words."""
    *most, last = tuple(words) or ("",)
    return f"{', '.join(most)} and {last}" if most else last
