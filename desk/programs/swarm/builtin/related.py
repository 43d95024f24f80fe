"""The markets related to a market, its crosses and its peers. They show which side of it moved."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from desk.analytics.names.currencies import QUOTING_ORDER
from desk.analytics.names.markets import DOLLAR
from desk.analytics.technical.standing import CURRENCY_BLOCS, STOCK_GROUPS
from desk.contracts.markets import MarketKind, MarketSpec

MAJORS: Final = ("EUR", "JPY", "GBP", "CHF", "AUD", "CAD", "NZD", "SEK", "NOK")
"""The currencies that any currency is compared with besides its group, the most traded first (BIS
Triennial Survey 2025). The dollar is handled separately."""


def related_markets(market: MarketSpec) -> tuple[str, ...]:
    """Returns the markets that share a currency with a pair, alternating between its two
    currencies: first against the dollar, then against members of its group, then the rest. For a
    stock, returns the others of its group."""
    if market.kind is MarketKind.STOCK:
        groups = (group for group in STOCK_GROUPS if market.market in group.home_of)
        members = chain.from_iterable(group.members for group in groups)
        return tuple(member for member in members if member != market.market)
    return tuple(dict.fromkeys(_crosses(market.market)))


def turned(market: str, other: str) -> int:
    """Returns 1 if another market moves the same way when the shared currency does, or is a stock
    of the same group; -1 if it moves the other way."""
    base, _, quote = market.partition("/")
    first, _, second = other.partition("/")
    return -1 if quote and (first == quote or second == base) else 1


def _crosses(pair: str) -> Iterator[str]:
    base, _, quote = pair.partition("/")
    subject = quote if base == DOLLAR else base
    groups = (bloc.members for bloc in CURRENCY_BLOCS if subject in bloc.home_of)
    others = dict.fromkeys((DOLLAR, *chain.from_iterable(groups), *MAJORS))
    for other in others:
        if other not in (base, quote):
            yield _quoted(other, quote)
            yield _quoted(base, other)


def _quoted(one: str, other: str) -> str:
    return "/".join(sorted((one, other), key=QUOTING_ORDER.index))
