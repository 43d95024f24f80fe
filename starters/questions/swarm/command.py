"""`desk swarm`. `starters.questions.answer_run` has what it shares with `desk ask`."""

from typing import Annotated

import typer

from desk.contracts.agents.config import RunConfig
from desk.contracts.runs.swarm import SwarmResult
from desk.platform.memory.sentence_encoder import unload_model
from desk.platform.settings import Settings
from starters.questions.answer_run import AnswerOptions, command_of, print_answer_of
from starters.questions.printing import swarm_lines
from starters.questions.swarm.choice import AUTO, ROUNDS, WITHIN, SwarmOptions, objective_start
from starters.runs.server_runs import RunStart
from starters.terminal.exit_status import ExitStatus
from starters.terminal.options import (
    AsOf,
    BudgetTokens,
    BudgetUsd,
    NoMemory,
    NoWait,
    ReportAsJson,
    ReportCopied,
    ResearchedAnew,
)

EXAMPLE = 'Example: desk swarm "Is the yen carry trade unwinding?" --effort moderate'


def forms_beginning(incomplete: str) -> list[tuple[str, str]]:
    """Completes the name of a form, with what each form decides."""
    from desk.programs.swarm.objectives import FORMS

    return [(name, form.line) for name, form in FORMS.items() if name.startswith(incomplete)]


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

About = Annotated[
    str | None,
    typer.Option(
        "--about",
        metavar="FORM",
        help="What the objective asks, such as overbought, carry or peg-holds; without it the"
        " nearest in meaning is taken, and said.",
        autocompletion=forms_beginning,
        show_default=False,
    ),
]

Over = Annotated[
    str | None,
    typer.Option(
        "--over",
        metavar="SPAN",
        help="How far its form looks back, such as 1y, 6m or 90d; without it the length that the"
        " objective names, or the form's own.",
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
    about: About = None,
    over: Over = None,
    effort: Effort = AUTO,
    as_of: AsOf = None,
    rounds: Rounds = ROUNDS,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    answer_within: AnswerWithin = WITHIN,
    no_memory: NoMemory = False,
    out: ReportCopied = None,
    as_json: ReportAsJson = False,
    again: ResearchedAnew = False,
    no_wait: NoWait = False,
) -> ExitStatus:
    """Have a leader and its specialists research an objective, and say what is likely.

    If the objective matches one of the forms of `--about`, code decides it, and the first sentence
    of the report answers. Any other needs a model; without one the report says what was measured.
    Progress goes to standard error, the report to standard output. The same objective, form,
    effort, instant and rounds are one run. Exit status: 0 complete, 3 some specialist failed, 1
    failed, 2 wrong usage. Ctrl-C detaches; the same command comes back to the run.
    """
    return research_objective(
        SwarmOptions(
            objective,
            about=about,
            over=over,
            effort=effort,
            as_of=as_of,
            rounds=rounds,
            answer_within=answer_within,
            memory=not no_memory,
        ),
        AnswerOptions(
            budget_usd, out, as_json, again, wait=not no_wait, budget_tokens=budget_tokens
        ),
    )


def research_objective(options: SwarmOptions, wanted: AnswerOptions) -> ExitStatus:
    """Researches an objective, or prints the existing report.

    Raises:
        UsageError, CommandError: the message says what to do next.
    """

    def start(_: Settings, config: RunConfig) -> RunStart[SwarmResult]:
        started = objective_start(options, config)
        # The model that matched the objective is not needed again, and the run's workers need the
        # memory.
        unload_model()
        return started

    return print_answer_of(wanted, command_of("swarm", options), start, besides=swarm_lines)
