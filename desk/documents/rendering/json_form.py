"""Writes documents as JSON."""

import json
from typing import Any, Final

_ENCODE: Final = json.JSONEncoder(ensure_ascii=False).encode

INDENT: Final = "  "
WIDTH: Final = 100
WHOLE: Final = frozenset({"content", "days", "values"})
"""Fields written on one line, however long: the sources' answers, and daily series."""

LOST: Final = {"usage": {"lost_calls", "lost_tokens", "lost_usd"}}
"""Fields on what may have been billed for calls whose answers were lost."""

ASKED: Final[dict[str, Any]] = {
    "sources": {"__all__": {"retrieved_at"}},
    "evidence": {"__all__": {"retrieved_at": True, "place": {"workflow_id", "run_id", "event_id"}}},
}
"""Fields on when sources were asked, and the place in Temporal's history."""


def compact_json(value: Any, indent: str = "", *, whole: bool = False) -> str:
    """Returns a JSON value as text. A list or an object that fits on a line is on one line;
    everything else is indented."""
    if whole or not value or not isinstance(value, dict | list):
        return _ENCODE(value)
    deeper = indent + INDENT
    if isinstance(value, list):
        items = [compact_json(item, deeper) for item in value]
    else:
        items = [
            f"{_ENCODE(key)}: {compact_json(item, deeper, whole=key in WHOLE)}"
            for key, item in value.items()
        ]
    opening, closing = "[]" if isinstance(value, list) else "{}"
    line = f"{opening}{', '.join(items)}{closing}"
    if len(line) <= WIDTH - len(indent) and "\n" not in line:
        return line
    inner = f",\n{deeper}".join(items)
    return f"{opening}\n{deeper}{inner}\n{indent}{closing}"
