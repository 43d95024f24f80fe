"""`desk mcp`: the desk for an assistant."""

from pathlib import Path
from typing import Annotated

import typer

from starters.operations.assistants.choices import Assistant
from starters.terminal.exit_status import ExitStatus

EXAMPLE = "Example: desk mcp install claude-desktop; desk mcp serve"

mcp = typer.Typer(
    help="Give an assistant the desk: put its servers into a client's file, or serve it.",
    epilog=EXAMPLE,
    no_args_is_help=True,
)

Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        metavar="DIR",
        help="The desk's folder; by default as for every command.",
        show_default=False,
    ),
]


@mcp.command(epilog="Example: desk mcp install claude-desktop --print")
def install(
    client: Annotated[
        Assistant, typer.Argument(metavar="CLIENT", help="claude-code or claude-desktop.")
    ] = Assistant.CLAUDE_CODE,
    folder: Folder = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="The client's file, where it is another than usual.",
            show_default=False,
        ),
    ] = None,
    only_print: Annotated[
        bool, typer.Option("--print", help="Print the file as it would be; change nothing.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Also replace others' servers of the same names.")
    ] = False,
) -> ExitStatus:
    """Put the desk and its sources into the file in which a client looks for MCP servers.

    For claude-code that is .mcp.json in the desk's folder, for claude-desktop the file of the
    application. Servers of others stay, and what else is in the file.
    """
    from starters.operations.assistants.install import Installation, install_servers

    return install_servers(Installation(client, folder, file, only_print, force))


@mcp.command(epilog="Example: desk mcp serve --folder ~/desk")
def serve(
    folder: Folder = None,
    http: Annotated[
        int | None,
        typer.Option(
            "--http",
            metavar="PORT",
            min=1,
            max=65_535,
            help="Serve streamable HTTP at /mcp on this port, for this machine alone.",
            show_default=False,
        ),
    ] = None,
) -> ExitStatus:
    """Serve the desk to an assistant: the report, a figure's trace, questions, the status.

    It speaks MCP over standard input and output until the client goes away. Reports and traces
    need no server; the first question or status finds the desk that there is, or starts one.
    """
    from starters.operations.assistants.serving import serve_desk

    return serve_desk(folder, http)
