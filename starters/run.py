"""`desk run`."""

from pathlib import Path
from typing import Annotated

import typer

from starters.endings import ExitStatus

EXAMPLE = "Example: desk run --week 2026-W44 --markets USD/JPY,EUR/USD --out ~/reports"

Week = Annotated[
    str | None,
    typer.Option("--week", metavar="WEEK", help="ISO week such as 2026-W44.", show_default=False),
]


def run(
    week: Annotated[
        str | None,
        typer.Option(
            "--week",
            metavar="WEEK",
            help="ISO week such as 2026-W44; without it, the latest that the data cover.",
            show_default=False,
        ),
    ] = None,
    markets: Annotated[
        str | None,
        typer.Option(
            "--markets",
            metavar="A,B",
            help="Only these markets; their report has a name of its own.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Copy the report there.", show_default=False),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the summary as JSON, and nothing else.")
    ] = False,
    again: Annotated[
        bool,
        typer.Option("--again", help="Research the week anew, even if it is published already."),
    ] = False,
) -> ExitStatus:
    """Research a week and publish its report.

    Progress goes to standard error, the summary to standard output. Exit status: 0 complete,
    3 published below the coverage threshold, 1 failed, 2 wrong usage. Ctrl-C detaches; the same
    command comes back to the run.
    """
    from starters.run_week import RunOptions, run_week

    return run_week(RunOptions(week, markets, out, as_json, again))
