"""The server `knowledge` with faults on its wire, for tests of what asks it.

    python -m tests.support.knowledge.faulty_server [--http PORT] [--corpus DIR]
        [--latency [MS|MIN-MAX]] [--error-rate RATE] [--error-kinds KIND,...] [--fault-seed N]
        [--faults-tool]

`--faults-tool` offers `set_faults`, which changes all of this while it runs, and `get_faults`,
which counts calls received and handled by tool, and faults by kind.
"""

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from mcp.server import MCPServer

from desk.sources.knowledge.files import CORPUS_DIR
from desk.sources.knowledge.server import INSTRUCTIONS, offering_tools, parsed, server_parser
from desk.sources.serving.command_line import run
from tests.support.knowledge.faults import Faults, FaultTools, add_fault_options, faults_of
from tests.support.knowledge.faulty_wires import HttpFaults, faults_over_stdio

MODULE = "tests.support.knowledge.faulty_server"


class FaultyServer(MCPServer[Any]):
    """A server whose calls over HTTP have the faults that it is given, if it is given any."""

    faults: Faults | None = None

    def streamable_http_app(self, *arguments: Any, **options: Any) -> Any:
        """The application of the SDK, behind the faults."""
        application = super().streamable_http_app(*arguments, **options)
        if self.faults is not None:
            application.add_middleware(HttpFaults, faults=self.faults)
        return application


def build_faulty_server(
    faults: Faults | None, corpus_dir: Path = CORPUS_DIR, *, faults_tool: bool = False
) -> MCPServer[Any]:
    """The server with faults over HTTP; `faults_tool` offers the tools that change them."""
    server = FaultyServer("knowledge", instructions=INSTRUCTIONS, log_level="WARNING")
    server.faults = faults
    offering_tools(server, corpus_dir)
    if faults is not None and faults_tool:
        FaultTools(faults).offer(server)
    return server


def main(argv: list[str] | None = None) -> int:
    """Run the server as the command line says; gives the exit status."""
    parser = server_parser(MODULE)
    add_fault_options(parser)
    arguments = parsed(parser, argv)
    faults = faults_of(arguments)
    server = build_faulty_server(faults, arguments.corpus, faults_tool=arguments.faults_tool)
    filtered = faults is not None and arguments.http is None
    with faults_over_stdio(faults) if faults and filtered else nullcontext():
        return run(server, arguments)


if __name__ == "__main__":
    sys.exit(main())
