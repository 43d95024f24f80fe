"""The argument for one market: a pair, a stock or an area of a central bank."""

import re
from functools import lru_cache
from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from desk.analytics.names.markets import AREAS
from desk.contracts.markets import AREA_PATTERN, PAIR_PATTERN, STOCK_PATTERN

MarketSymbol = Annotated[
    str,
    Field(
        min_length=1,
        max_length=40,
        description="a pair such as USD/JPY, a stock's Yahoo symbol such as NVDA, or a central "
        "bank's area such as JP",
        examples=["USD/JPY"],
    ),
]
"""The market that a tool is asked about."""


@lru_cache(maxsize=1024)
def is_pair(symbol: str) -> bool:
    """Whether a symbol has the form of a pair."""
    return re.fullmatch(PAIR_PATTERN, symbol) is not None


@lru_cache(maxsize=1024)
def areas_of(symbol: str) -> tuple[str | None, ...]:
    """The areas of the central banks that issue a pair's currencies, None for an unknown one; the
    area itself for an area; empty for a stock.

    Raises:
        ToolError: it is not the symbol of a market.
    """
    if is_pair(symbol):
        return tuple(AREAS.get(currency) for currency in symbol.split("/"))
    if re.fullmatch(AREA_PATTERN, symbol) and symbol in AREAS.values():
        return (symbol,)
    if re.fullmatch(STOCK_PATTERN, symbol):
        return ()
    raise ToolError(f"{symbol[:40]!r} is not a market; write it like USD/JPY or NVDA")
