"""An MCP server as anyone's: text without structure, and failures in every way there is.

`python -m tests.support.sources.foreign_server [ANYTHING ...]`, with `--begun FILE`, `--while FILE`
and `--http PORT` as it likes.
"""

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path

from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

RAMBLE = 60_000


def build_foreign_server(begun: Path | None = None, held: Path | None = None) -> MCPServer:
    """Every call of `slow` adds a byte to `begun`, and waits while there is a file `held`."""
    server = MCPServer("foreign", log_level="CRITICAL")

    def surroundings() -> str:
        seen = {"environment": dict(os.environ), "cwd": str(Path.cwd()), "args": sys.argv[1:]}
        return json.dumps(seen)

    def apologise() -> str:
        return "Error: no such ticker"

    def refuse() -> str:
        raise ToolError(f"the key {os.environ.get('FOREIGN_KEY')} is not known")

    def fail() -> str:
        raise MCPError(-32603, "Internal error: the feed is down")

    def fail_as_if_closed() -> str:
        raise MCPError(-32000, "Server error")

    def ramble() -> str:
        return "well " * (RAMBLE // 5)

    def mumble() -> str:
        return "The rate\x00 was held.\nSo it was."

    async def slow(number: int) -> str:
        if begun is not None:
            with begun.open("ab") as file:
                file.write(b".")
        while held is not None and held.exists():
            await asyncio.sleep(0.02)
        return f"slow {number}"

    for tool in (surroundings, apologise, refuse, fail, fail_as_if_closed, ramble, mumble, slow):
        server.add_tool(tool, structured_output=False)
    server.add_tool(apologise, name="apologise_with_structure", structured_output=True)
    return server


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--begun", type=Path)
    parser.add_argument("--while", type=Path, dest="held")
    parser.add_argument("--http", type=int)
    options, _ = parser.parse_known_args()
    server = build_foreign_server(options.begun, options.held)
    if options.http:
        server.run("streamable-http", host="127.0.0.1", port=options.http, json_response=True)
    else:
        server.run()


if __name__ == "__main__":
    main()
