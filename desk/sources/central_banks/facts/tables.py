"""Reads a CSV table of facts strictly: an error names the file, the line and the column."""

import csv
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Generic, TypeVar

_Value = TypeVar("_Value")

WHOLE_LINE = "the whole line"


class DamagedTable(Exception):
    """A table of facts cannot be used. The message names file, line, column and reason."""

    def __init__(self, file: Path, line: int, column: str, reason: str) -> None:
        super().__init__(
            f"{file}, line {line}, column {column}: {reason}. Correct the table or reinstall it."
        )
        self.file = file
        self.line = line
        self.column = column
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table, with its position for errors."""

    file: Path
    line: int
    cells: dict[str, str]

    def read(self, column: str, convert: Callable[[str], _Value]) -> _Value:
        """The converted cell of a column.

        Raises:
            DamagedTable: `convert` raised a ValueError; its text is the reason.
        """
        try:
            return convert(self.cells[column])
        except ValueError as error:
            raise self.damaged(column, f"{self.cells[column]!r} {error}") from error

    def read_optional(self, column: str, convert: Callable[[str], _Value]) -> _Value | None:
        """The converted cell, or None if it is empty.

        Raises:
            DamagedTable: as `read`.
        """
        return self.read(column, convert) if self.cells[column] else None

    def damaged(self, column: str, reason: str) -> DamagedTable:
        """The error to raise for a cell of this line."""
        return DamagedTable(self.file, self.line, column, reason)


class ReadOnce(Generic[_Value]):
    """Tables that are read at their first use, and then cached."""

    def __init__(self, read: Callable[[], _Value]) -> None:
        self._read = read
        self._lock = threading.Lock()
        self._kept: _Value | None = None

    def current(self) -> _Value:
        """The result of `read`.

        Raises:
            DamagedTable: a table is missing or malformed.
        """
        with self._lock:
            if self._kept is None:
                self._kept = self._read()
            return self._kept


def read_rows(file: Path, columns: Sequence[str]) -> tuple[Row, ...]:
    """All lines of a table whose header is exactly `columns`.

    Raises:
        DamagedTable: the file is missing, is not UTF-8 CSV, or a line has another number of cells.
    """
    line = 0
    try:
        with file.open(encoding="utf-8", newline="") as text:
            reader = csv.reader(text, strict=True)
            header = next(reader, [])
            line = 1
            if header != list(columns):
                raise DamagedTable(file, 1, WHOLE_LINE, f"the header must be {','.join(columns)}")
            rows = []
            for cells in reader:
                line = reader.line_num
                rows.append(Row(file, line, _named(file, line, columns, cells)))
            return tuple(rows)
    except OSError as error:
        reason = f"it cannot be read ({error.strerror or error})"
        raise DamagedTable(file, line + 1, WHOLE_LINE, reason) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise DamagedTable(file, line + 1, WHOLE_LINE, f"it is no UTF-8 CSV ({error})") from error


def _named(file: Path, line: int, columns: Sequence[str], cells: list[str]) -> dict[str, str]:
    if len(cells) != len(columns):
        column = columns[len(cells)] if len(cells) < len(columns) else WHOLE_LINE
        reason = f"{len(cells)} cells where {len(columns)} belong"
        raise DamagedTable(file, line, column, reason)
    return dict(zip(columns, cells, strict=True))


def required_text(cell: str) -> str:
    """A cell that must not be empty.

    Raises:
        ValueError: it is empty.
    """
    if not cell.strip():
        raise ValueError("must not be empty")
    return cell


def day(cell: str) -> date:
    """A calendar day.

    Raises:
        ValueError: it is not written `2026-10-30`.
    """
    try:
        found = date.fromisoformat(cell)
    except ValueError:
        found = None
    if found is None or found.isoformat() != cell:
        raise ValueError("is not a day such as 2026-10-30")
    return found


def figure(cell: str) -> Decimal:
    """A finite decimal number, with the precision that it is written with.

    Raises:
        ValueError: it is anything else.
    """
    try:
        found = Decimal(cell)
    except InvalidOperation:
        found = None
    if found is None or not found.is_finite() or "e" in cell.lower():
        raise ValueError("is not a number such as -0.25")
    return found
