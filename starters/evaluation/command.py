"""`desk eval`."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.options import AsJson

if TYPE_CHECKING:
    from desk.evaluation.scores import Suite
    from desk.platform.settings import Settings

EXAMPLE = "Example: desk eval --suite ask --seed 7 --tasks 20"
COMPARED: Final = "Example: desk eval compare reports/evaluation/a.json reports/evaluation/b.json"

eval = typer.Typer(  # noqa: A001 - a command stands in its module under its name
    help="Run tasks with known answers, and print what was right, refused and wrong.",
    epilog=EXAMPLE,
    invoke_without_command=True,
)

Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="The model that all agents are; without it, the built-in analysts.",
        show_default=False,
    ),
]

Suites = Annotated[
    str | None,
    typer.Option(
        "--suite",
        metavar="week|ask|swarm|stock",
        help="Which, separated by commas; without it, all of them.",
        show_default=False,
    ),
]

Seed = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, help="Which tasks: a seed has the same ones.")
]

Tasks = Annotated[
    int | None,
    typer.Option(
        "--tasks",
        metavar="N",
        min=1,
        max=200,
        help="How many of each suite; by default 3 weeks, 40 questions, 8 objectives, 7 stocks.",
        show_default=False,
    ),
]

Budget = Annotated[
    float | None,
    typer.Option(
        "--budget-usd",
        metavar="N",
        min=0,
        help="What all tasks may cost together, in equal parts; by default that of one run.",
        show_default=False,
    ),
]

Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help="Where the table is written, as JSON, with Markdown beside it.",
        show_default=False,
    ),
]

FOLDER: Final = "evaluation"
"""The folder for the tables, below the reports folder, unless another path is given."""


@eval.callback()
def evaluate(
    context: typer.Context,
    model: Model = None,
    suite: Suites = None,
    seed: Seed = 1,
    tasks: Tasks = None,
    budget_usd: Budget = None,
    as_json: AsJson = False,
    out: Out = None,
) -> ExitStatus | None:
    """Run tasks with known answers, and print what was right, refused and wrong.

    The desk of an evaluation stands beside your own, on evidence that is the same everywhere: the
    packaged tables of prices and rates as of days of the past, and papers of an invented firm that
    are made by the seed. Exit status: 0 all tasks ran, 3 some run failed, 2 wrong usage.
    """
    if context.invoked_subcommand is not None:
        return None
    return run_evaluation(EvalOptions(model, suite, seed, tasks, budget_usd, as_json, out))


@eval.command(epilog=COMPARED)
def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A table of `desk eval`, as JSON.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another, of the same seed.")],
    as_json: AsJson = False,
) -> ExitStatus:
    """Hold two tables against each other, task by task."""
    return compare_tables(first, second, as_json=as_json)


@dataclass(frozen=True)
class EvalOptions:
    """The options of `desk eval`."""

    model: str | None = None
    suite: str | None = None
    seed: int = 1
    tasks: int | None = None
    budget_usd: float | None = None
    as_json: bool = False
    out: Path | None = None


def run_evaluation(options: EvalOptions) -> ExitStatus:
    """Runs the tasks, writes the table, and prints it.

    Raises:
        UsageError, CommandError: the message says what to do next.
    """
    from desk.platform.settings import load_settings
    from starters.evaluation.running import EvaluationOptions, evaluated
    from starters.evaluation.tables import check_place, print_table, table_name, write_table
    from starters.session import say
    from starters.terminal.interrupts import interruptible
    from starters.terminal.logs import log_to_file

    settings, suites = load_settings(), read_suites(options.suite)
    model = _model(options.model, settings)
    asked = EvaluationOptions(model, suites, options.seed, options.tasks, options.budget_usd)
    named = settings.reports_dir / FOLDER / table_name(model, suites, options.seed)
    target = (options.out or named).resolve()
    check_place(target)
    log_to_file(settings)
    try:
        table = interruptible(evaluated(settings, asked))
    except KeyboardInterrupt:
        say("desk: stopped; no table was written")
        return ExitStatus.INTERRUPTED
    write_table(target, table)
    print_table(target, table, as_json=options.as_json)
    failed = any(task.error for task in table.tasks)
    return ExitStatus.INCOMPLETE if failed else ExitStatus.COMPLETE


def _model(wanted: str | None, settings: "Settings") -> str:
    """Returns the model to evaluate; `builtin` if none is requested or the key is missing."""
    from desk.contracts.agents.usage import BUILTIN
    from starters.session import say

    if wanted in (None, BUILTIN):
        return BUILTIN
    if settings.anthropic_api_key is None:
        say(f"desk: ANTHROPIC_API_KEY is not set, so {wanted} is not asked: the built-in analysts")
        return BUILTIN
    return str(wanted)


def read_suites(written: str | None) -> "tuple[Suite, ...]":
    """Parses the names of suites. Without any, returns all suites.

    Raises:
        UsageError: there is no such suite.
    """
    from desk.analytics.names.nearest import suggestion
    from desk.evaluation.scores import Suite

    if written is None:
        return tuple(Suite)
    names = [name for name in map(str.strip, written.lower().split(",")) if name]
    for name in names:
        if name not in set(Suite):
            known = [*Suite]
            raise UsageError(
                f"there is no suite {name!r}; there are {', '.join(known)}{suggestion(name, known)}"
            )
    if not names:
        raise UsageError(f"--suite names no suite; there are {', '.join(Suite)}")
    return tuple(suite for suite in Suite if suite in names)


def compare_tables(first: Path, second: Path, *, as_json: bool) -> ExitStatus:
    """Prints how two tables compare.

    Raises:
        CommandError: one cannot be read, or they have no task in common.
    """
    from desk.evaluation.table import COMPARISON_TITLES, compared, comparison_rows
    from starters.evaluation.tables import read_table
    from starters.terminal.tables import table_lines

    found = compared(read_table(first), read_table(second))
    if not found.suites:
        raise CommandError(f"{first} and {second} have no task in common; run both with one --seed")
    if as_json:
        sys.stdout.write(f"{found.model_dump_json(indent=2)}\n")
        return ExitStatus.COMPLETE
    lines = [f"A is {found.first}, B is {found.second}"]
    lines += table_lines(COMPARISON_TITLES, comparison_rows(found), right=range(1, 7))
    if found.apart:
        lines.append(f"{found.apart} tasks stand in one table only and do not count")
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return ExitStatus.COMPLETE
