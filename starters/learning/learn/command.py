"""`desk learn`."""

from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus
from starters.terminal.options import AsJson

EXAMPLE = "Example: desk learn; desk learn --week 2026-W44"


def learn(
    week: Annotated[
        str | None,
        typer.Option(
            "--week",
            "--as-of",
            metavar="WEEK",
            help="What a run of that week is told, such as 2026-W44; without it, all until now.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> ExitStatus:
    """Show what the desk has learned from its runs.

    What keeps going wrong, whether that is getting better, what is recommended, and how the tools
    did. `desk scorecard` shows how the forecasts did.
    """
    from starters.learning.learn.actions import show_learned

    return show_learned(week, as_json=as_json)
