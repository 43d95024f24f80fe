"""The table of a campaign: on the terminal, and as docs/survival.md."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from rich.console import Console
from rich.table import Table

from tests.faults.campaign import Pair
from tests.faults.fault import Fault, Program, Row, Verdict, lost
from tests.support.processes.homes import PROJECT

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


_COUNTS: Final = re.compile(r"\d+ passed, \d+ failed, \d+ not tried")
_BORDER: Final = re.compile(r"(?<!\\)\|")
_KEPT: Final = re.compile(
    r"nothing that was completed is done again, (the|every) report is identical"
)
"""What most of the faults promise; the document says it once."""
_HEAD: Final = "| fault | what is done | what must hold | passed by |"
_ALL: Final = "all four"
_BILLS: Final = "## What models billed"
_BILLED: Final = "| fault | program | requests | billed and reported |"
_UNKEPT: Final = "## What was not kept"


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
    """docs/survival.md: what is done, what must hold, and for which programs it held."""
    return f"""# Survival

Made by `make faults` (`python -m tests.faults`), not by hand. Everything is done to the desk from
outside: real processes, real sockets, the `desk` command and the published files. The seed, {seed},
draws where in a run a fault strikes. {summary(rows)}. `--only NAME --revise` plays a row again and
writes it in.

*Kept* means: no turn or call that was completed is executed again, and `desk audit --same-as` finds
the report identical to that of an undisturbed run.

{_matrix(rows)}

{_BILLS}

{_billed(rows)}

{_UNKEPT}

{_unkept(rows)}
"""


def short(text: str, most: int = SHOWN) -> str:
    """A line of a terminal, cut where it is long, without what is another one each time."""
    words = " ".join(text.split())
    for pattern, steady in _UNSTEADY:
        words = pattern.sub(steady, words)
    return words if len(words) <= most else f"{words[: most - 1]}…"


def _matrix(rows: Sequence[Row]) -> str:
    passed = {(r.fault.name, r.program) for r in rows if r.judged.verdict is Verdict.PASSED}
    lines = [_HEAD, "| --- | --- | --- | --- |"]
    promise = ""
    for fault in dict.fromkeys(row.fault for row in rows):
        same, promise = fault.promise == promise, fault.promise
        held = "the same" if same else _KEPT.sub("*kept*", _cell(promise))
        by = _names(program for program in Program if (fault.name, program) in passed)
        lines.append(f"| {fault.name} | {_cell(fault.done)} | {held} | {by} |")
    return "\n".join(lines)


def _names(programs: Iterable[Program]) -> str:
    found = tuple(programs)
    return _ALL if len(found) == len(Program) else ", ".join(found)


def _read(names: str) -> set[Program]:
    return {each for each in Program if names == _ALL or each in names.split(", ")}


def _billed(rows: Sequence[Row]) -> str:
    lines = [_BILLED, "| --- | --- | --- | --- |"]
    return "\n".join((*lines, *(_bill(row) for row in rows if _is_billed(row))))


def _is_billed(row: Row) -> bool:
    return "$" in row.seen.told


def _bill(row: Row) -> str:
    made = lost(row.seen).partition(",")[0]
    return f"| {row.fault.name} | {row.program} | {_cell(made)} | {_cell(short(row.seen.told))} |"


def _unkept(rows: Sequence[Row]) -> str:
    return "\n".join(_complaints(rows)) or _NOTHING


_NOTHING: Final = "Nothing: every row that was tried passed."


def _complaints(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if row.judged.verdict is not Verdict.PASSED:
            reasons = short("; ".join(row.judged.reasons), 300)
            yield f"- {_place(row)} {row.judged.verdict}: {reasons}"


def _place(row: Row) -> str:
    return f"{row.fault.name}, {row.program}:"


def revised(text: str, rows: Sequence[Row]) -> str:
    """The document with rows that were played again in place of what they were, and new ones
    last."""
    table, _, rest = text.partition(_BILLS)
    lines = table.split("\n")
    places = {cells[0]: place for place, line in enumerate(lines) if (cells := _cells(line))}
    for row in rows:
        if row.fault.name not in places:
            places[row.fault.name] = max(places.values()) + 1
            lines.insert(places[row.fault.name], _untried(row.fault))
        place = places[row.fault.name]
        *cells, names = _cells(lines[place])
        passed = _read(names) - {row.program}
        passed |= {row.program} if row.judged.verdict is Verdict.PASSED else set()
        lines[place] = f"| {' | '.join((*cells, _names(p for p in Program if p in passed)))} |"
    bills = {(row.fault.name, str(row.program)): _bill(row) for row in rows if _is_billed(row)}
    billed, _, unkept = rest.partition(_UNKEPT)
    billed = "\n".join(bills.get(_named(line), line) for line in billed.split("\n"))
    again = tuple(f"- {_place(row)}" for row in rows)
    left = (line for line in unkept.strip().split("\n") if line.startswith("- "))
    told = [line for line in left if not line.startswith(again)] + list(_complaints(rows))
    verdicts = [
        str(Verdict.PASSED) for line in lines for c in [_cells(line)] if c for _ in _read(c[3])
    ]
    verdicts += [str(v) for line in told for v in Verdict if f": {v}: " in line]
    counted = _COUNTS.sub(_counted(verdicts), "\n".join(lines))
    return f"{counted}{_BILLS}{billed}{_UNKEPT}\n\n{chr(10).join(told) or _NOTHING}\n"


def _untried(fault: Fault) -> str:
    """The row of a fault that no program has passed yet."""
    held = _KEPT.sub("*kept*", _cell(fault.promise))
    return f"| {fault.name} | {_cell(fault.done)} | {held} |  |"


def _named(line: str) -> tuple[str, str]:
    """The first two cells of a row."""
    first, second, *_ = (*_cells(line), "", "")
    return first, second


def _cells(line: str) -> list[str]:
    """A row of a table; empty of any other line."""
    return [cell.strip() for cell in _BORDER.split(line)[1:-1]]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
