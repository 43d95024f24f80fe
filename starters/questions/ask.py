"""`desk ask`."""

import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from desk.contracts.agents.config import RunConfig
from desk.contracts.question.answers import AnswerReport
from desk.contracts.runs.graph import GraphResult
from desk.platform.settings import Settings
from starters.questions.answer_run import AnswerOptions, command_of, print_answer_of
from starters.questions.choice import AskOptions, chosen
from starters.questions.graph_runs import ask_run_id, graph_start
from starters.runs.server_runs import RunStart
from starters.session import say
from starters.terminal.completion import graphs
from starters.terminal.exit_status import ExitStatus, UsageError
from starters.terminal.options import AsOf, BudgetTokens, BudgetUsd

EXAMPLE = 'Example: desk ask "What holds up DESK-101?" --param ticket=DESK-101'

Question = Annotated[
    str | None,
    typer.Argument(
        metavar="QUESTION", help="What is asked, in quotes; with --rank it may be left out."
    ),
]

Graph = Annotated[
    str | None,
    typer.Option(
        "--graph",
        metavar="NAME|FILE",
        autocompletion=graphs,
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

PeriodGiven = Annotated[
    str | None,
    typer.Option(
        "--period",
        metavar="PERIOD",
        help="The days to measure, such as 2026-W36, 2026-09, 2026-Q3 or 2026-09-01/2026-09-04;"
        " goes before what the question says.",
        show_default=False,
    ),
]


Ranked = Annotated[
    str | None,
    typer.Option(
        "--rank",
        metavar="GROUP",
        help="Rank the pairs of a group, such as Asia or G10, by what their currencies did over"
        " the period.",
        show_default=False,
    ),
]


def ask(
    question: Question = None,
    graph: Graph = None,
    param: Parameters = None,
    as_of: AsOf = None,
    period: PeriodGiven = None,
    rank: Ranked = None,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
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
    graph is one run. Exit status: 0 complete, 3 some node failed or some tool could not be called,
    1 failed, 2 wrong usage. Ctrl-C detaches; the same command comes back to the run.
    """
    if question is None and rank is None:
        raise UsageError(f"the question is missing; {EXAMPLE}")
    words = question
    if words is None:
        words = f"Which currency of {(rank or '').title()} did best, and which worst?"
    return ask_question(
        AskOptions(words, graph, tuple(param or ()), as_of, period, rank),
        AnswerOptions(budget_usd, out, as_json, again, budget_tokens=budget_tokens),
    )


def ask_question(options: AskOptions, wanted: AnswerOptions) -> ExitStatus:
    """Has a question answered, or prints the existing answer.

    Raises:
        UsageError, CommandError: the message says what to do next.
    """

    def start(settings: Settings, config: RunConfig) -> RunStart[GraphResult]:
        begun, remark = question_start(options, settings, config)
        if remark:
            say(f"desk: {remark}")
        return begun

    def besides(_: GraphResult, answer: AnswerReport | None) -> Iterator[str]:
        return instead(options, answer)

    return print_answer_of(wanted, command_of("ask", options), start, besides=besides)


def instead(options: AskOptions, answer: AnswerReport | None) -> Iterator[str]:
    """Suggests `desk swarm` if nothing was found for a question that is also an objective."""
    if answer is None or answer.answered or answer.found:
        return
    # Imports numpy, which `desk ask` itself does not need.
    from desk.platform.memory.sentence_encoder import desk_embedding_model
    from desk.programs.swarm.objectives import matched

    form = matched(options.question, desk_embedding_model).form
    if form is not None:
        words = ["desk", "swarm", options.question]
        words += ["--as-of", options.as_of] if options.as_of else []
        yield f"Instead   {shlex.join(words)} (asked as: {form.asked_of('it')})"


def question_start(
    options: AskOptions, settings: Settings, config: RunConfig
) -> tuple[RunStart[GraphResult], str | None]:
    """Builds what the run of a question is started with. Returns it with the reason for the choice
    of graph, if the user named none.

    Raises:
        UsageError: a part of it cannot be asked; the message says what to do.
    """
    choice = chosen(options, settings, config, now=datetime.now(UTC))
    request = choice.request
    run_id = ask_run_id(request.graph, request.query, request.as_of)
    return graph_start(run_id, request), choice.remark
