"""`desk swarm`."""

from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus
from starters.terminal.options import (
    BudgetUsd,
    NoMemory,
    NoWait,
    ReportAsJson,
    ReportCopied,
    ResearchedAnew,
)

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
    no_memory: NoMemory = False,
    out: ReportCopied = None,
    as_json: ReportAsJson = False,
    again: ResearchedAnew = False,
    no_wait: NoWait = False,
) -> ExitStatus:
    """Have a leader and its specialists research an objective, and say what is likely.

    Progress goes to standard error, the report to standard output. The same objective, effort,
    instant and rounds are one run. Exit status: 0 complete, 3 some specialist failed, 1 failed,
    2 wrong usage. Ctrl-C detaches; the same command comes back to the run.
    """
    from starters.questions.swarm.actions import SwarmOptions, research_objective
    from starters.questions.wanted import Wanted

    return research_objective(
        SwarmOptions(
            objective,
            effort=effort,
            as_of=as_of,
            rounds=rounds,
            answer_within=answer_within,
            memory=not no_memory,
        ),
        Wanted(budget_usd, out, as_json, again, wait=not no_wait),
    )
