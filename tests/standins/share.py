"""How many printed figures of past weeks have a second origin where every source can be reached:
see `--help`."""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from desk.contracts.weeks import monday_of, next_week
from tests.standins._desk import FETCHED, DeskFailed, desk
from tests.standins.serving import serving

WEEK = "2026-W44"


def main(argv: list[str] | None = None) -> int:
    """Print the share of each week; gives the exit status, 1 where one is below `--least`."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.standins.share",
        description="Runs weeks in a home of its own with all sources answered by the stand-ins, "
        "and prints how many of the printed figures have a second origin, and what the others "
        "lack. A figure counts as `desk report --origins` says. Each week is written on its own "
        "Monday, when nothing later was published yet; with --today it is written now, as a past "
        "week is.",
    )
    parser.add_argument(
        "--week", nargs="+", default=[WEEK], metavar="WEEK", help=f"default: {WEEK}"
    )
    parser.add_argument("--today", action="store_true", help="with all that is published by now")
    parser.add_argument("--least", type=float, default=0.0, help="a share, such as 0.9")
    parser.add_argument("--home", type=Path, help="a folder that is kept; else none is")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as temporary, serving() as standins:
        lowest = 1.0
        for week in arguments.week:
            home = (arguments.home or Path(temporary)).absolute() / week
            standins.until = None if arguments.today else monday_of(next_week(week))
            try:
                # All that there is, however long it takes: a run waits for two seconds only.
                desk(standins, home, "refresh", allowed=FETCHED)
                desk(standins, home, "run", "--week", week)
                told = json.loads(
                    desk(standins, home, "report", "--week", week, "--origins", "--json")
                )
            except DeskFailed as failed:
                sys.stderr.write(f"{failed}\n")
                return 1
            lowest = min(lowest, told["share"])
            sys.stdout.write("".join(f"{line}\n" for line in lines_of(told)))
            sys.stdout.flush()
    return 0 if lowest >= arguments.least else 1


def lines_of(told: dict[str, Any]) -> list[str]:
    """A line for the week, and one for each reason for which figures have one origin."""
    first = (
        f"{told['week']}  {told['verified']} of {told['figures']} figures have a second origin "
        f"({told['share'] * 100:.1f} %); {told['contested']} contested"
    )
    return [first, *(_line(group) for group in told["without"])]


def _line(group: dict[str, Any]) -> str:
    metrics = ", ".join(group["metrics"]).replace("_", " ")
    return f"  {group['figures']:4}  {group['rests_on']:32}  {metrics}: {group['reason']}"


if __name__ == "__main__":
    sys.exit(main())
