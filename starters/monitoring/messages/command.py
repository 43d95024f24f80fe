"""`desk messages`."""

from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus

EXAMPLE = "Example: desk messages 2026-W44 --market USD/JPY; desk messages 2026-W44 --json"


def messages(
    run: Annotated[
        str,
        typer.Argument(metavar="RUN", help="A week such as 2026-W44, or a workflow id."),
    ],
    market: Annotated[
        str | None,
        typer.Option("--market", metavar="MARKET", help="Only what is about one market."),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option("--type", metavar="TYPE", help="Only one type, such as research_result."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, one message a line.")
    ] = False,
) -> ExitStatus:
    """Show a run's history as the messages between its agents, oldest first."""
    from starters.monitoring.messages.actions import show_messages

    return show_messages(run, market=market, kind=kind, as_json=as_json)
