"""The dollar against six currencies, with ICE's weights.

The index is the geometric mean of the dollar's rates against six currencies. Its weights and its
constant are those of ICE Futures U.S. for the U.S. Dollar Index (USDX contract specification),
fixed since the euro replaced five currencies in 1999. The result for a set of rates is the value of
that formula, not a quotation of ICE's index.
"""

from collections.abc import Mapping
from decimal import Decimal
from math import exp, log
from types import MappingProxyType
from typing import Final

WEIGHTS: Final[Mapping[str, float]] = MappingProxyType(
    {"EUR": 0.576, "JPY": 0.136, "GBP": 0.119, "CAD": 0.091, "SEK": 0.042, "CHF": 0.036}
)
"""Each currency's share; they add up to one."""

PAIRS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "EUR": "EUR/USD",
        "JPY": "USD/JPY",
        "GBP": "GBP/USD",
        "CAD": "USD/CAD",
        "SEK": "USD/SEK",
        "CHF": "USD/CHF",
    }
)
"""The pair that each currency's rate is quoted in."""

SCALE: Final = 50.14348112
"""Scales the index to 100 in March 1973."""

_CENT: Final = Decimal("0.01")


def dollar_index(per_dollar: Mapping[str, Decimal]) -> float:
    """The index, from the units of each of the six currencies for one dollar.

    Raises:
        KeyError: a rate is missing.
        ValueError: a rate is not above zero.
    """
    logs = (weight * log(per_dollar[code]) for code, weight in WEIGHTS.items())
    return SCALE * exp(sum(logs))


def index_of_pairs(levels: Mapping[str, Decimal]) -> Decimal:
    """The index, to a hundredth, from the quoted levels of the six pairs.

    Raises:
        KeyError: a pair is missing.
        ValueError: a level is not above zero.
        ZeroDivisionError: a level that is quoted in dollars is zero.
    """
    per_dollar = {
        code: levels[pair] if pair.startswith("USD") else 1 / levels[pair]
        for code, pair in PAIRS.items()
    }
    return Decimal(dollar_index(per_dollar)).quantize(_CENT)
