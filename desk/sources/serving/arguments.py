"""The arguments that tools share: their types, and the errors about invalid ones."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Annotated, Any, Final, TypeVar

from mcp.server import MCPServer
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp_types import CallToolResult, InputRequiredResult
from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, ValidationError

from desk.contracts.findings.source_results import Month
from desk.contracts.markets import AREA_PATTERN, PAIR_PATTERN

FIRST_YEAR = 1900
LAST_YEAR = 2199

_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_ISO_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


def _iso_instant(value: object) -> object:
    # pydantic parses bare digits as seconds since 1970, which would answer for another time.
    if isinstance(value, datetime) or (isinstance(value, str) and _ISO_DAY.match(value)):
        return value
    raise ValueError("write it as an ISO 8601 instant with offset, such as 2026-11-02T07:00:00Z")


def _iso_day(value: object) -> object:
    if isinstance(value, date) or (isinstance(value, str) and _ISO_DAY.fullmatch(value)):
        return value
    raise ValueError("write it as an ISO 8601 day, such as 2026-10-30")


def _iso_month(value: object) -> object:
    if isinstance(value, str) and _ISO_MONTH.fullmatch(value):
        return value
    raise ValueError("write it as a month, such as 2026-10")


def _within_the_calendar(instant: datetime) -> datetime:
    if FIRST_YEAR <= instant.year <= LAST_YEAR:
        return instant
    raise ValueError(f"the year must lie between {FIRST_YEAR} and {LAST_YEAR}")


AsOf = Annotated[
    AwareDatetime,
    BeforeValidator(_iso_instant),
    AfterValidator(_within_the_calendar),
    Field(
        description="ISO 8601 instant with offset; nothing published later is returned",
        examples=["2026-11-02T07:00:00Z"],
    ),
]
"""The instant that a tool answers for."""

Day = Annotated[date, BeforeValidator(_iso_day), Field(examples=["2026-10-30"])]
"""A calendar day written `2026-10-30`."""

CalendarMonth = Annotated[Month, BeforeValidator(_iso_month), Field(examples=["2026-10"])]
"""A calendar month written `2026-10`."""

Symbol = Annotated[
    str,
    Field(
        description="pair such as USD/JPY: units of the second currency for one of the first",
        examples=["USD/JPY"],
    ),
]
Areas = Annotated[
    list[str],
    Field(
        min_length=1,
        max_length=40,
        description="area codes such as US, JP, XM (euro area)",
        examples=[["US", "JP"]],
    ),
]

_Ordered = TypeVar("_Ordered", date, str)


def currencies_of(symbol: str) -> tuple[str, str]:
    """The two currencies of a pair.

    Raises:
        ToolError: the symbol is not a pair of two currencies.
    """
    if re.fullmatch(PAIR_PATTERN, symbol) is None:
        letters = re.sub(r"[^A-Z]", "", symbol.upper())
        likely = f"{letters[:3]}/{letters[3:]}" if len(letters) == 6 else "USD/JPY"
        raise ToolError(f"{symbol[:40]!r} is not a pair; write it like {likely}")
    base, _, quote = symbol.partition("/")
    if base == quote:
        raise ToolError(f"{symbol!r} pairs a currency with itself; name two currencies")
    return base, quote


def require_areas(areas: list[str]) -> None:
    """Refuses invalid area codes.

    Raises:
        ToolError: one of them is not valid.
    """
    malformed = [code for code in areas if re.fullmatch(AREA_PATTERN, code) is None]
    if malformed:
        raise ToolError(f"{malformed[0][:40]!r} is not an area code; write it like JP or XM")


def require_order(start: _Ordered, end: _Ordered | None) -> None:
    """Refuses a reversed range.

    Raises:
        ToolError: `end` lies before `start`.
    """
    if end is not None and end < start:
        raise ToolError(f"end {end} lies before start {start}; swap them")


class DeskServer(MCPServer[Any]):
    """A server of the desk. For each invalid argument it says in a sentence what is wrong and what
    would be right, instead of the validator's own text."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """See `MCPServer.call_tool`."""
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError:
            raise
        except ToolError as error:
            wrong = error.__cause__
            if not isinstance(wrong, ValidationError):
                raise
            schemas = {tool.name: tool.input_schema for tool in await self.list_tools()}
            raise ToolError(argument_faults(wrong, schemas.get(name, {}))) from wrong


