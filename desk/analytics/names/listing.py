"""Joins words into a list for a sentence."""

from collections.abc import Iterable


def listed(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`. Empty for no words."""
    *most, last = tuple(words) or ("",)
    return f"{', '.join(most)} and {last}" if most else last


def said_once(lines: Iterable[str]) -> tuple[str, ...]:
    """Merges lines that say the same of several markets: `EUR/USD and USD/JPY: no fixing`.

    A line begins with its market and a colon; any other is only kept once.
    """
    markets: dict[str, dict[str, None]] = {}
    for line in lines:
        market, colon, said = line.partition(": ")
        if colon and " " not in market:
            markets.setdefault(said, {})[market] = None
        else:
            markets[line] = {}
    return tuple(f"{listed(of)}: {said}" if of else said for said, of in markets.items())
