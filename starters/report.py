"""`desk report`."""

from typing import Annotated

import typer

from starters.endings import ExitStatus

EXAMPLE = "Example: desk report --week 2026-W44 --open"


def report(
    week: Annotated[
        str | None,
        typer.Option(
            "--week",
            metavar="WEEK",
            help="ISO week such as 2026-W44; without it, the latest that is published.",
            show_default=False,
        ),
    ] = None,
    browse: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print its JSON form.")] = False,
    revisions: Annotated[
        bool, typer.Option("--revisions", help="List its revisions and their reasons.")
    ] = False,
) -> ExitStatus:
    """Show the published report of a week. Needs no server."""
    from starters.show_report import show_report

    return show_report(week, browse=browse, as_json=as_json, revisions=revisions)
