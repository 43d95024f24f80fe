"""`desk watch`."""

from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus

EXAMPLE = "Example: desk watch --week 2026-W44; desk watch --json"


def watch(
    week: Annotated[
        str | None,
        typer.Option(
            "--week",
            metavar="WEEK",
            help="ISO week such as 2026-W44; without it, the run that is at work, or the latest.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a line for every change.")
    ] = False,
) -> ExitStatus:
    """Follow a run until its report is out: every market, who works on it, what it has spent.

    It only looks: Ctrl-C or a kill leaves the run as it is, and the same command comes back to
    where it stands. Exit status as of `desk run`: 0 complete, 3 published below the coverage
    threshold, 1 ended without a report.
    """
    from starters.monitoring.watch.actions import watch_week

    return watch_week(week, as_json=as_json)
