"""The table of a campaign: on the terminal, and as docs/survival.md."""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from rich.console import Console
from rich.table import Table

from tests.faults.campaign import Pair
from tests.faults.fault import Program, Row, Verdict, lost
from tests.support.homes import PROJECT

DOCUMENT: Final = PROJECT / "docs" / "survival.md"
WIDTH: Final = 150
SHOWN: Final = 110
COLOURS: Final = {Verdict.PASSED: "green", Verdict.FAILED: "red", Verdict.NOT_TRIED: "yellow"}


_UNSTEADY: Final = (
    (re.compile(r"^\d+\.\d s "), ""),
    (re.compile(r"(?<=127\.0\.0\.1:)\d+"), "PORT"),
    (re.compile(r"/\S*?/(?=home\b|reports\b|desk\.toml|bomb|deep)"), "…/"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z"), "TIME"),
)
"""A clock's reading at the start, ports, folders, instants."""


def show(rows: Sequence[Row]) -> None:
    """Print the rows, and how many passed."""
    table = Table("fault", "program", "outcome", "lost", "told", "", title="Faults")
    for row in rows:
        verdict = row.judged.verdict
        reasons = "" if verdict is Verdict.PASSED else "\n".join(("", *row.judged.reasons))
        table.add_row(
            row.fault.name,
            row.program,
            row.seen.outcome,
            lost(row.seen),
            f"{short(row.seen.told)}{reasons}",
            f"[{COLOURS[verdict]}]{verdict}[/]",
        )
    console = Console(width=WIDTH)
    console.print(table, markup=True)
    console.print(summary(rows))


def summary(rows: Sequence[Row]) -> str:
    """How many rows passed, failed and were not tried."""
    counts = {verdict: sum(row.judged.verdict is verdict for row in rows) for verdict in Verdict}
    return (
        f"{counts[Verdict.PASSED]} passed, {counts[Verdict.FAILED]} failed,"
        f" {counts[Verdict.NOT_TRIED]} not tried"
    )


def listed(wanted: Sequence[Pair]) -> None:
    """Print what faults there are, for which programs."""
    table = Table("fault", "programs", "what is done", "what must hold")
    for fault, found in groupby(wanted, key=lambda pair: pair[0]):
        programs = ", ".join(program for _, program in found)
        table.add_row(fault.name, programs, fault.done, fault.promise)
    Console(width=WIDTH).print(table)


def document(rows: Sequence[Row], seed: int) -> str:
    """docs/survival.md: the faults by program, then every row."""
    return f"""# Survival

Made by `make faults` (`python -m tests.faults`), not by hand. What is done to the desk is done from
outside: real processes, real sockets, the `desk` command and the published files. The seed is
{seed}; it draws where in a run a fault strikes. {summary(rows)}.

## What must hold

{_promises(rows)}

## Fault by program

{_matrix(rows)}

## Every row

A run is given as its outcome and the command's exit status. Lost is what was executed again
although it had been completed, and whether `desk audit --same-as` finds the report identical to
that of an undisturbed run. Told is a line that the user was shown.

{_every(rows)}
"""


def short(text: str, most: int = SHOWN) -> str:
    """A line of a terminal, cut where it is long, without what is another one each time."""
    words = " ".join(text.split())
    for pattern, steady in _UNSTEADY:
        words = pattern.sub(steady, words)
    return words if len(words) <= most else f"{words[: most - 1]}…"


def _promises(rows: Sequence[Row]) -> str:
    lines = ["| fault | what is done | what must hold |", "| --- | --- | --- |"]
    for fault in dict.fromkeys(row.fault for row in rows):
        lines.append(f"| {fault.name} | {_cell(fault.done)} | {_cell(fault.promise)} |")
    return "\n".join(lines)


def _matrix(rows: Sequence[Row]) -> str:
    found = {(row.fault.name, row.program): row.judged.verdict for row in rows}
    lines = [
        f"| fault | {' | '.join(Program)} |",
        f"| --- |{' --- |' * len(Program)}",
    ]
    for name in dict.fromkeys(row.fault.name for row in rows):
        cells = (found.get((name, program), "") for program in Program)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _every(rows: Sequence[Row]) -> str:
    lines = [
        "| fault | program | outcome | lost | told | |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        reasons = "" if row.judged.verdict is Verdict.PASSED else "; ".join(row.judged.reasons)
        verdict = f"{row.judged.verdict}{': ' if reasons else ''}{_cell(short(reasons, 300))}"
        cells = (row.fault.name, row.program, row.seen.outcome, lost(row.seen))
        told = _cell(short(row.seen.told))
        lines.append(f"| {' | '.join(_cell(cell) for cell in cells)} | {told} | {verdict} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
