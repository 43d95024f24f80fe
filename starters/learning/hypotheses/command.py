"""`desk hypotheses`."""

from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus
from starters.terminal.options import AsJson

EXAMPLE = "Example: desk hypotheses list --state open"

hypotheses = typer.Typer(
    help="List the hypotheses of swarms with their scores; or show one.",
    epilog=EXAMPLE,
    no_args_is_help=True,
)


@hypotheses.command("list", epilog=EXAMPLE)
def list_them(
    state: Annotated[
        str | None,
        typer.Option(
            "--state",
            metavar="open|held|refuted|void",
            help="Only those that stand so.",
            show_default=False,
        ),
    ] = None,
    market: Annotated[
        str | None,
        typer.Option("--market", metavar="MARKET", help="Only of one.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> ExitStatus:
    """List the hypotheses, those that are due next first, then those that are scored."""
    from starters.learning.hypotheses.actions import list_hypotheses

    return list_hypotheses(state=state, market=market, as_json=as_json)


@hypotheses.command(epilog="Example: desk hypotheses show swarm-0123456789ab/hypothesis/USD-JPY")
def show(
    identity: Annotated[
        str, typer.Argument(metavar="ID", help="Its workflow id, or the beginning of it.")
    ],
    as_json: AsJson = False,
) -> ExitStatus:
    """Show a hypothesis: what it says, what would refute it, what it rests on, its outcome."""
    from starters.learning.hypotheses.actions import show_hypothesis

    return show_hypothesis(identity, as_json=as_json)
