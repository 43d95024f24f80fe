"""`make scale`: weeks of 38 to 2,000 markets with empty sources, and how what they take grows.

Each size has a server and workers of its own: a process for each role, as an installation has them.
A run takes 200 markets at most, so more of them are runs side by side. On two cores that have
nothing else to do it should take some ten minutes; processor time compares between machines.
"""

import argparse
import asyncio
import compileall
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter
from rich.console import Console
from rich.table import Table

from starters.terminal.exit_status import exit_now
from tests.bench.scale.laws import fitted
from tests.bench.scale.little import AN_HOUR, TURN_SECONDS, needs, processors
from tests.bench.scale.measuring import Size, measured
from tests.support.processes.homes import PROJECT

SIZES: Final = (38, 100, 250, 500, 2_000)
LEAST_POINTS: Final = 3

Figure = Callable[[Size], float]

FIGURES: Final[dict[str, tuple[str, Figure]]] = {
    "wall time": ("s", lambda size: size.seconds),
    "processor time, all": ("s", lambda size: size.work),
    "  of the server": ("s", lambda size: size.processor["server"]),
    "  of the orchestrator": ("s", lambda size: size.processor["orchestrator"]),
    "  of research": ("s", lambda size: size.processor["research"]),
    "  of validation": ("s", lambda size: size.processor["validation"]),
    "  of sources": ("s", lambda size: size.processor["sources"]),
    "events of all histories": ("", lambda size: size.histories.events),
    "all histories": ("MB", lambda size: size.histories.megabytes),
    "longest history of a week": ("events", lambda size: size.histories.longest),
    "largest history of a week": ("MB", lambda size: size.histories.largest),
    "starts of its markets": ("MB", lambda size: size.histories.starts),
    "payloads stored beside": ("MB", lambda size: size.stored),
    "published files": ("MB", lambda size: size.published),
    "database file": ("MB", lambda size: size.database),
    "requests to the server": ("", lambda size: size.requests),
    "memory of the server": ("MB", lambda size: size.memory["server"]),
    "memory of the orchestrator": ("MB", lambda size: size.memory["orchestrator"]),
    "memory of research": ("MB", lambda size: size.memory["research"]),
    "memory of validation": ("MB", lambda size: size.memory["validation"]),
}


_SIZES: Final = TypeAdapter(dict[int, Size])


async def _all(sizes: Sequence[int], kept: Path | None) -> list[Size]:
    """Each size, and those that are kept in a file, which is brought up with each."""
    found = _SIZES.validate_json(kept.read_bytes()) if kept and kept.exists() else {}
    for markets in sizes:
        if markets not in found:
            sys.stderr.write(f"{markets} markets ...\n")
            last = found[markets] = await measured(markets)
            sys.stderr.write(
                f"{markets} markets: {last.runs} runs, {last.seconds:.0f} s, "
                f"{last.work:.0f} s of processors, {last.covered:.0%} covered\n"
            )
            if kept:
                kept.write_bytes(_SIZES.dump_json(found, indent=1))
    return [found[markets] for markets in sorted(found)]


def _print(found: Sequence[Size]) -> None:
    sizes = [size.markets for size in found]
    table = Table("what", *(f"{size:,}" for size in sizes), "grows as", "linear to")
    for name, (unit, figure) in FIGURES.items():
        figures = [figure(size) for size in found]
        table.add_row(
            f"{name}, {unit}" if unit else name, *map(_written, figures), *_law(sizes, figures)
        )
    rates = [size.requests / size.seconds for size in found]
    table.add_row("requests a second", *map(_written, rates), "", "")
    console = Console(width=120)
    console.print(table)
    console.print(_needs(found))


def _needs(found: Sequence[Size]) -> Table:
    """By the smallest size, in which nothing waits for long, what a queue's workers are asked, and
    by the largest what it takes of processors."""
    title = f"{AN_HOUR:,} markets an hour; with a model, whose turn takes {TURN_SECONDS:.0f} s"
    table = Table(
        "queue", "a market", "takes", "a second", "under way", "model", "workers", title=title
    )
    for need in needs(found[0].histories.services):
        table.add_row(
            need.queue,
            f"{need.calls:.1f}",
            f"{1_000 * need.took:.0f} ms",
            f"{need.rate:.1f}",
            f"{need.under_way:.1f}",
            f"{need.with_model:.0f}",
            f"{need.workers}",
        )
    last = found[-1]
    busy = {name: processors(took / last.markets) for name, took in last.processor.items()}
    table.caption = "processors, 70 % busy: " + ", ".join(
        f"{name} {count:.1f}" for name, count in busy.items()
    )
    return table


def _written(figure: float) -> str:
    return f"{figure:,.0f}" if abs(figure) >= 10 else f"{figure:.2f}"


def _law(sizes: Sequence[int], figures: Sequence[float]) -> tuple[str, str]:
    if len(sizes) < LEAST_POINTS or not all(figure > 0 for figure in figures):
        return "", ""
    law = fitted(sizes, figures)
    return f"n^{law.exponent:.2f} ± {law.margin:.2f}", f"{law.linear_to:,}"


def main() -> int:
    """Measure all sizes and print the table; 1 where markets were lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=list(SIZES), metavar="MARKETS")
    parser.add_argument(
        "--kept", type=Path, help="measure no size again that this file has, and add the others"
    )
    asked = parser.parse_args()
    compileall.compile_dir(PROJECT / "workflows", quiet=1)
    found = asyncio.run(_all(sorted(asked.sizes), asked.kept))
    _print(found)
    return int(any(size.covered < 1 for size in found))


if __name__ == "__main__":
    exit_now(main())
