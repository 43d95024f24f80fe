"""Runs an analysis of a market's prices, or answers why there is none."""

from collections.abc import Callable
from datetime import datetime

from mcp.server.mcpserver.exceptions import ToolError

from desk.analytics.technical.measures import NotInstalled
from desk.analytics.technical.series import NoPrices, NoPricesThen, PriceSeries, without_gaps
from desk.contracts.episode.analysis import Analysis
from desk.sources.analysis.prices import PriceStore


def analysed(
    prices: PriceStore,
    symbol: str,
    as_of: datetime,
    analyse: Callable[[PriceSeries], Analysis],
    *,
    however_old: bool = False,
) -> Analysis:
    """The result of `analyse` for a market's prices. An answer without figures if no price was
    known, or none was current, unless the newest is wanted `however_old` it is.

    Raises:
        ToolError: there are no such prices at all, or the package with them is not installed.
    """
    try:
        if however_old:
            return analyse(without_gaps(prices.history(symbol, as_of)))
        return analyse(prices.series(symbol, as_of))
    except NoPricesThen as nothing:
        return Analysis(
            as_of=as_of,
            source=nothing.source,
            symbol=symbol,
            method="Nothing was computed.",
            ends_on=nothing.ends_on,
            missing=(f"{nothing}.",),
        )
    except (NoPrices, NotInstalled) as error:
        raise ToolError(f"{error}.") from error
