"""Options that several commands have in the same words."""

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]

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
