"""`desk backfill`."""

from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus

EXAMPLE = "Example: desk backfill --from 2015-W01 --to 2015-W10 --dry-run"

MAX_ACTIVE = 2
"""As many weeks as keep two cores busy; more at once are no faster."""


def backfill(
    first: Annotated[
        str, typer.Option("--from", metavar="WEEK", help="The first week, such as 2015-W01.")
    ],
    last: Annotated[
        str, typer.Option("--to", metavar="WEEK", help="The last week, such as 2015-W10.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what there is of the weeks; start nothing.")
    ] = False,
    max_active: Annotated[
        int, typer.Option("--max-active", metavar="N", min=1, max=50, help="Weeks at a time.")
    ] = MAX_ACTIVE,
    again: Annotated[
        bool, typer.Option("--again", help="Research published weeks anew as well.")
    ] = False,
    no_learning: Annotated[
        bool,
        typer.Option("--no-learning", help="Learn nothing; the weeks run side by side."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the table as JSON, and nothing else.")
    ] = False,
) -> ExitStatus:
    """Write the reports of past weeks, each as it would have been written then.

    The weekly schedule starts the runs, at most N at a time; what is published is left alone. A
    week starts when the research of the one before it is over, so that it goes by what was learned
    from all of them. With --no-learning the weeks run side by side, for models that take long.
    Progress goes to standard error, the table to standard output. Exit status: 0 all complete,
    3 some below the coverage threshold, 1 some failed, 2 wrong usage. Ctrl-C detaches; the same
    command comes back to the runs under way and starts the rest.
    """
    from starters.weeks.backfill.actions import BackfillOptions, run_backfill

    learn = not no_learning
    return run_backfill(BackfillOptions(first, last, dry_run, max_active, again, learn, as_json))
