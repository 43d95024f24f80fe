"""`desk status`."""

from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus

EXAMPLE = "Example: desk status --week 2026-W44"


def status(
    week: Annotated[
        str | None,
        typer.Option(
            "--week",
            metavar="WEEK",
            help="ISO week such as 2026-W44; without it, the latest that has a run.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the status as JSON.")] = False,
) -> ExitStatus:
    """Say how far the run of a week is, market by market."""
    from starters.monitoring.status.actions import show_status

    return show_status(week, as_json=as_json)
