"""An MCP server that does not keep its own schema."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

from mcp.server import Server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent, Tool

SLOW_SECONDS = 0.6


def build_server(*, cache_dir: Path | None = None, refresh_every: timedelta | None = None) -> Any:
    """`lie` promises a number and returns a text; `mumble` returns no structured content.

    `slow` takes `SLOW_SECONDS`; `tell` returns how often the server was told to refresh,
    and `given` the names of the arguments that it was called with.
    """

    async def tools(context: object, params: object) -> ListToolsResult:
        schema = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}
        anything = {"type": "object"}
        return ListToolsResult(
            tools=[
                Tool(name="lie", input_schema=anything, output_schema=schema),
                Tool(name="mumble", input_schema=anything),
                Tool(name="slow", input_schema=anything),
                Tool(name="tell", input_schema=anything),
                Tool(name="given", input_schema=anything),
            ]
        )

    async def call(context: object, params: CallToolRequestParams) -> CallToolResult:
        text = [TextContent(text="well, you see")]
        if params.name == "lie":
            return CallToolResult(content=text, structured_content={"n": "many"})
        if params.name == "slow":
            await asyncio.sleep(SLOW_SECONDS)
        if params.name == "given":
            names = sorted(params.arguments or {})
            return CallToolResult(content=text, structured_content={"given": names})
        if params.name == "tell":
            return CallToolResult(content=[TextContent(text=str(refresh_every))])
        return CallToolResult(content=text)

    return Server("lying", on_list_tools=tools, on_call_tool=call)
