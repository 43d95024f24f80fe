"""The servers of this project under the names that they had before they stood in `desk`."""

from collections.abc import Mapping
from typing import Final

RENAMED: Final[Mapping[str, str]] = {
    "mcp_servers.analysis": "desk.sources.analysis.server",
    "mcp_servers.central_banks": "desk.sources.central_banks.server",
    "mcp_servers.ecb": "desk.sources.ecb.server",
    "mcp_servers.google_news": "desk.sources.news.server",
    "mcp_servers.knowledge": "desk.sources.knowledge.server",
    "mcp_servers.official_statistics": "desk.sources.statistics.server",
    "mcp_servers.reuters": "desk.sources.reuters.server",
    "mcp_servers.sentiment": "desk.sources.sentiment.server",
    "mcp_servers.yahoo_finance": "desk.sources.yahoo.server",
}


def renamed(module: str) -> str:
    """The name that a module has today."""
    return RENAMED.get(module, module)
