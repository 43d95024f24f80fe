"""A run with live sources, of which one cannot be reached."""

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.tools import REACH_TOOL
from desk.platform.mcp.tool_calling import ToolAnswer

SERVERS: Final = ("ecb", "central_banks", "official_statistics")
LIVE: Final = ("bank_feeds", "google_news")
SINCE: Final = "2026-11-01T08:00:00Z"
REASON: Final = "it did not answer within 2 seconds"


def with_live_sources(config: RunConfig) -> RunConfig:
    """The configuration of a desk whose `.mcp.json` names live sources as well."""
    policy = config.policy.model_copy(update={"sources": (*SERVERS, *LIVE)})
    return config.model_copy(update={"policy": policy})


def only_google_is_out_of_reach(
    server: str, tool: str, arguments: Mapping[str, JsonValue]
) -> ToolAnswer | None:
    """What sources say of whether they can be reached; nothing of other calls."""
    if tool != REACH_TOOL:
        return None
    if server == "google_news":
        return ToolAnswer(content={"reachable": False, "since": SINCE, "reason": REASON})
    return ToolAnswer(content={"reachable": True})
