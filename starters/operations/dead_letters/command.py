"""`desk dead-letters`."""

from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus

EXAMPLE = (
    "Example: desk dead-letters retry weekly-2026-W44/market/USD/TWD/reassign/research_agent_1"
)

dead_letters = typer.Typer(
    help="List the tasks that failed with every agent, or try one again.", epilog=EXAMPLE
)


@dead_letters.callback(invoke_without_command=True)
def list_them(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
) -> ExitStatus:
    """List the tasks that failed with every agent, newest first, or try one again."""
    from starters.operations.dead_letters.actions import list_letters

    if context.invoked_subcommand is not None:
        return ExitStatus.COMPLETE
    return list_letters(as_json=as_json)


@dead_letters.command(epilog=EXAMPLE)
def retry(
    identity: Annotated[
        str, typer.Argument(metavar="ID", help="Its workflow id, or the beginning of it.")
    ],
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Only ask; do not wait for the new revision.")
    ] = False,
) -> ExitStatus:
    """Research the market of a dead letter again, for a new revision of the report; of a question,
    run its node again."""
    from starters.operations.dead_letters.actions import retry_letter

    return retry_letter(identity, wait=not no_wait)
