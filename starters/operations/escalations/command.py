"""`desk escalations`."""

from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus
from starters.terminal.options import AsJson

EXAMPLE = (
    "Example: desk escalations resolve weekly-2026-W44/market/USD/JPY --choose 1 --by anna "
    '--note "the other is a typing error"'
)

Case = Annotated[str, typer.Argument(metavar="ID", help="Its workflow id, or the beginning of it.")]

escalations = typer.Typer(
    help="List the conflicts that a person is asked to decide, show one, or decide it.",
    epilog=EXAMPLE,
    no_args_is_help=True,
)


@escalations.command("list", epilog="Example: desk escalations list --all")
def list_them(
    every: Annotated[
        bool, typer.Option("--all", help="Also those that are decided, as long as they are kept.")
    ] = False,
    as_json: AsJson = False,
) -> ExitStatus:
    """List the conflicts that wait for a person, the most urgent first."""
    from starters.operations.escalations.actions import list_cases

    return list_cases(every=every, as_json=as_json)


@escalations.command(epilog="Example: desk escalations show weekly-2026-W44/market/USD/JPY")
def show(identity: Case, as_json: AsJson = False) -> ExitStatus:
    """Show a case: who holds what, on what evidence, and what holds when nobody answers."""
    from starters.operations.escalations.actions import show_case

    return show_case(identity, as_json=as_json)


@escalations.command(epilog=EXAMPLE)
def resolve(
    identity: Case,
    choose: Annotated[
        str,
        typer.Option(
            "--choose",
            metavar="N|none",
            help="The position that is right, counted from 1; none withholds the figure.",
        ),
    ],
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="NAME",
            help="Who decides; printed in the report. Without it, the login name.",
            show_default=False,
        ),
    ] = None,
    note: Annotated[
        str | None,
        typer.Option("--note", metavar="TEXT", help="Why; kept with the case.", show_default=False),
    ] = None,
) -> ExitStatus:
    """Decide a case, and let its market go on.

    The same from the Temporal CLI, which counts positions from 0: temporal workflow update execute
    --workflow-id ID --name resolve_escalation --input '{"position":0,"by":"anna"}'.
    """
    from starters.operations.escalations.actions import resolve_case

    return resolve_case(identity, choose=choose, by=by, note=note)
