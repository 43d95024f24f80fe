"""Tools as a model is told of them, and its calls as the desk makes them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue

from desk.contracts.agents.capabilities import ADDED_BY_THE_DESK
from desk.contracts.agents.tools import MAX_CALLS_A_TURN, ToolCall, ToolSpec
from desk.contracts.agents.turns import TurnRequest

_NO_SIGN_OF_A_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]")
_PARAMETER: Final = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_NOT_AT_THE_TOP: Final = frozenset({"anyOf", "oneOf", "allOf"})
LONGEST_NAME: Final = 128
UNKNOWN: Final = "unknown"
"""The server of a tool that was never offered: it is on nobody's list."""


def name_of(spec: ToolSpec) -> str:
    """`server__tool`, in the signs that the Messages API allows."""
    return _NO_SIGN_OF_A_NAME.sub("_", f"{spec.server}__{spec.tool}")[:LONGEST_NAME]


def described(specs: Iterable[ToolSpec]) -> tuple[JsonValue, ...]:
    """The tools in a stable order, each once; last those that are to be. Descriptions and schemas
    are the servers' words."""
    named = sorted(_by_name(specs).items(), key=lambda item: (item[1].last, item[0]))
    return tuple(
        {
            "name": name,
            "description": f"From the source {spec.server}: {spec.description}".strip(),
            "input_schema": _schema(spec.input_schema),
        }
        for name, spec in named
    )


def calls_in(request: TurnRequest, content: Sequence[JsonValue]) -> tuple[ToolCall, ...]:
    """The calls that an answer asks for, at most as many as a turn may have, in its order."""
    offered = _by_name(request.tools)
    turn = sum(bool(exchange.said) for exchange in request.exchanges) + 1
    return tuple(
        _call(request, offered, block, f"{turn}.{number}")
        for number, block in enumerate(asked_for(content)[:MAX_CALLS_A_TURN], start=1)
    )


def asked_for(content: Sequence[JsonValue]) -> list[Mapping[str, Any]]:
    """The blocks of an answer that ask for a tool."""
    return [b for b in content if isinstance(b, dict) and b.get("type") == "tool_use"]


def _by_name(specs: Iterable[ToolSpec]) -> dict[str, ToolSpec]:
    """The tools by the names that a model knows them by, whatever order they come in. Where two
    would have the same name, the later by server and tool has a number in it."""
    each = {(spec.server, spec.tool): spec for spec in specs}
    named: dict[str, ToolSpec] = {}
    for _, spec in sorted(each.items()):
        name, number = name_of(spec), 1
        while name in named:
            number += 1
            name = f"{name_of(spec)[: LONGEST_NAME - 4]}_{number}"
        named[name] = spec
    return named


def _schema(given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """A server's schema as the Messages API takes it: one that it does not take would fail every
    call that the tool is described in."""
    named = given.get("properties", {})
    if not isinstance(named, dict) or not all(map(_PARAMETER.fullmatch, named)):
        return {"type": "object"}
    kept = {name: value for name, value in given.items() if name not in _NOT_AT_THE_TOP}
    return {**kept, "type": "object"}


def _call(
    request: TurnRequest, offered: Mapping[str, ToolSpec], block: Mapping[str, Any], place: str
) -> ToolCall:
    spec = offered.get(str(block.get("name")))
    server, tool = (spec.server, spec.tool) if spec else (UNKNOWN, str(block.get("name"))[:100])
    given = block.get("input")
    arguments = given if isinstance(given, dict) else {}
    return ToolCall(
        call_id=f"{request.assignment.task_id}/{_NO_SIGN_OF_A_NAME.sub('_', tool)[:60]}.{place}",
        server=server,
        tool=tool,
        arguments={k: value for k, value in arguments.items() if k != ADDED_BY_THE_DESK},
    )
