"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Any

import typer

from starters.terminal.completion import weeks

USUAL_WEEKS = 4
USUAL_COST = "0.10"
"""The default of an episode, repeated here so that `--help` does not import its contract."""


def of_week(help_text: str) -> Any:
    """Returns the option `--week` with a help text, for commands about one week's run or report."""
    return typer.Option(
        "--week", metavar="WEEK", autocompletion=weeks, help=help_text, show_default=False
    )


AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]

AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="DAY|INSTANT",
        help="With what was known then. A day, such as 2026-10-30, is its end in the desk's time"
        " zone; today is now.",
        show_default=False,
    ),
]

BudgetUsd = Annotated[
    float | None,
    typer.Option(
        "--budget-usd",
        metavar="N",
        min=0,
        help="What models may cost at most; goes before DESK_BUDGET_USD and desk.toml.",
        show_default=False,
    ),
]

BudgetTokens = Annotated[
    int | None,
    typer.Option(
        "--budget-tokens",
        metavar="N",
        min=0,
        help="What models may read and write at most: for models whose price nobody knows.",
        show_default=False,
    ),
]

NoMemory = Annotated[
    bool, typer.Option("--no-memory", help="Recall nothing, and remember nothing of it.")
]

ReportCopied = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Copy the report there.", show_default=False),
]

ReportAsJson = Annotated[
    bool, typer.Option("--json", help="Print the report as JSON, and nothing else.")
]

ResearchedAnew = Annotated[
    bool, typer.Option("--again", help="Research anew, even if there is a report already.")
]

NoWait = Annotated[
    bool, typer.Option("--no-wait", help="Only start it, and print its workflow id.")
]
