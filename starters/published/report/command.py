"""`desk report`."""

from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus

EXAMPLE = (
    "Example: desk report --week 2026-W44 --open. "
    "desk report --trace USD/JPY:move follows one figure to its source."
)


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
    as_json: Annotated[
        bool, typer.Option("--json", help="Print its JSON form; with --trace or --diff, theirs.")
    ] = False,
    revisions: Annotated[
        bool, typer.Option("--revisions", help="List its revisions and their reasons.")
    ] = False,
    trace: Annotated[
        str | None,
        typer.Option(
            "--trace",
            metavar="CLAIM",
            help="Follow one figure to its source, such as USD/JPY:move; a market's name alone "
            "lists its figures.",
            show_default=False,
        ),
    ] = None,
    diff: Annotated[
        str | None,
        typer.Option(
            "--diff",
            metavar="WEEK",
            help="What is materially different from an earlier published week.",
            show_default=False,
        ),
    ] = None,
) -> ExitStatus:
    """Show the published report of a week. Needs no server."""
    from starters.published.report.actions import ReportView, show_report

    return show_report(week, ReportView(browse, as_json, revisions, trace, diff))
