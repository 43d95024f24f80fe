"""Names and describes markets."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from desk.analytics.names.aliases import GROUPS_CALLED
from desk.contracts.episode.analysis import KnownSymbol
from desk.contracts.markets import AreaCode, MarketGroup, MarketKind, MarketSpec

DOLLAR: Final = "USD"

AREAS: Final[Mapping[str, AreaCode]] = MappingProxyType(
    {
        "AUD": "AU",
        "CAD": "CA",
        "CHF": "CH",
        "CNY": "CN",
        "EUR": "XM",
        "GBP": "GB",
        "HKD": "HK",
        "IDR": "ID",
        "INR": "IN",
        "JPY": "JP",
        "KRW": "KR",
        "MYR": "MY",
        "NOK": "NO",
        "NZD": "NZ",
        "PHP": "PH",
        "SEK": "SE",
        "SGD": "SG",
        "THB": "TH",
        "TWD": "TW",
        "USD": "US",
    }
)
"""The area of the central bank that issues a currency, for those whose policy rates the desk has. A
pair with another currency has no areas, and so no differential."""

ASIAN: Final = frozenset({"CNY", "HKD", "IDR", "INR", "KRW", "MYR", "PHP", "SGD", "THB", "TWD"})
"""A pair with one of these belongs to Asia. The yen belongs to the G10."""

DIGITS: Final[Mapping[str, int]] = MappingProxyType(
    {"JPY": 2, "KRW": 2, "HUF": 2, "ISK": 2, "IDR": 0, "THB": 3, "PHP": 3, "TWD": 3}
)
"""Decimals of a level in these quote currencies. All others have four."""

STOCK_DIGITS: Final = 2


def market_of_symbol(known: KnownSymbol, covered: Iterable[MarketSpec]) -> MarketSpec:
    """The market as the desk covers it, or else as derived from its symbol."""
    for market in covered:
        if (market.market, market.kind) == (known.symbol, known.kind):
            return market
    return _pair(known.symbol) if known.kind is MarketKind.PAIR else _other(known)


def pair_by_name(symbol: str) -> MarketSpec:
    """A pair that the desk does not cover, derived from its symbol: the decimals of its quote
    currency, and the areas of both banks if the desk knows them."""
    return _pair(symbol)


def areas_of_pair(pair: str) -> tuple[AreaCode | None, ...]:
    """The areas of the central banks that issue a pair's currencies. None for an unknown one."""
    return tuple(AREAS.get(currency) for currency in pair.split("/"))


@cache
def group_called(group: str) -> re.Pattern[str]:
    """Matches the names of a group of markets in a text: its name, a word derived from that, such
    as Asian, or the market's name for it."""
    names = "|".join(map(re.escape, GROUPS_CALLED.get(group, ())))
    return re.compile(
        rf"\b(?:{names}{'|' if names else ''}{re.escape(group)}[a-z]?)\b", re.IGNORECASE
    )


def market_in_a_sentence(market: str) -> str:
    """A market's name in prose. A symbol with digits is replaced, because digits in prose count as
    figures."""
    return "this market" if any(sign.isdigit() for sign in market) else market


def _pair(symbol: str) -> MarketSpec:
    currencies = symbol.split("/")
    areas = tuple(AREAS[currency] for currency in currencies if currency in AREAS)
    return MarketSpec(
        market=symbol,
        kind=MarketKind.PAIR,
        group=MarketGroup.ASIA if ASIAN.intersection(currencies) else MarketGroup.G10,
        areas=areas if len(areas) == len(currencies) else (),
        digits=DIGITS.get(currencies[-1], 4),
    )


def _other(known: KnownSymbol) -> MarketSpec:
    if known.kind is MarketKind.POLICY_RATE:
        asian = known.symbol in {AREAS[currency] for currency in ASIAN}
        group = MarketGroup.ASIA if asian else MarketGroup.G10
        return MarketSpec(market=known.symbol, kind=known.kind, group=group, areas=(known.symbol,))
    return MarketSpec(
        market=known.symbol,
        kind=MarketKind.STOCK,
        group=MarketGroup.STOCKS,
        digits=STOCK_DIGITS,
    )
