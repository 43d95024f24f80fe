"""One of our MCP servers, every call of which takes longer: `python -m ... MODULE MS [OPTION ...]`.

The latency is that of a source that is far away: calls wait side by side.
"""

import asyncio
import importlib
import sys
from typing import Any

from mcp.server import MCPServer


def slow_down(seconds: float) -> None:
    """Have every call of a tool wait first."""
    call_tool = MCPServer.call_tool

    async def late_call(server: MCPServer[Any], *call: Any, **options: Any) -> Any:
        await asyncio.sleep(seconds)
        return await call_tool(server, *call, **options)

    MCPServer.call_tool = late_call  # type: ignore[method-assign, assignment]


def main(module: str, milliseconds: str, *options: str) -> int:
    """Serve as the module does, only later."""
    slow_down(int(milliseconds) / 1_000)
    served: int = importlib.import_module(module).main(list(options))
    return served


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
