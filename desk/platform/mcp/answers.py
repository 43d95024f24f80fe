"""What the result of an MCP tool means: content, or a refusal.

Servers report failure in three ways. A result is marked as an error; or it is ordinary text that
begins `Error:`; or the request itself fails, which the pool sees as an exception.
"""

import re
from typing import Final

from mcp_types import CallToolResult, TextContent
from pydantic import JsonValue
from pydantic_core import from_json

from desk.contracts.agents.tools import KEPT_ANSWER
from desk.platform.mcp.tool_calling import ToolAnswer
from desk.platform.telemetry.redaction import NOTHING_SECRET, Redaction

LONGEST_TEXT: Final = 50_000
"""Of text without structure, which an agent reads as a whole."""

_ERROR: Final = re.compile(r"\s*error:", re.IGNORECASE)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def answer_of(result: CallToolResult, redaction: Redaction = NOTHING_SECRET) -> ToolAnswer:
    """The answer, without secrets and control characters: structured content as it is; else text,
    parsed where it is a JSON object or list, and otherwise as `{"text": ...}`, with `"cut": true`
    where it was longer than `LONGEST_TEXT`. A text that the server has wrapped as its
    structure counts as a text where it is a JSON object or list."""
    parts = (part.text for part in result.content if isinstance(part, TextContent))
    text = redaction.text(" ".join(parts))
    if result.is_error:
        return ToolAnswer(refusal=text.strip() or "refused without a reason")
    structured: JsonValue = redaction.value(result.structured_content)
    # Servers wrap the text of a tool that returns text in this object.
    if _ERROR.match(text) and structured in (None, {"result": text}):
        return ToolAnswer(refusal=text.strip())
    content = _of_text(text) if structured is None else _unwrapped(structured, text)
    # A text that was JSON may have been escaped in ways of its own.
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
    """The value with a space for each control character of its texts, the names of fields included;
    line ends and tabs stay."""
    if isinstance(value, str):
        return _CONTROL.sub(" ", value)
    if isinstance(value, list):
        return [_visible(each) for each in value]
    if isinstance(value, dict):
        return {_CONTROL.sub(" ", name): _visible(each) for name, each in value.items()}
    return value


def _parsed(text: str) -> JsonValue:
    """The object or list that a text is; None where it is neither."""
    try:
        parsed: JsonValue = from_json(text, allow_inf_nan=False)
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict | list) else None
