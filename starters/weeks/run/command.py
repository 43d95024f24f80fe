"""`desk run`."""

from pathlib import Path
from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus, UsageError
from starters.terminal.options import BudgetUsd

EXAMPLE = "Example: desk run --week 2026-W44 --markets USD/JPY,EUR/USD --out ~/reports"

Week = Annotated[
    str | None,
    typer.Option("--week", metavar="WEEK", help="ISO week such as 2026-W44.", show_default=False),
]

Markets = Annotated[
    str | None,
    typer.Option(
        "--markets",
        metavar="A,B",
        help="Only these markets; their report has a name of its own.",
        show_default=False,
    ),
]

TapeFile = Annotated[
    Path | None,
    typer.Option(
        "--tape",
        metavar="FILE",
        help="Play a saved run instead, without network or key; see `desk tape save --help`.",
        show_default=False,
    ),
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
    markets: Markets = None,
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
    budget_usd: BudgetUsd = None,
    tape: TapeFile = None,
) -> ExitStatus:
    """Research a week and publish its report.

    Progress goes to standard error, the summary to standard output. Exit status: 0 complete,
    3 published below the coverage threshold, 1 failed, 2 wrong usage. Ctrl-C detaches; the same
    command comes back to the run.

    A tape is played on a server of its own, beside the desk's; its report goes to --out, by
    default to reports/tape. It has its own markets, and an error where the run asks for what it
    does not hold.
    """
    if tape is not None:
        if markets is not None or again or budget_usd is not None:
            raise UsageError(
                "--tape plays a run as it was, without --markets, --again and --budget-usd"
            )
        return _play(tape, week, out, as_json=as_json)
    from starters.weeks.run.actions import RunOptions, run_week

    return run_week(RunOptions(week, markets, out, as_json, again, budget_usd))


def _play(tape: Path, week: str | None, out: Path | None, *, as_json: bool) -> ExitStatus:
    from starters.weeks.tape.play import PlayOptions, play_tape

    return play_tape(PlayOptions(tape, week, out, as_json))
