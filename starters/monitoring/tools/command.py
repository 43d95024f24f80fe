"""`desk tools`."""

from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus
from starters.terminal.options import AsJson

EXAMPLE = "Example: desk tools --week 2026-W44; desk tools discover yahoo_finance"

tools = typer.Typer(
    help="List the servers of .mcp.json with their tools, or see what one of them offers.",
    epilog=EXAMPLE,
)


@tools.callback(invoke_without_command=True)
def list_them(
    context: typer.Context,
    week: Annotated[
        str | None,
        typer.Option(
            "--week",
            metavar="WEEK",
            help="Whose run is looked at, such as 2026-W44; without it, the latest with a run.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
) -> ExitStatus:
    """List every server with its tools, who may use them, how they did in a run, and the record."""
    from starters.monitoring.tools.actions import show_tools

    if context.invoked_subcommand is not None:
        return ExitStatus.COMPLETE
    return show_tools(week, as_json=as_json)


@tools.command(epilog=EXAMPLE)
def discover(
    server: Annotated[str, typer.Argument(metavar="SERVER", help="A server of .mcp.json.")],
    as_json: AsJson = False,
) -> ExitStatus:
    """Show what a server offers and propose capabilities for it; nothing is changed."""
    from starters.monitoring.tools.discover import discover as show

    return show(server, as_json=as_json)
