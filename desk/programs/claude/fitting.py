"""Which tools can have data on a task's market, and the message for a model that names another
tool."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from difflib import get_close_matches
from typing import Final

from desk.analytics.prices.pegs import peg_known, pegs_of
from desk.contracts.agents.capabilities import USUAL_CAPABILITY, Capability
from desk.contracts.agents.tools import ToolSpec
from desk.contracts.markets import MarketKind, MarketSpec

OF_COMPANIES: Final = frozenset(
    {
        *(Capability.FUNDAMENTALS, Capability.EARNINGS, Capability.QUARTERS),
        *(Capability.RATINGS, Capability.CHART_PATTERNS),
    }
)
"""Capabilities that only cover stocks: accounts, analysts' opinions, and candle patterns, which
need a day's open, high and low."""

NO_SUCH_TOOL: Final = "no tool of that name is offered here"
NEAREST: Final = 3
_ALIKE: Final = 0.4


def why_unfit(server: str, tool: str, market: MarketSpec | None, as_of: datetime) -> str | None:
    """Returns why a tool cannot have data on a market, by the kind of the market and the desk's
    table of pegs. Returns None if it can, and for a task without a market."""
    capability = USUAL_CAPABILITY.get((server, tool))
    if market is None or capability is None:
        return None
    if capability in OF_COMPANIES and market.kind is not MarketKind.STOCK:
        return f"it only covers companies, and {market.market} is not one"
    if capability is Capability.PEG_BAND and not _is_pegged(market, as_of):
        return f"no band is known in which an authority holds {market.market} or its currencies"
    return None


def fitting(
    specs: Iterable[ToolSpec], market: MarketSpec | None, as_of: datetime
) -> Iterator[ToolSpec]:
    """Yields the tools that can have data on a market."""
    return (spec for spec in specs if why_unfit(spec.server, spec.tool, market, as_of) is None)


def not_on_offer(name: str, offered: Iterable[str], reasons: Mapping[str, str]) -> str:
    """The message for a model that named a tool which it is not offered: why, if that is known, and
    the nearest names among those offered. Does not repeat the model's own text."""
    why = f"{name} is not offered here: {reasons[name]}" if name in reasons else NO_SUCH_TOOL
    names = sorted(offered)
    near = get_close_matches(name, names, n=NEAREST, cutoff=_ALIKE) or names[:NEAREST]
    return f"{why}; nearest are {', '.join(near)}" if names else f"{why}, and no other tool is"


def _is_pegged(market: MarketSpec, as_of: datetime) -> bool:
    """Returns whether a band of the pair, or of one of its currencies, had been announced by an
    instant."""
    if market.kind is not MarketKind.PAIR:
        return False
    held = pegs_of(set(market.market.split("/")))
    return any(peg_known(pair, as_of) is not None for pair in held)
