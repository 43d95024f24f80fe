"""`python -m tests.faults`: faults and what the desk makes of them, program by program.

Each is played from outside: the `desk` command in processes of its own, an embedded Temporal
server, real sockets, no network. Prints one table; a whole campaign writes docs/survival.md, and
rows that are played again are written into it on request. The exit status is 1 where a promise was
broken.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from starters.terminal.exit_status import exit_now
from tests.faults.campaign import pairs, play_all
from tests.faults.fault import Program, Verdict
from tests.faults.kinds import FAULTS
from tests.faults.table import DOCUMENT, document, listed, revised, show


def main(arguments: Sequence[str] | None = None) -> int:
    """Play what the command line asks for; the exit status."""
    asked = _parser().parse_args(arguments)
    wanted = pairs(FAULTS, asked.only, asked.program)
    if asked.list:
        listed(wanted)
        return 0
    if not wanted:
        sys.stderr.write("no fault has such a name; --list names them\n")
        return 2
    rows = asyncio.run(play_all(wanted, asked.seed, asked.side_by_side, asked.keep))
    show(rows)
    if wanted == pairs(FAULTS):
        DOCUMENT.write_text(document(rows, asked.seed), encoding="utf-8")
    elif asked.revise:
        held = DOCUMENT.read_text(encoding="utf-8")
        DOCUMENT.write_text(revised(held, rows), encoding="utf-8")
    return 1 if any(row.judged.verdict is Verdict.FAILED for row in rows) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="faults whose name begins so"
    )
    parser.add_argument(
        "--program", action="append", default=[], type=Program, choices=list(Program)
    )
    parser.add_argument(
        "--revise", action="store_true", help="write the rows played into docs/survival.md"
    )
    parser.add_argument("--list", action="store_true", help="name the faults, and play none")
    parser.add_argument("--seed", type=int, default=1, help="where in a run it is struck")
    parser.add_argument(
        "--side-by-side", type=int, default=2, metavar="N", help="so many at once (default 2)"
    )
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave there what the desks wrote")
    return parser


if __name__ == "__main__":
    exit_now(main())
