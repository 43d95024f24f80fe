"""Playing scenarios one after another, and their table."""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.scenarios.scenario import Row, Scenario, Stage, Verdict, played

WIDTH = 120
COLOURS = {Verdict.PASSED: "green", Verdict.FAILED: "red", Verdict.NOT_ALLOWED: "yellow"}


def play(scenarios: Sequence[Scenario], package: str, about: str | None) -> int:
    """Play the scenarios that the command line names, or all; the exit status."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {package}",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [scenario.name for scenario in scenarios]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(names)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there as well")
    asked = parser.parse_args()
    unknown = sorted(set(asked.names) - set(names))
    if unknown:
        parser.error(f"there is no scenario {', '.join(unknown)}; there are {', '.join(names)}")
    wanted = [each for each in scenarios if not asked.names or each.name in asked.names]
    rows = asyncio.run(_rows(wanted))
    _print(rows)
    if asked.json is not None:
        asked.json.write_text(json.dumps([_as_json(row) for row in rows], indent=2) + "\n")
    return 1 if any(row.verdict is Verdict.FAILED for row in rows) else 0


async def _rows(wanted: Sequence[Scenario]) -> list[Row]:
    """One after another: they would take each other's time."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="desk-scenarios-") as directory:
        stage = Stage(Path(directory))
        for number, scenario in enumerate(wanted, start=1):
            sys.stderr.write(f"{number} of {len(wanted)}: {scenario.name} ... ")
            sys.stderr.flush()
            rows.append(await played(scenario, stage))
            sys.stderr.write(f"{rows[-1].verdict}, {rows[-1].seconds:.0f} s\n")
    return rows


def _print(rows: Sequence[Row]) -> None:
    table = Table("scenario", "what was done", "expected", "seen", "time", "", title="Scenarios")
    for row in rows:
        scenario, colour = row.scenario, COLOURS[row.verdict]
        seen = "\n".join((row.sight.words, *row.sight.faults))
        table.add_row(
            scenario.name,
            scenario.done,
            scenario.expected,
            seen,
            f"{row.seconds:.0f} s",
            f"[{colour}]{row.verdict}[/]",
        )
    console = Console(width=WIDTH)
    console.print(table)
    allowed = [row for row in rows if row.verdict is not Verdict.NOT_ALLOWED]
    passed = sum(row.verdict is Verdict.PASSED for row in rows)
    for row in rows:
        if row.verdict is Verdict.NOT_ALLOWED:
            console.print(f"{row.scenario.name} was not played: {row.sight.words}")
    console.print(f"{passed} of {len(allowed)} scenarios passed")


def _as_json(row: Row) -> dict[str, object]:
    return {
        "scenario": row.scenario.name,
        "done": row.scenario.done,
        "expected": row.scenario.expected,
        "seen": row.sight.words,
        "faults": list(row.sight.faults),
        "figures": {name: round(value, 4) for name, value in row.sight.figures.items()},
        "seconds": round(row.seconds, 2),
        "verdict": row.verdict,
    }
