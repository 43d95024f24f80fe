"""Writes past weeks from stand-ins with late and revised data, and looks for what was not public
then, and for what was and is missing: see `--help`."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.leak.backfilled import BackfillFailed, CheckedWeek, backfilled, environment, weeks_up_to
from tests.standins.serving import serving

LAST_WEEK = "2026-W44"
SHOWN = 20


def main(argv: list[str] | None = None) -> int:
    """Print a table of the weeks; gives the exit status, 1 where one does not hold."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.leak",
        description="Runs `desk backfill` in a home of its own with the stand-ins, whose data came "
        "late and were revised since, and compares each report with what was public by its "
        "instant, in both directions. Exit status 1 where one shows or lacks something.",
    )
    parser.add_argument("--weeks", type=int, default=52, help="default: %(default)s")
    parser.add_argument("--to", default=LAST_WEEK, metavar="WEEK", help="default: %(default)s")
    parser.add_argument("--home", type=Path, help="a folder that is kept; else none is")
    arguments = parser.parse_args(argv)
    weeks, began = weeks_up_to(arguments.to, arguments.weeks), time.monotonic()
    with tempfile.TemporaryDirectory() as temporary, serving() as standins:
        folder = (arguments.home or Path(temporary)).absolute()
        try:
            checked = list(backfilled(standins, environment(standins, folder), weeks))
        except BackfillFailed as failed:
            sys.stderr.write(f"the backfill failed:\n{failed}\n")
            return 1
    sys.stdout.write(table_of(checked, time.monotonic() - began))
    return 0 if all(week.holds for week in checked) else 1


def table_of(checked: list[CheckedWeek], seconds: float) -> str:
    """A line for each week, the sums, and the first of what was found."""
    found: list[str] = []
    lines = [f"{'week':8}  {'checked':>8}  {'leaks':>6}  {'missing':>7}  {'unreached':>9}"]
    sums = [0, 0, 0, 0]
    for week in checked:
        told = week.findings
        if told is None:
            lines.append(f"{week.week:8}  no report")
            continue
        counts = (told.checked, *map(len, (told.leaks, told.missing, told.unreached)))
        sums = [total + count for total, count in zip(sums, counts, strict=True)]
        lines.append(f"{week.week:8}  {counts[0]:8}  {counts[1]:6}  {counts[2]:7}  {counts[3]:9}")
        found += [f"{week.week} shows {words}" for words in told.leaks]
        found += [f"{week.week} lacks {words}" for words in told.missing]
        found += [f"{week.week} was written without {words}" for words in told.unreached]
    lines.append(
        f"{len(checked)} weeks   {sums[0]:8}  {sums[1]:6}  {sums[2]:7}  {sums[3]:9}  "
        f"in {seconds:.0f} s"
    )
    more = [f"and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
    return "\n".join((*lines, *found[:SHOWN], *more)) + "\n"


if __name__ == "__main__":
    sys.exit(main())
