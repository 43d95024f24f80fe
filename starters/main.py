"""The `desk` command."""

import sys
from collections import UserDict
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, Final, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import Abort, TyperException
from typer.main import get_group

from desk.documents.publishing.files import make_private
from starters.terminal.exit_status import CommandError, ExitStatus, complain, exit_now

COMMANDS: Final = {
    "run": "starters.weeks.run.command",
    "ask": "starters.questions.ask.command",
    "swarm": "starters.questions.swarm.command",
    "stock": "starters.questions.stock.command",
    "up": "starters.operations.up.command",
    "worker": "starters.operations.worker.command",
    "rerun": "starters.weeks.rerun.command",
    "backfill": "starters.weeks.backfill.command",
    "status": "starters.monitoring.status.command",
    "watch": "starters.monitoring.watch.command",
    "agents": "starters.monitoring.agents.command",
    "messages": "starters.monitoring.messages.command",
    "learn": "starters.learning.learn.command",
    "scorecard": "starters.learning.scorecard.command",
    "report": "starters.published.report.command",
    "archive": "starters.published.archive.command",
    "audit": "starters.published.audit.command",
    "cleanup": "starters.operations.cleanup.command",
    "refresh": "starters.operations.refresh.command",
    "doctor": "starters.operations.doctor.command",
    "schedule": "starters.weeks.schedule.command",
    "hypotheses": "starters.learning.hypotheses.command",
    "episodes": "starters.learning.episodes.command",
    "graph": "starters.questions.graph.command",
    "dead-letters": "starters.operations.dead_letters.command",
    "escalations": "starters.operations.escalations.command",
    "tape": "starters.weeks.tape.command",
    "tools": "starters.monitoring.tools.command",
    "memory": "starters.learning.memory.command",
}
"""Each command with its module, in the order of the help.

The module defines the command under its name, as a function with an `EXAMPLE` or as a Typer app.
"""

GROUP: Final = "research_desk.commands"
"""The group of the entry points by which other packages bring commands. Each names such a function
or Typer app, `package.module:name`, under the command's name."""

_MARKUP: Final = "markdown"


@cache
def _of_others() -> dict[str, Any]:
    """The entry points of other packages' commands by name; none takes the name of one of ours.

    Only who lists the commands, or looks one up that is not ours, pays for the search.
    """
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
    return {entry.name: entry for entry in reversed(found) if entry.name not in COMMANDS}


@cache
def _loaded(name: str) -> TyperCommand | TyperGroup:
    if name in COMMANDS:
        module = import_module(COMMANDS[name])
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
    """A command of another package; one that says why, where it cannot be loaded."""
    entry = _of_others()[name]
    try:
        return entry.load()
    except Exception as error:
        # Whatever goes wrong in a package of somebody else's, the help has to name it.
        said = f"the entry point {name} = {entry.value} of {GROUP} cannot be loaded: {error}"

    def broken() -> None:
        raise CommandError(said)

    broken.__doc__ = f"Not to be had: {said}."
    return broken


class _LoadedWhenAsked(UserDict[str, Any]):
    """The commands by name. A command's module is imported when the command is looked up."""

    def __getitem__(self, name: str) -> TyperCommand | TyperGroup:
        if name not in self:
            raise KeyError(name)
        return _loaded(name)

    def __contains__(self, name: object) -> bool:
        return name in self.data or name in _of_others()

    def __iter__(self) -> Iterator[str]:
        yield from (*self.data, *_of_others())


class _Desk(TyperGroup):
    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = _LoadedWhenAsked(COMMANDS)


app = typer.Typer(
    name="desk",
    cls=_Desk,
    help="A research desk for currency and interest-rate markets, on Temporal.",
    epilog="Example: desk run. DESK_DEBUG=1 shows the traceback of an error.",
    callback=lambda: None,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=_MARKUP,
)


def execute(arguments: list[str]) -> int:
    """Run a command line; its exit status. Errors are told in one line on standard error."""
    try:
        ended = app(arguments, standalone_mode=False)
    except TyperException as wrong:
        return _misused(wrong)
    except (Abort, KeyboardInterrupt):
        sys.stderr.write("desk: stopped\n")
        return ExitStatus.INTERRUPTED
    except Exception as error:
        return complain(error)
    return int(ended) if isinstance(ended, int) else ExitStatus.COMPLETE


def _misused(wrong: TyperException) -> ExitStatus:
    """What Typer found wrong with the arguments; nothing where it has shown the help instead."""
    told = getattr(wrong, "format_message", wrong.__str__)().removeprefix("Value error, ")
    if told:
        sys.stderr.write(f"desk: {told} (`--help` shows an example)\n")
    return ExitStatus.USAGE


def main() -> NoReturn:
    """The console entry point."""
    make_private()
    exit_now(execute(sys.argv[1:]))
