"""Which other markets tell whose move a market's move is: its peers and its crosses."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from desk.analytics.names.currencies import QUOTING_ORDER
from desk.analytics.names.markets import DOLLAR
from desk.analytics.technical.standing import CURRENCY_BLOCS, STOCK_GROUPS
from desk.contracts.markets import MarketKind, MarketSpec

MAJORS: Final = ("EUR", "JPY", "GBP", "CHF", "AUD", "CAD", "NZD", "SEK", "NOK")
"""Against what a currency is measured besides its group, the most traded first (BIS Triennial
Survey 2025); the dollar stands in its own place."""


def related_markets(market: MarketSpec) -> tuple[str, ...]:
    """The markets that share a currency with a pair, one of either currency in turn: the two legs
    against the dollar, then those with its group's members, then the rest. Of a stock they are the
    others of its group."""
    if market.kind is MarketKind.STOCK:
        groups = (group for group in STOCK_GROUPS if market.market in group.home_of)
        members = chain.from_iterable(group.members for group in groups)
        return tuple(member for member in members if member != market.market)
    return tuple(dict.fromkeys(_crosses(market.market)))


def turned(market: str, other: str) -> int:
    """1 where another market goes the way of this one when the currency that they share does, or
    where it is a stock of the same group; -1 where it goes the other way."""
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
