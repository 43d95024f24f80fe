"""Generated markets: each is a copy of a configured pair, with a currency that does not exist."""

from collections.abc import Mapping, Sequence
from itertools import product
from string import ascii_uppercase
from typing import Final

from desk.contracts.agents.config import MOST_MARKETS
from desk.contracts.markets import MarketSpec

BASE: Final = "USD/"
"""The pairs that are copied; what a copy changes is the other currency."""

WITHOUT_A_SOURCE: Final = frozenset({"USD/TWD"})
"""What no packaged source publishes; its copies would be gaps in every report."""

CODES: Final = tuple(map("".join, product("QXYZ", ascii_uppercase, ascii_uppercase)))
"""The currencies of the copies."""


def templates(configured: Sequence[MarketSpec]) -> tuple[MarketSpec, ...]:
    """The configured pairs that are copied."""
    return tuple(
        spec
        for spec in configured
        if spec.market.startswith(BASE) and spec.market not in WITHOUT_A_SOURCE
    )


def generated(count: int, configured: Sequence[MarketSpec]) -> tuple[MarketSpec, ...]:
    """So many markets, all different, copied from the templates in turn."""
    copied = templates(configured)
    return tuple(
        copied[number % len(copied)].model_copy(update={"market": BASE + CODES[number]})
        for number in range(count)
    )


def currencies(configured: Sequence[MarketSpec]) -> Mapping[str, str]:
    """For each generated currency the one of its template."""
    copied = [spec.market.removeprefix(BASE) for spec in templates(configured)]
    return {code: copied[number % len(copied)] for number, code in enumerate(CODES)}


def runs_of(markets: Sequence[MarketSpec]) -> list[Sequence[MarketSpec]]:
    """The markets of each run: as few runs as can be."""
    return [markets[at : at + MOST_MARKETS] for at in range(0, len(markets), MOST_MARKETS)]
