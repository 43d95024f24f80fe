"""How a swarm names and describes markets."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from desk.analytics.names.spoken import GROUPS_CALLED
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
"""The area of the central bank that issues a currency, for those whose policy rates the desk has.
A pair with another currency has no areas, and so no differential."""

ASIAN: Final = frozenset({"CNY", "HKD", "IDR", "INR", "KRW", "MYR", "PHP", "SGD", "THB", "TWD"})
"""A pair with one of these is counted to Asia; the yen is of the G10."""

DIGITS: Final[Mapping[str, int]] = MappingProxyType(
    {"JPY": 2, "KRW": 2, "HUF": 2, "ISK": 2, "IDR": 0, "THB": 3, "PHP": 3, "TWD": 3}
)
"""Decimals of a level in these quote currencies; in all others four."""

STOCK_DIGITS: Final = 2


def market_of_symbol(known: KnownSymbol, covered: Iterable[MarketSpec]) -> MarketSpec:
    """The market as the desk covers it, or else as its symbol describes it."""
    for market in covered:
        if (market.market, market.kind) == (known.symbol, known.kind):
            return market
    return _pair(known.symbol) if known.kind is MarketKind.PAIR else _other(known)


def pair_by_name(symbol: str) -> MarketSpec:
    """A pair that the desk does not cover, as its name tells: the decimals of its quote currency,
    and the areas of both banks where the desk knows them."""
    return _pair(symbol)


def areas_of_pair(pair: str) -> tuple[AreaCode | None, ...]:
    """The areas of the central banks that issue a pair's currencies, None where the desk knows
    none."""
    return tuple(AREAS.get(currency) for currency in pair.split("/"))


@cache
def group_called(group: str) -> re.Pattern[str]:
    """Where a text names a group of markets: by its name, a word derived from that, such as Asian,
    or as the market calls it."""
    names = "|".join(map(re.escape, GROUPS_CALLED.get(group, ())))
    return re.compile(
        rf"\b(?:{names}{'|' if names else ''}{re.escape(group)}[a-z]?)\b", re.IGNORECASE
    )


def spoken(market: str) -> str:
    """A market as prose may name it: one with digits in its symbol goes without, because digits in
    prose are taken for figures."""
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
