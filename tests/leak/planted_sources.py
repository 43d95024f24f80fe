"""The desk's own MCP servers on the files of a world, which lies in the home's cache."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

from mcp.server import MCPServer

from desk.sources.central_banks import server as central_banks
from desk.sources.ecb import server as ecb
from desk.sources.statistics import server as official_statistics
from tests.leak.worlds import RATES_FILE

WORLD = "world"
"""The folder of the world within the cache."""

Built = Callable[..., "MCPServer[Any]"]


def source(name: str, build: Built) -> ModuleType:
    """A module that `.mcp.json` can name to have a server run in this process."""
    module = ModuleType(name)
    module.build_server = build  # type: ignore[attr-defined]
    return module


def ecb_source(cache_dir: Path, refresh_every: timedelta | None) -> "MCPServer[Any]":
    """The fixings of the world."""
    return ecb.build_server(packaged=cache_dir / WORLD / RATES_FILE)


def central_banks_source(cache_dir: Path, refresh_every: timedelta | None) -> "MCPServer[Any]":
    """The decisions of the world."""
    return central_banks.build_server(facts_dir=cache_dir / WORLD / "facts")


def official_statistics_source(
    cache_dir: Path, refresh_every: timedelta | None
) -> "MCPServer[Any]":
    """The statistics of the world."""
    return official_statistics.build_server(facts_dir=cache_dir / WORLD / "facts")


SOURCES = {
    f"{__name__}.{name}": source(f"{__name__}.{name}", build)
    for name, build in (
        ("ecb", ecb_source),
        ("central_banks", central_banks_source),
        ("official_statistics", official_statistics_source),
    )
}
"""By the name of the module, for `sys.modules`."""
