"""The table of a campaign: on the terminal, and as docs/survival.md."""

import re
from collections.abc import Mapping, Sequence
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


_ROW: Final = re.compile(rf"\| (\S+) \| (\w+) \|.*\| ({'|'.join(Verdict)})(?:: [^|]*)? \|$")
_COUNTS: Final = re.compile(r"\d+ passed, \d+ failed, \d+ not tried")


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
    return _counted([str(row.judged.verdict) for row in rows])


def _counted(verdicts: Sequence[str]) -> str:
    counts = {verdict: verdicts.count(verdict) for verdict in Verdict}
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
{seed}; it draws where in a run a fault strikes. {summary(rows)}. `--only NAME --revise` plays a
row again and writes it in.

## What must hold

{_promises(rows)}

## Fault by program

{_matrix({(row.fault.name, str(row.program)): str(row.judged.verdict) for row in rows})}

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


def revised(text: str, rows: Sequence[Row]) -> str:
    """The document with rows that were played again in place of what they were."""
    again = {(row.fault.name, str(row.program)): _line(row) for row in rows}
    lines = text.split("\n")
    places = {
        (found[1], found[2]): place
        for place, line in enumerate(lines)
        if (found := _ROW.match(line)) and found[2] in set(Program)
    }
    for key, line in again.items():
        lines[places[key]] = line
    told = {key: _ROW.match(lines[place]) for key, place in places.items()}
    verdicts = {key: found[3] for key, found in told.items() if found}
    whole = "\n".join(lines)
    start, end = whole.index("| fault | week |"), whole.index("\n\n## Every row")
    whole = f"{whole[:start]}{_matrix(verdicts)}{whole[end:]}"
    return _COUNTS.sub(_counted(list(verdicts.values())), whole)


def _matrix(verdicts: Mapping[tuple[str, str], str]) -> str:
    lines = [
        f"| fault | {' | '.join(Program)} |",
        f"| --- |{' --- |' * len(Program)}",
    ]
    for name in dict.fromkeys(name for name, _ in verdicts):
        cells = (verdicts.get((name, program), "") for program in Program)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _every(rows: Sequence[Row]) -> str:
    lines = [
        "| fault | program | outcome | lost | told | |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    return "\n".join((*lines, *map(_line, rows)))


def _line(row: Row) -> str:
    reasons = "" if row.judged.verdict is Verdict.PASSED else "; ".join(row.judged.reasons)
    verdict = f"{row.judged.verdict}{': ' if reasons else ''}{_cell(short(reasons, 300))}"
    cells = (row.fault.name, row.program, row.seen.outcome, lost(row.seen))
    told = _cell(short(row.seen.told))
    return f"| {' | '.join(_cell(cell) for cell in cells)} | {told} | {verdict} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
