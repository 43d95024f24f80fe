"""The tools that an MCP server offers, made fit to be kept: bounded, and its words cleaned.

What a server says of its tools is text from outside. It is data, for whoever reads it.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final

from mcp import Client
from mcp_types import Tool
from pydantic import JsonValue

from desk.contracts.agents.capabilities import ADDED_BY_THE_DESK
from desk.contracts.agents.tools import ToolSpec
from desk.platform.telemetry.redaction import NOTHING_SECRET, Redaction

MOST_TOOLS: Final = 200
MOST_PAGES: Final = 20
LONGEST_NAME: Final = 200
LONGEST_DESCRIPTION: Final = 4_000
LONGEST_SCHEMA: Final = 10_000
"""Characters of JSON; the schema of a tool that takes more to describe is left out."""

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


async def offered_tools(client: Client) -> tuple[Tool, ...]:
    """The server's tools as it lists them now, from at most `MOST_PAGES` pages.

    Raises:
        MCPError: the server gave an error.
    """
    found: list[Tool] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor, cache_mode="bypass")
        found += page.tools
        cursor = page.next_cursor
        if not cursor or len(found) >= MOST_TOOLS:
            break
    return tuple(found)


def timeless(tools: Iterable[Tool]) -> frozenset[str]:
    """The names of the tools that take no instant to answer for, and answer as of now."""
    return frozenset(
        tool.name
        for tool in tools
        if ADDED_BY_THE_DESK not in (tool.input_schema.get("properties") or {})
    )


def specs_of(
    server: str, tools: tuple[Tool, ...], redaction: Redaction = NOTHING_SECRET
) -> tuple[ToolSpec, ...]:
    """The first `MOST_TOOLS` tools by name, each once, without secrets. A tool whose name is no
    usable name, or holds a secret, is left out."""
    named = {
        tool.name: tool
        for tool in reversed(tools)
        if _usable(tool.name) and redaction.text(tool.name) == tool.name
    }
    return tuple(_spec(server, named[name], redaction) for name in sorted(named)[:MOST_TOOLS])


def _usable(name: str) -> bool:
    return bool(name) and len(name) <= LONGEST_NAME and name.isprintable()


def _spec(server: str, tool: Tool, redaction: Redaction) -> ToolSpec:
    return ToolSpec(
        server=server,
        tool=tool.name,
        description=_clean(tool.description or "", redaction)[:LONGEST_DESCRIPTION],
        input_schema=_schema(tool.input_schema, redaction),
    )


def _schema(given: Mapping[str, JsonValue], redaction: Redaction) -> dict[str, JsonValue]:
    try:
        text = json.dumps(_without_desks_own(given), allow_nan=False, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        text = ""
    if not text or len(text) > LONGEST_SCHEMA:
        return {"type": "object"}
    return {
        _clean(name, redaction): _cleaned(value, redaction)
        for name, value in json.loads(text).items()
    }


def _without_desks_own(given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    schema = dict(given)
    properties, required = schema.get("properties"), schema.get("required")
    if isinstance(properties, dict):
        schema["properties"] = {k: v for k, v in properties.items() if k != ADDED_BY_THE_DESK}
    if isinstance(required, list):
        schema["required"] = [name for name in required if name != ADDED_BY_THE_DESK]
    return schema


def _cleaned(value: JsonValue, redaction: Redaction) -> JsonValue:
    """The value with every text in it cleaned, the names of fields included."""
    if isinstance(value, str):
        return _clean(value, redaction)
    if isinstance(value, list):
        return [_cleaned(each, redaction) for each in value]
    if isinstance(value, dict):
        return {_clean(name, redaction): _cleaned(each, redaction) for name, each in value.items()}
    return value


def _clean(text: str, redaction: Redaction) -> str:
    """Without control characters other than tab and line feed, and without secrets."""
    shown = redaction.text(text)[: 4 * LONGEST_DESCRIPTION]
    return _CONTROL.sub(" ", shown).strip()
