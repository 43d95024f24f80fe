"""An MCP server that does not keep its own schema."""

from pathlib import Path
from typing import Any

from mcp.server import Server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent, Tool


def build_server(*, cache_dir: Path | None = None) -> Any:
    """`lie` promises a number and returns a text; `mumble` returns no structured content."""

    async def tools(context: object, params: object) -> ListToolsResult:
        schema = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}
        anything = {"type": "object"}
        return ListToolsResult(
            tools=[
                Tool(name="lie", input_schema=anything, output_schema=schema),
                Tool(name="mumble", input_schema=anything),
            ]
        )

    async def call(context: object, params: CallToolRequestParams) -> CallToolResult:
        text = [TextContent(text="well, you see")]
        if params.name == "lie":
            return CallToolResult(content=text, structured_content={"n": "many"})
        return CallToolResult(content=text)

    return Server("lying", on_list_tools=tools, on_call_tool=call)
