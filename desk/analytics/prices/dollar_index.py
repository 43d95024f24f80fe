"""A dollar index: the geometric mean of the dollar's rates against six currencies.

The weights and the constant are those that ICE Futures U.S. states for the U.S. Dollar Index (USDX
contract specification), fixed since the euro took the place of five currencies in 1999. What it
gives for one set of rates is that formula's value, not a quotation of ICE's index.
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

WEIGHTS_FROM: Final = "ICE's U.S. Dollar Index"

SCALE: Final = 50.14348112
"""Makes the index 100 in March 1973."""


def dollar_index(per_dollar: Mapping[str, Decimal]) -> float:
    """The index for the units of each of the six currencies for one dollar.

    Raises:
        KeyError: a rate is missing.
        ValueError: a rate is not above zero.
    """
    logs = (weight * log(per_dollar[code]) for code, weight in WEIGHTS.items())
    return SCALE * exp(sum(logs))
