"""The `desk` command."""

import sys
from collections import UserDict
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Final, NamedTuple, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import Abort, TyperException
from typer.main import get_group

from desk.documents.publishing.files import make_private
from starters.terminal.encoding import print_in_any_encoding
from starters.terminal.exit_status import CommandError, ExitStatus, complain, exit_now
from starters.terminal.imports import imports_without_gc


class Panel(StrEnum):
    """What people do, in the order of `desk --help`."""

    FIRST = "The five that matter first"
    WEEKS = "Write the week"
    ASK = "Ask"
    DECIDE = "Decide"
    LOOK = "Look"
    OPERATE = "Operate"


class Command(NamedTuple):
    """A command of the desk: its module, its line in `desk --help`, and its panel there.

    The module defines the command under its name, as a function with an `EXAMPLE` or as a Typer
    app. `line` is how its help begins, so that the list is shown without importing the module.
    """

    module: str
    line: str
    panel: Panel


COMMANDS: Final = {
    "run": Command("starters.weeks.run", "Research a week and publish its report.", Panel.FIRST),
    "report": Command(
        "starters.published.report.command",
        "Show the published report of a week. Needs no server.",
        Panel.FIRST,
    ),
    "audit": Command(
        "starters.published.audit.command",
        "Verify a published report or answer from its evidence alone. Needs no server and no "
        "network.",
        Panel.FIRST,
    ),
    "ask": Command(
        "starters.questions.ask",
        "Have a graph of agents answer a question, with the source of everything it says.",
        Panel.FIRST,
    ),
    "doctor": Command(
        "starters.operations.doctor.command",
        "Check everything the desk needs, and say how to fix what is wrong.",
        Panel.FIRST,
    ),
    "rerun": Command(
        "starters.weeks.rerun",
        "Research one market again, and publish a new revision that says what was redone and why.",
        Panel.WEEKS,
    ),
    "backfill": Command(
        "starters.weeks.backfill.command",
        "Write the reports of past weeks, each as it would have been written then.",
        Panel.WEEKS,
    ),
    "schedule": Command(
        "starters.weeks.schedule",
        "The weekly schedule, as desk.toml has it.",
        Panel.WEEKS,
    ),
    "tape": Command(
        "starters.weeks.tape.command",
        "Record a run as a tape, which `desk run --tape` plays without network or key.",
        Panel.WEEKS,
    ),
    "swarm": Command(
        "starters.questions.swarm.command",
        "Have a leader and its specialists research an objective, and say what is likely.",
        Panel.ASK,
    ),
    "stock": Command(
        "starters.questions.stock.command",
        "Research a stock step by step, recommend what to do, and evaluate the recommendation.",
        Panel.ASK,
    ),
    "graph": Command(
        "starters.questions.graph.command",
        "List the graphs that come with the desk; check or draw one; go back in a run.",
        Panel.ASK,
    ),
    "hypotheses": Command(
        "starters.learning.hypotheses.command",
        "List the hypotheses of swarms with their scores, or show one.",
        Panel.ASK,
    ),
    "episodes": Command(
        "starters.learning.episodes.command",
        "List the episodes of stocks, show one, export what they did, or measure the recommender.",
        Panel.ASK,
    ),
    "memory": Command(
        "starters.learning.memory",
        "Search, list or rebuild the memory of plans, findings, recommendations and hypotheses.",
        Panel.ASK,
    ),
    "mcp": Command(
        "starters.operations.assistants.command",
        "Give an assistant the desk: put its servers into a client's file, or serve it.",
        Panel.ASK,
    ),
    "escalations": Command(
        "starters.operations.escalations",
        "List the conflicts that a person is asked to decide, show one, or decide it.",
        Panel.DECIDE,
    ),
    "dead-letters": Command(
        "starters.operations.dead_letters",
        "List the tasks that failed with every agent, or try one again.",
        Panel.DECIDE,
    ),
    "status": Command(
        "starters.monitoring.status",
        "Show the progress of a week's run, market by market.",
        Panel.LOOK,
    ),
    "watch": Command(
        "starters.monitoring.watch.command",
        "Follow a run until its report is out: every market, who works on it, what it has spent.",
        Panel.LOOK,
    ),
    "serve": Command(
        "starters.operations.serve.command",
        "Serve the desk's pages to a browser until Ctrl-C: follow runs, ask, decide, read.",
        Panel.LOOK,
    ),
    "messages": Command(
        "starters.monitoring.messages.command",
        "Show a run's history as the messages between its agents, oldest first.",
        Panel.LOOK,
    ),
    "agents": Command(
        "starters.monitoring.agents.command",
        "Show the state of every agent and source: healthy, degraded or offline, and why.",
        Panel.LOOK,
    ),
    "tools": Command(
        "starters.sources.tools.command",
        "List the servers of .mcp.json with their tools, or see what one of them offers.",
        Panel.LOOK,
    ),
    "archive": Command(
        "starters.published.archive",
        "Write the archive of all published reports anew: weeks, markets, search. Needs no server.",
        Panel.LOOK,
    ),
    "learn": Command(
        "starters.learning.learn",
        "Show what the desk has learned from its runs.",
        Panel.LOOK,
    ),
    "scorecard": Command(
        "starters.learning.scorecard",
        "Score the desk's forecasts that have come due, and show what follows for the votes.",
        Panel.LOOK,
    ),
    "init": Command(
        "starters.operations.init",
        "Write desk.toml, .env and .mcp.json into a folder, for editing.",
        Panel.OPERATE,
    ),
    "up": Command(
        "starters.operations.up.command",
        "Run the embedded server and all workers until Ctrl-C.",
        Panel.OPERATE,
    ),
    "worker": Command(
        "starters.operations.worker",
        "Run the workers of one role until Ctrl-C, for running them apart.",
        Panel.OPERATE,
    ),
    "refresh": Command(
        "starters.sources.refresh",
        "Fetch the data that the sources of .mcp.json store, and say how far each reaches now.",
        Panel.OPERATE,
    ),
    "cleanup": Command(
        "starters.operations.cleanup",
        "Delete expired data: logs, old reports, and payloads and results that nothing refers to.",
        Panel.OPERATE,
    ),
    "eval": Command(
        "starters.evaluation.command",
        "Run tasks with known answers, and print what was right, refused and wrong.",
        Panel.OPERATE,
    ),
}
"""The desk's own commands by name, in the order of the help."""

