"""`desk swarm`."""

from pathlib import Path
from typing import Annotated

import typer

from starters.command_options import BudgetUsd
from starters.endings import ExitStatus

EXAMPLE = 'Example: desk swarm "Is the yen carry trade unwinding?" --effort moderate'

Objective = Annotated[
    str,
    typer.Argument(
        metavar="OBJECTIVE", help="What is to be found out, in quotes; it names the markets."
    ),
]

Effort = Annotated[
    str,
    typer.Option(
        "--effort",
        metavar="auto|simple|moderate|complex",
        help="One or two specialists, three or four, or five and more; auto: the leader says.",
    ),
]

AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="DAY|INSTANT",
        help="Research with what was known then, such as 2026-10-30.",
        show_default=False,
    ),
]

Rounds = Annotated[
    int,
    typer.Option("--rounds", metavar="N", min=1, max=5, help="How many rounds there are at most."),
]

AnswerWithin = Annotated[
    str,
    typer.Option(
        "--answer-within",
        metavar="SPAN",
        help="How long a person may take to decide a conflict, such as 3d or 12 hours.",
    ),
]


def swarm(
    objective: Objective,
    effort: Effort = "auto",
    as_of: AsOf = None,
    rounds: Rounds = 2,
    budget_usd: BudgetUsd = None,
    answer_within: AnswerWithin = "3d",
    no_memory: Annotated[
        bool, typer.Option("--no-memory", help="Recall nothing, and remember nothing of it.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Copy the report there.", show_default=False),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the report as JSON, and nothing else.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Research anew, even if there is a report already.")
    ] = False,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Only start it, and print its workflow id.")
    ] = False,
) -> ExitStatus:
    """Have a leader and its specialists research an objective, and say what is likely.

    Progress goes to standard error, the report to standard output. The same objective, effort,
    instant and rounds are one run. Exit status: 0 complete, 3 some specialist failed, 1 failed,
    2 wrong usage. Ctrl-C detaches; the same command comes back to the run.
    """
    from starters.swarm_objective import SwarmOptions, research_objective

    return research_objective(
        SwarmOptions(
            objective,
            effort=effort,
            as_of=as_of,
            rounds=rounds,
            budget_usd=budget_usd,
            answer_within=answer_within,
            memory=not no_memory,
            out=out,
            as_json=as_json,
            again=again,
            wait=not no_wait,
        )
    )
