"""`desk memory`."""

from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus
from starters.terminal.options import AsJson

EXAMPLE = 'Example: desk memory search "yen carry trade" --market USD/JPY --as-of 2026-10-30'

memory = typer.Typer(
    help="Search what was planned, found, recommended and taken to be likely; list it; rebuild it.",
    epilog=EXAMPLE,
    no_args_is_help=True,
)


@memory.command(epilog=EXAMPLE)
def search(
    words: Annotated[
        list[str], typer.Argument(metavar="WORDS", help="What it is about, in any words.")
    ],
    market: Annotated[
        list[str] | None,
        typer.Option(
            "--market",
            metavar="MARKET",
            help="Entries about it go first; may be given again.",
            show_default=False,
        ),
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            metavar="TIME",
            help="What was known then: a day, or an instant; without it, what is known now.",
            show_default=False,
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="Only plan, findings, hypothesis or outcome; may be given again.",
            show_default=False,
        ),
    ] = None,
    most: Annotated[
        int, typer.Option("--most", metavar="N", min=1, max=40, help="How many at most.")
    ] = 8,
    as_json: AsJson = False,
) -> ExitStatus:
    """Show what comes nearest to some words, nearest first, with how near from 0 to 1."""
    from starters.learning.memory.actions import SearchOptions, show_search

    options = SearchOptions(
        " ".join(words), tuple(market or ()), as_of, tuple(kind or ()), most, as_json
    )
    return show_search(options)


@memory.command(name="list", epilog="Example: desk memory list")
def list_them(as_json: AsJson = False) -> ExitStatus:
    """List everything that is remembered, in the order in which it was known."""
    from starters.learning.memory.actions import show_entries

    return show_entries(as_json=as_json)


@memory.command(epilog="Example: desk memory rebuild")
def rebuild(as_json: AsJson = False) -> ExitStatus:
    """Remember again what the histories of swarms, hypotheses and episodes have had remembered.

    For a store that was damaged, one that is new, or one that was filled before there was a model
    of meaning. What is in the store and in no history any more stays.
    """
    from starters.learning.memory.actions import rebuild as rebuild_it

    return rebuild_it(as_json=as_json)
