"""Cleans and bounds what an MCP server sends: results, tool listings and messages.

All of it is text from outside, and is only data to its readers.

Servers report a failure in three ways: a result that is marked as an error; ordinary text that
begins with `Error:`; or a failed request, which the pool sees as an exception.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final

from mcp import Client
from mcp_types import CallToolResult, TextContent, Tool
from pydantic import JsonValue
from pydantic_core import from_json

from desk.analytics.names.shortening import shortened
from desk.contracts.agents.capabilities import ADDED_BY_THE_DESK, REGISTERED_FOR, Capability
from desk.contracts.agents.tools import KEPT_ANSWER, ToolSpec
from desk.platform.mcp.redaction import NO_SECRETS, Redaction
from desk.platform.mcp.tool_calling import ToolAnswer

LONGEST_TEXT: Final = 50_000
"""The limit for unstructured text, in characters, because an agent reads it as a whole."""

_ERROR: Final = re.compile(r"\s*error:", re.IGNORECASE)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def answer_of(result: CallToolResult, redaction: Redaction = NO_SECRETS) -> ToolAnswer:
    """Converts a result to an answer, without secrets and control characters. Structured content is
    returned unchanged. Text is parsed if it is a JSON object or list, and otherwise becomes
    `{"text": ...}`, with `"cut": true` if it was longer than `LONGEST_TEXT`. Text that the server
    has wrapped as structured content is treated as text if it is a JSON object or list."""
    parts = (part.text for part in result.content if isinstance(part, TextContent))
    text = redaction.text(" ".join(parts))
    if result.is_error:
        return ToolAnswer(refusal=text.strip() or "refused without a reason")
    structured: JsonValue = redaction.value(result.structured_content)
    # Servers wrap the text of a tool that returns text in this object.
    if _ERROR.match(text) and structured in (None, {"result": text}):
        return ToolAnswer(refusal=text.strip())
    content = _of_text(text) if structured is None else _unwrapped(structured, text)
    # Text that was JSON may contain escaped forms of a secret.
    content = _visible(redaction.value(content))
    return ToolAnswer(content=content, kept=(result.meta or {}).get(KEPT_ANSWER) is True)


def _unwrapped(structured: JsonValue, text: str) -> JsonValue:
    parsed = _parsed(text) if structured == {"result": text} else None
    return structured if parsed is None else parsed


def _of_text(text: str) -> JsonValue:
    parsed = _parsed(text)
    if parsed is not None:
        return parsed
    kept = text[:LONGEST_TEXT]
    return {"text": kept, "cut": True} if len(text) > LONGEST_TEXT else {"text": kept}


def _visible(value: JsonValue) -> JsonValue:
    """Replaces each control character in the value's texts by a space, field names included. Keeps
    line ends and tabs."""
    if isinstance(value, str):
        return _CONTROL.sub(" ", value)
    if isinstance(value, list):
        return [_visible(each) for each in value]
    if isinstance(value, dict):
        return {_CONTROL.sub(" ", name): _visible(each) for name, each in value.items()}
    return value


def _parsed(text: str) -> JsonValue:
    """Parses text that is a JSON object or list. None if it is neither."""
    try:
        parsed: JsonValue = from_json(text, allow_inf_nan=False)
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict | list) else None


MOST_TOOLS: Final = 200
MOST_PAGES: Final = 20
LONGEST_NAME: Final = 200
LONGEST_DESCRIPTION: Final = 4_000
LONGEST_SCHEMA: Final = 10_000
"""Characters of JSON. A longer schema is replaced by an empty one."""

_CONTROL_OR_RETURN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


async def offered_tools(client: Client) -> tuple[Tool, ...]:
    """Lists the server's tools as of now, from at most `MOST_PAGES` pages.

    Raises:
        MCPError: the server answered with an error.
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


def tools_without_as_of(tools: Iterable[Tool]) -> frozenset[str]:
    """The names of the tools that take no `as_of` argument and answer as of now."""
    return frozenset(
        tool.name
        for tool in tools
        if ADDED_BY_THE_DESK not in (tool.input_schema.get("properties") or {})
    )


def specs_of(
    server: str, tools: tuple[Tool, ...], redaction: Redaction = NO_SECRETS
) -> tuple[ToolSpec, ...]:
    """The first `MOST_TOOLS` tools by name, each once, without secrets. Omits a tool whose name is
    not usable or contains a secret."""
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
        capability=_registered(tool),
    )


def _registered(tool: Tool) -> Capability | None:
    """The capability that a tool is registered for. None if it names no known capability."""
    named = (tool.meta or {}).get(REGISTERED_FOR)
    return next((capability for capability in Capability if capability == named), None)


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
    """Cleans every text in the value, field names included."""
    if isinstance(value, str):
        return _clean(value, redaction)
    if isinstance(value, list):
        return [_cleaned(each, redaction) for each in value]
    if isinstance(value, dict):
        return {_clean(name, redaction): _cleaned(each, redaction) for name, each in value.items()}
    return value


def _clean(text: str, redaction: Redaction) -> str:
    """Removes secrets, and control characters other than tab and line feed."""
    shown = redaction.text(text)[: 4 * LONGEST_DESCRIPTION]
    return _CONTROL_OR_RETURN.sub(" ", shown).strip()


LONGEST_MESSAGE: Final = 2_000


def message_line(text: str, redaction: Redaction = NO_SECRETS) -> str:
    """Makes one printable line of at most `LONGEST_MESSAGE` characters, without secrets, because
    servers repeat a key that they do not accept."""
    shown = redaction.text(text)
    line = " ".join(_printable(shown[: 4 * LONGEST_MESSAGE]).split())
    return shortened(line, LONGEST_MESSAGE)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
