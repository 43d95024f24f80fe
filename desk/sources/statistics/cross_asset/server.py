"""MCP server `cross_asset`: yields, a dollar index, oil and stocks, as context of a currency's
move."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from desk.contracts.agents.tools import Reachability, SourceTier
from desk.contracts.findings.source_results import AssetSeries, Yields
from desk.contracts.findings.sources import NetworkUse, SourceDescription
from desk.sources.ecb.rates import DamagedRatesFile
from desk.sources.ecb.store import RatesStore
from desk.sources.serving.arguments import (
    Areas,
    AsOf,
    Day,
    DeskServer,
    require_areas,
    require_order,
)
from desk.sources.serving.command_line import (
    READS_ONLY,
    add_addresses,
    refreshing_parser,
    serve_or_refresh,
)
from desk.sources.serving.kept_file import KeptFile
from desk.sources.serving.upkeep import upkeep_of
from desk.sources.statistics.cross_asset.answers import CrossAssets, dollar_series
from desk.sources.statistics.cross_asset.publishers import KEYS

UNITS: Mapping[str, str] = {
    "wti": "US dollars a barrel",
    "brent": "US dollars a barrel",
    "sp500": "index",
}
LONGEST = timedelta(days=800)
NO_YIELDS = "no yields were fetched, which needs a network"

Asset = Annotated[
    Literal["dollar_index", "wti", "brent", "sp500"],
    Field(description="dollar_index, wti and brent (crude oil, US dollars a barrel), or sp500"),
]


class CrossAssetTools:
    """The tools of the server. Each answers only with what had been published by `as_of`."""

    def __init__(self, assets: CrossAssets, store: RatesStore) -> None:
        """`store` has the reference rates that the dollar index is computed from."""
        self._assets = assets
        self._store = store

    def get_yields(self, areas: Areas, start: Day, end: Day, as_of: AsOf) -> Yields:
        """Two- and ten-year government bond yields from start to end, percent a year.

        US (Treasury par yields), XM (the ECB's AAA curve, spot), JP, CA, AU, and GB (ten years
        only). Areas have different curves: compare changes of yields rather than levels. XM and GB
        also come with another publisher's series, for comparison.
        """
        require_areas(areas)
        self._require_range(start, end)
        return self._assets.yields(areas, start, end, as_of)

    def get_asset(self, name: Asset, start: Day, end: Day, as_of: AsOf) -> AssetSeries:
        """Daily values from start to end of a dollar index, crude oil or the S&P 500.

        The dollar index is computed from the ECB's reference rates with ICE's weights; it is close
        to the traded index but not the same. Oil prices come a week late.
        """
        self._require_range(start, end)
        if name == "dollar_index":
            try:
                return dollar_series(self._store.as_of(as_of), start, end, as_of)
            except DamagedRatesFile as error:
                raise ToolError(str(error)) from error
        return self._assets.series(name, UNITS[name], start, end, as_of)

    def check_reachable(self) -> Reachability:
        """Which tools have something to answer from: yields are only in files that were fetched.
        The dollar index always has the reference rates."""
        if self._assets.holds_yields():
            return Reachability(reachable=True)
        return Reachability(reachable=True, silent=(self.get_yields.__name__,), reason=NO_YIELDS)

    def _require_range(self, start: Day, end: Day) -> None:
        require_order(start, end)
        if end - start > LONGEST:
            raise ToolError(f"ask for at most {LONGEST.days} days, not {(end - start).days}")


DESCRIPTION = SourceDescription(
    server="cross_asset",
    gives="Two- and ten-year government bond yields of the US, the euro area, Japan, Canada and "
    "Australia, ten-year ones of the United Kingdom, a dollar index, crude oil and the S&P 500.",
    origin="Each series' own publisher",
    tiers=(SourceTier.AUTHORITATIVE, SourceTier.DERIVED),
    licence="Free reuse where the publisher is named. The S&P 500 is copyright of S&P Dow Jones "
    "Indices and needs its permission to be passed on.",
    terms="Oil and stocks come by way of FRED, for own use. The dollar index is computed by the "
    "desk with the weights that ICE states, and is no index of ICE.",
    publication="US yields at 18:00 in New York on their day, the others by noon of the next "
    "working day; stocks the next morning, oil on the Thursday of the next week.",
    network=NetworkUse.REFRESHES,
)


def kept_files(args: Sequence[str] = ()) -> tuple[KeptFile, ...]:
    """The files that the server caches when it is started with such arguments."""
    return _assets(None, _parser().parse_args(args).url).files


def build_server(
    cache_dir: Path | None = None,
    *,
    refresh_every: timedelta | None = None,
    addresses: Mapping[str, str] | None = None,
) -> MCPServer:
    """The server, for use in this process or to be run.

    Its files are in `cache_dir`; with `refresh_every` it fetches them by itself, each from its
    provider or from the address that `addresses` gives for its key.
    """
    assets = _assets(cache_dir, addresses)
    tools = CrossAssetTools(assets, RatesStore(cache_dir))
    server = DeskServer(
        "cross_asset",
        instructions="Yields, a dollar index, oil and stocks, as they were known at an instant.",
        log_level="WARNING",
        middleware=upkeep_of(assets.files, cache_dir, refresh_every),
    )
    for tool in (tools.get_yields, tools.get_asset, tools.check_reachable):
        server.add_tool(tool, annotations=READS_ONLY, structured_output=True)
    return server


def from_arguments(
    args: Sequence[str], *, cache_dir: Path | None, refresh_every: timedelta | None
) -> MCPServer:
    """The server as configured in its entry in `.mcp.json`, for use in this process."""
    addresses = _parser().parse_args(args).url
    return build_server(cache_dir, refresh_every=refresh_every, addresses=addresses)


def main(argv: list[str] | None = None) -> int:
    """Runs the server, or refreshes its data, as the command line says. Returns the exit status."""
    return serve_or_refresh(
        _parser(),
        argv,
        lambda given: _assets(None, given.url).files,
        lambda given: build_server(
            given.cache_dir, refresh_every=given.refresh_every, addresses=given.url
        ),
    )


def _assets(cache_dir: Path | None, addresses: Mapping[str, str] | None) -> CrossAssets:
    return CrossAssets(cache_dir, datetime.now(UTC).year, addresses)


def _parser() -> argparse.ArgumentParser:
    parser = refreshing_parser(
        "desk.sources.statistics.cross_asset.server", "Yields, dollar, oil, stocks."
    )
    add_addresses(parser, KEYS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