def argument_faults(error: ValidationError, schema: Mapping[str, Any]) -> str:
    """A sentence for each invalid argument: its name, what is wrong with it, and a valid value if
    the schema has one. The given value is not repeated."""
    properties = schema.get("properties", {})
    by_argument: dict[str, str] = {}
    for fault in error.errors(include_url=False, include_input=False):
        name, *within = map(str, fault["loc"] or ("the arguments",))
        where = f"{name}: " + (f"at {'.'.join(within)} " if within else "")
        # The desk's own messages on how to write an argument contain an example already.
        own = fault["type"] == "value_error"
        example = None if own else _example(properties.get(name, {}))
        right = "" if example is None else f"; right is, for example, {json.dumps(example)}"
        by_argument.setdefault(name, f"{where}{_what_is_wrong(fault)}{right}.")
    return " ".join(by_argument.values())


def _what_is_wrong(fault: Mapping[str, Any]) -> str:
    match fault["type"]:
        case "missing":
            return "it is missing"
        case "extra_forbidden" | "unexpected_keyword_argument":
            return "there is no such argument"
        case "value_error":
            return str(fault.get("ctx", {}).get("error", fault["msg"])).rstrip(".")
        case _:
            words = str(fault["msg"]).rstrip(".").removeprefix("Input ")
            return f"it {words}" if words != fault["msg"] else words


def _example(schema: Mapping[str, Any]) -> object:
    """A valid value of an argument from its schema. None if the schema has none."""
    given = [*schema.get("examples", ()), *schema.get("enum", ())]
    ways = (_example(each) for each in schema.get("anyOf", ()))
    return next((each for each in (*given, *ways, schema.get("default")) if each is not None), None)


AS_OF: Final = "as_of"
_ADDED: Final = "without it, now"


def answer_as_of_now(server: MCPServer[Any]) -> None:
    """Lets the server's tools accept calls without `as_of`, and says so in their schemas.

    It is for an assistant, whose questions are about today unless they say otherwise. The desk
    states the instant in every call, and a server refuses a call without it: a default could be
    later than the run.
    """
    server.middleware.append(_AsOfNow(server))


class _AsOfNow:
    """Fills in the instant before a call is validated."""

    def __init__(self, server: MCPServer[Any]) -> None:
        self._server = server
        self._asking: frozenset[str] | None = None

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        if ctx.method == "tools/call" and ctx.params is not None:
            return await call_next(replace(ctx, params=await self._filled(ctx.params)))
        answer = await call_next(ctx)
        # Here the answer is already in its wire form.
        if ctx.method == "tools/list" and isinstance(answer, dict):
            return {**answer, "tools": [_optional(tool) for tool in answer["tools"]]}
        return answer

    async def _filled(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        given = params.get("arguments") or {}
        if given.get(AS_OF) is not None or params.get("name") not in await self._tools():
            return params
        return {**params, "arguments": {**given, AS_OF: datetime.now(UTC).isoformat()}}

    async def _tools(self) -> frozenset[str]:
        """The names of the tools that take an instant."""
        if self._asking is None:
            listed = await self._server.list_tools()
            self._asking = frozenset(
                tool.name for tool in listed if AS_OF in tool.input_schema.get("properties", {})
            )
        return self._asking


def _optional(tool: dict[str, Any]) -> dict[str, Any]:
    """A listed tool with an optional `as_of`."""
    schema = tool["inputSchema"]
    asked = schema.get("properties", {}).get(AS_OF)
    if asked is None:
        return tool
    description = "; ".join(filter(None, (asked.get("description"), _ADDED)))
    changed = {
        **schema,
        "properties": {**schema["properties"], AS_OF: {**asked, "description": description}},
        "required": [name for name in schema.get("required", ()) if name != AS_OF],
    }
    return {**tool, "inputSchema": changed}
