"""The markets the desk covers: currency pairs, the policy rates of areas, and stocks."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from desk.contracts.base import Contract, Figure, ShortText

PAIR_PATTERN = r"^[A-Z]{3}/[A-Z]{3}$"
AREA_PATTERN = r"^[A-Z]{2}$"

PairSymbol = Annotated[str, Field(pattern=PAIR_PATTERN)]
"""`USD/JPY`: units of the second currency for one unit of the first."""

AreaCode = Annotated[str, Field(pattern=AREA_PATTERN)]
"""`JP`: the area of one central bank; `XM` is the euro area, as the BIS writes it."""

STOCK_PATTERN = r"^[A-Z^][A-Z0-9.^=-]{0,14}$"

StockSymbol = Annotated[str, Field(pattern=STOCK_PATTERN)]
"""`NVDA`, or an index such as `^GSPC`, as Yahoo Finance writes them."""

MarketName = Annotated[str, Field(pattern=r"^([A-Z]{3}/[A-Z]{3}|[A-Z^][A-Z0-9.^=-]{0,14})$")]
"""A pair, an area or a stock's symbol. Whether a name of two letters is an area or a stock is in
its spec."""


class MarketKind(StrEnum):
    """The kinds of markets."""

    PAIR = "pair"
    POLICY_RATE = "policy_rate"
    STOCK = "stock"


class MarketGroup(StrEnum):
    """The two halves of the weekly report, and the markets that are researched only on request."""

    G10 = "G10"
    ASIA = "Asia"
    STOCKS = "Stocks"


class Band(Contract):
    """The band within which an authority keeps a pegged pair."""

    low: Figure
    high: Figure
    authority: ShortText


class MarketSpec(Contract):
    """One market, as `desk.toml` or a plan describes it.

    `digits`: decimals of a printed level (not of policy rates). `areas`: the areas whose policy
    rates matter for it, base currency first for a pair; for a policy rate the area itself, followed
    by the area it is compared with, if that is not the desk's base area.
    """

    market: MarketName
    kind: MarketKind
    group: MarketGroup
    areas: Annotated[tuple[AreaCode, ...], Field(max_length=2)] = ()
    digits: Annotated[int, Field(ge=0, le=8)] = 4
    band: Band | None = None
    priority: Annotated[int, Field(ge=1, le=5)] = 3
