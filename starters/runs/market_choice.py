"""`--markets`: a subset of the configured markets, and the name of its run."""

import hashlib
from collections.abc import Sequence

from desk.analytics.names.nearest import nearest
from desk.contracts.agents.config import RunConfig
from starters.terminal.exit_status import UsageError

MOST_NAMED = 3
FIRST_NAMED = 2
"""How many markets are named if there are more than `MOST_NAMED`."""

HASH_DIGITS = 8


def chosen_markets(config: RunConfig, written: str | None) -> tuple[RunConfig, str | None]:
    """Returns the configuration with the chosen markets, and the subset's name (None for all
    markets).

    Markets are separated by commas and keep their configured order, so that the same choice in
    another order is the same run.

    Raises:
        UsageError: a market is unknown, or none was named.
    """
    if written is None:
        return config, None
    wanted = {known_market(config, name) for name in written.split(",") if name.strip()}
    if not wanted:
        raise UsageError("--markets names no market; such as --markets USD/JPY,EUR/USD")
    markets = tuple(spec for spec in config.markets if spec.market in wanted)
    if len(markets) == len(config.markets):
        return config, None
    narrowed = config.model_copy(update={"markets": markets})
    return narrowed, subset_name(narrowed.market_names)


def known_market(config: RunConfig, written: str) -> str:
    """Returns the configured market for what was typed: `usdjpy` and `USD-JPY` are `USD/JPY`.

    Raises:
        UsageError: there is no such market; the message lists the nearest names.
    """
    names = {_key(name): name for name in config.market_names}
    found = names.get(_key(written))
    if found is None:
        near = ", ".join(nearest(written, config.market_names))
        raise UsageError(f"no market '{written.strip()}'; nearest: {near} (desk.toml lists all)")
    return found


def subset_name(markets: Sequence[str]) -> str:
    """A name for a run of some markets, such as `usdjpy-jp` or `eurusd-usdjpy-and-2-more-3aa774e7`.
    It can be part of an id and of a file name."""
    if len(markets) <= MOST_NAMED:
        return "-".join(_key(name) for name in markets)
    digest = hashlib.sha256(",".join(markets).encode()).hexdigest()[:HASH_DIGITS]
    first = "-".join(_key(name) for name in markets[:FIRST_NAMED])
    return f"{first}-and-{len(markets) - FIRST_NAMED}-more-{digest}"


def _key(name: str) -> str:
    return name.strip().lower().replace("/", "").replace("-", "")
