"""`python -m tests.money`: kill a desk whose model bills every request, and count the money.

Each row is a week with a budget of its own: how often its host was killed with kill -9, what was
billed, and what the report says, known and at most. The exit status is 1 where more was billed than
the budget and one call, or more than the report says.
"""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.money.disturbed import Outcome, outcomes
from tests.money.metered import total


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaign; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.money", description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--desks", type=int, default=4, help="desks side by side")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    found = asyncio.run(_campaign(chosen.kills, chosen.desks, chosen.seed))
    faults = [f"{one.week}: {fault}" for one in found for fault in one.faults()]
    Console(width=120).print(_table(found))
    kills, calls = sum(one.kills for one in found), sum(len(one.billed) for one in found)
    lost = sum(one.told.lost_calls for one in found)
    sys.stdout.write(
        f"{kills} kills in {len(found)} weeks, {calls} calls billed, {lost} told as lost;"
        f" {len(faults)} faults\n"
    )
    sys.stderr.write("".join(f"{fault}\n" for fault in faults))
    return 1 if faults else 0


async def _campaign(kills: int, desks: int, seed: int) -> list[Outcome]:
    found: list[Outcome] = []

    async def one(number: int, directory: Path) -> None:
        share = kills // desks + (number < kills % desks)
        async for outcome in outcomes(directory, share, seed * 1_000 + number):
            found.append(outcome)
            done = sum(each.kills for each in found)
            sys.stderr.write(f"{done} of {kills} kills, {len(found)} weeks\n")

    with tempfile.TemporaryDirectory(prefix="money-") as folder:
        async with asyncio.TaskGroup() as group:
            for number in range(desks):
                group.create_task(one(number, Path(folder) / str(number)))
    return found


def _table(found: Sequence[Outcome]) -> Table:
    table = Table("week", "kills", "budget", "calls", "billed", "told as known", "told at most", "")
    for one in found:
        billed = total(one.billed)
        told = (one.told.cost_usd, one.told.tokens)
        table.add_row(
            one.week,
            str(one.kills),
            one.budget,
            str(len(one.billed)),
            *(f"${usd:.4f} {tokens:,}" for usd, tokens in (billed, told, one.most)),
            "holds" if not list(one.faults()) else "FAULT",
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
