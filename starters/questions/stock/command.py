"""`desk stock`. `starters.questions.answer_run` has what it shares with `desk ask`."""

from typing import Annotated

import typer

from desk.contracts.agents.config import RunConfig
from desk.contracts.runs.episode import StockResult
from desk.platform.settings import Settings
from starters.questions.answer_run import AnswerOptions, command_of, print_answer_of
from starters.questions.stock.choice import MOST_STEPS_USUALLY, StockOptions, episode_start
from starters.questions.stock.printing import episode_lines
from starters.questions.stock.published import published_so_far
from starters.runs.server_runs import RunStart
from starters.terminal.exit_status import ExitStatus
from starters.terminal.options import (
    USUAL_COST,
    USUAL_WEEKS,
    AsOf,
    BudgetTokens,
    BudgetUsd,
    NoMemory,
    NoWait,
    ReportAsJson,
    ReportCopied,
    ResearchedAnew,
)

EXAMPLE = "Example: desk stock NVDA --as-of 2024-06-10"

Symbol = Annotated[
    str,
    typer.Argument(metavar="SYMBOL", help="A stock or an index as Yahoo Finance writes it."),
]

Steps = Annotated[
    str | None,
    typer.Option(
        "--steps",
        metavar="A,B,…",
        help="Exactly these actions, in this order; without, the controller chooses.",
        show_default=False,
    ),
]

Weeks = Annotated[
    int,
    typer.Option("--weeks", metavar="N", help="How long what is recommended is for, 1 to 52."),
]

Cost = Annotated[
    str,
    typer.Option("--cost", metavar="PERCENT", help="Of the price, for entering and for leaving."),
]

MostSteps = Annotated[
    int,
    typer.Option(
        "--most-steps", metavar="N", help="How many the controller may choose at most, 1 to 30."
    ),
]


def stock(
    symbol: Symbol,
    as_of: AsOf = None,
    steps: Steps = None,
    weeks: Weeks = USUAL_WEEKS,
    cost: Cost = USUAL_COST,
    most_steps: MostSteps = MOST_STEPS_USUALLY,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    no_memory: NoMemory = False,
    out: ReportCopied = None,
    as_json: ReportAsJson = False,
    again: ResearchedAnew = False,
    no_wait: NoWait = False,
) -> ExitStatus:
    """Research a stock step by step, recommend what to do, and evaluate the recommendation.

    Progress goes to standard error, the report to standard output. In history the evaluation is
    part of it; otherwise the report is printed once it is published, the episode waits for its
    horizon, and the report has the evaluation from then on. Without --as-of each day has an
    episode of its own. Exit status:
    0 complete, 3 some agent failed, 1 failed, 2 wrong usage. Ctrl-C detaches.
    """
    return research_stock(
        StockOptions(
            symbol,
            as_of=as_of,
            steps=steps,
            weeks=weeks,
            cost=cost,
            most_steps=most_steps,
            memory=not no_memory,
        ),
        AnswerOptions(
            budget_usd, out, as_json, again, wait=not no_wait, budget_tokens=budget_tokens
        ),
    )


def research_stock(options: StockOptions, wanted: AnswerOptions) -> ExitStatus:
    """Has a stock researched, or prints the existing report.

    Raises:
        UsageError, CommandError: the message says what to do next.
    """

    def start(settings: Settings, config: RunConfig) -> RunStart[StockResult]:
        return episode_start(options, settings, config)

    again = command_of("stock", options)
    return print_answer_of(wanted, again, start, besides=episode_lines, published=published_so_far)
