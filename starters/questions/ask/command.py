"""`desk ask`."""

from pathlib import Path
from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus
from starters.terminal.options import BudgetUsd

EXAMPLE = 'Example: desk ask "What holds up DESK-101?" --param ticket=DESK-101'

Question = Annotated[str, typer.Argument(metavar="QUESTION", help="What is asked, in quotes.")]

Graph = Annotated[
    str | None,
    typer.Option(
        "--graph",
        metavar="NAME|FILE",
        help="The graph of agents; by default market where the question names one, or tickets.",
        show_default=False,
    ),
]

Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="NAME=VALUE",
        help="A parameter of the graph; can be given several times.",
        show_default=False,
    ),
]

AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="DAY|INSTANT",
        help="Answer with what was known then, such as 2026-10-30.",
        show_default=False,
    ),
]


def ask(
    question: Question,
    graph: Graph = None,
    param: Parameters = None,
    as_of: AsOf = None,
    budget_usd: BudgetUsd = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Copy the answer there.", show_default=False),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the answer as JSON, and nothing else.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Ask anew, even if it is answered already.")
    ] = False,
) -> ExitStatus:
    """Have a graph of agents answer a question, with the source of everything it says.

    Progress goes to standard error, the answer to standard output. The same question to the same
    graph is one run. Exit status: 0 complete, 3 some node failed, 1 failed, 2 wrong usage. Ctrl-C
    detaches; the same command comes back to the run.
    """
    from starters.questions.ask.actions import AskOptions, ask_question
    from starters.questions.wanted import Wanted

    return ask_question(
        AskOptions(question, graph, tuple(param or ()), as_of),
        Wanted(budget_usd, out, as_json, again),
    )
