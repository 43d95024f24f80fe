"""`desk tape`."""

from pathlib import Path
from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus

EXAMPLE = "Example: desk tape save 2026-W44 2026-W44.tape.gz; desk run --tape 2026-W44.tape.gz"

tape = typer.Typer(
    help="Keep a run as a tape, which `desk run --tape` plays without network or key.",
    epilog=EXAMPLE,
    no_args_is_help=True,
)


@tape.callback()
def _group() -> None:
    """Keeps `save` a command of its own: Typer merges a group of one command into it."""


@tape.command(epilog=EXAMPLE)
def save(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="A week such as 2026-W44, or a run's workflow id.")
    ],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The tape; packed where it ends in .gz.")
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> ExitStatus:
    """Save every turn, tool result and decision of a published run, read from its history."""
    from starters.weeks.tape.save import save_tape

    return save_tape(run, file, force=force)