GROUP: Final = "research_desk.commands"
"""The group of the entry points by which other packages bring commands. Each names such a function
or Typer app, `package.module:name`, under the command's name."""

_MARKUP: Final = "markdown"


@cache
def _of_others() -> dict[str, Any]:
    """Returns the commands of third-party packages, as entry points by name. They cannot replace
    the desk's own commands.

    Searches the installed packages, so it is called only to list commands or to look up one that is
    not the desk's.
    """
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
    return {entry.name: entry for entry in reversed(found) if entry.name not in COMMANDS}


@cache
def loaded(name: str) -> TyperCommand | TyperGroup:
    """Imports a command's module and returns the command."""
    if name in COMMANDS:
        with imports_without_gc():
            module = import_module(COMMANDS[name].module)
        found = getattr(module, name.replace("-", "_"))
    else:
        found = _other(name)
    alone = typer.Typer(rich_markup_mode=_MARKUP)
    if isinstance(found, typer.Typer):
        alone.add_typer(found, name=name)
    else:
        example = getattr(sys.modules.get(found.__module__), "EXAMPLE", None)
        alone.command(name, epilog=example)(found)
    command: TyperCommand | TyperGroup = get_group(alone).commands[name]  # type: ignore[assignment]
    return command


def _other(name: str) -> Any:
    """Loads a third-party command. If that fails, returns a command that raises the reason."""
    entry = _of_others()[name]
    try:
        return entry.load()
    except Exception as error:
        # A third-party package may raise anything; the help must still name the command.
        said = f"the entry point {name} = {entry.value} of {GROUP} cannot be loaded: {error}"

    def broken() -> None:
        raise CommandError(said)

    broken.__doc__ = f"Cannot be loaded: {said}."
    return broken


class _Listed(UserDict[str, Any]):
    """The commands by name for `desk --help`. The desk's own are listed by their line, without
    being loaded."""

    def __getitem__(self, name: str) -> TyperCommand | TyperGroup:
        if name in COMMANDS:
            command = COMMANDS[name]
            return TyperCommand(name, help=command.line, rich_help_panel=command.panel)
        if name in self:
            return loaded(name)
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return name in self.data or name in _of_others()

    def __iter__(self) -> Iterator[str]:
        yield from (*self.data, *_of_others())


class _Desk(TyperGroup):
    """The group of all commands. Only the command that is called is loaded."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = _Listed(COMMANDS)

    def resolve_command(
        self, ctx: Any, args: list[str]
    ) -> tuple[str | None, TyperCommand | TyperGroup | None, list[str]]:
        """Loads the command that a command line names, and returns it with the remaining
        arguments."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, None if name is None else loaded(name), rest


def _version(wanted: bool) -> None:
    if wanted:
        from starters.terminal.version import version_line

        sys.stdout.write(f"{version_line()}\n")
        raise typer.Exit


def _desk(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Print the versions of the desk, of Python and of Temporal.",
        ),
    ] = False,
) -> None:
    """Does nothing: the callbacks of its options have already run."""


app = typer.Typer(
    name="desk",
    cls=_Desk,
    help="A research desk for currency and interest-rate markets, on Temporal.",
    epilog="Example: desk run. DESK_DEBUG=1 shows the traceback of an error.",
    callback=_desk,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=_MARKUP,
)


def execute(arguments: list[str]) -> int:
    """Runs a command line and returns its exit status. Errors are printed in one line on standard
    error."""
    try:
        ended = app(arguments, prog_name="desk", standalone_mode=False)
    except TyperException as wrong:
        return _misused(wrong)
    except (Abort, KeyboardInterrupt):
        sys.stderr.write("desk: stopped\n")
        return ExitStatus.INTERRUPTED
    except Exception as error:
        return complain(error)
    return int(ended) if isinstance(ended, int) else ExitStatus.COMPLETE


def _misused(wrong: TyperException) -> ExitStatus:
    """Prints Typer's message about wrong arguments. The message is empty if Typer has shown the
    help instead."""
    told = getattr(wrong, "format_message", wrong.__str__)().replace("Value error, ", "")
    if told:
        sys.stderr.write(f"desk: {told} (`--help` shows an example)\n")
    return ExitStatus.USAGE


def main() -> NoReturn:
    """The console entry point."""
    make_private()
    print_in_any_encoding(sys.stdout, sys.stderr)
    exit_now(execute(sys.argv[1:]))
