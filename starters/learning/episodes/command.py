"""`desk episodes`."""

from pathlib import Path
from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus
from starters.terminal.options import USUAL_COST, AsJson

MOST_LISTED = 20

EXAMPLE = "Example: desk episodes list --symbol NVDA"

episodes = typer.Typer(
    help="List the episodes of stocks, show one, export what they did, or measure the recommender.",
    epilog=EXAMPLE,
    no_args_is_help=True,
)

Symbol = Annotated[
    str | None,
    typer.Option("--symbol", metavar="SYMBOL", help="Only of one stock.", show_default=False),
]


@episodes.command("list", epilog=EXAMPLE)
def list_them(
    symbol: Symbol = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, help="How many at most.")
    ] = MOST_LISTED,
    as_json: AsJson = False,
) -> ExitStatus:
    """List the episodes, the newest first: what was recommended, and what came of it or when that
    is due."""
    from starters.learning.episodes.show import list_episodes

    return list_episodes(symbol=symbol, limit=limit, as_json=as_json)


@episodes.command(epilog="Example: desk episodes show stock-NVDA")
def show(
    identity: Annotated[
        str, typer.Argument(metavar="ID", help="Its workflow id, or the beginning of it.")
    ],
    as_json: AsJson = False,
) -> ExitStatus:
    """Show an episode: its steps, and its blackboard as it stands."""
    from starters.learning.episodes.show import show_episode

    return show_episode(identity, as_json=as_json)


@episodes.command(epilog="Example: desk episodes export --out nvda.parquet --symbol NVDA")
def export(
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="The Parquet file to write.")
    ] = Path("episodes.parquet"),
    symbol: Symbol = None,
) -> ExitStatus:
    """Write a row for each step of every finished episode, from the workflows' histories.

    docs/stock.md says what the columns are. Needs `make install-episodes`.
    """
    from starters.learning.episodes.export import export_episodes

    return export_episodes(out, symbol=symbol)


@episodes.command("walk-forward", epilog="Example: desk episodes walk-forward --first 2010")
def walk_forward(
    symbols: Annotated[
        str | None,
        typer.Option(
            "--symbols", metavar="A,B,…", help="Only these; else all.", show_default=False
        ),
    ] = None,
    weeks: Annotated[int, typer.Option("--weeks", metavar="N", help="The horizon, 1 to 52.")] = 4,
    cost: Annotated[
        str, typer.Option("--cost", metavar="PERCENT", help="For entering and for leaving.")
    ] = USUAL_COST,
    first: Annotated[
        int | None,
        typer.Option("--first", metavar="YEAR", help="From this year on.", show_default=False),
    ] = None,
    last: Annotated[
        int | None,
        typer.Option(
            "--last", metavar="YEAR", help="This year too, and no later.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> ExitStatus:
    """Measure the built-in recommender over the past of all offline series, date by date.

    No part of it knows what came later; the table has costs in it and intervals beside it. Needs
    `make install-swarm`.
    """
    from starters.learning.episodes.walk_forward import WalkOptions, run_walk_forward

    return run_walk_forward(
        WalkOptions(
            symbols=symbols, weeks=weeks, cost=cost, first=first, last=last, as_json=as_json
        )
    )
