"""Reading rates out of SDMX-CSV, the form in which statistical services give series as text.

A row is one observation. Its columns go by their names: `FREQ` (D, or B for business days),
`REF_AREA`, `TIME_PERIOD` (2026-10-30) and `OBS_VALUE` (percent a year, NaN where there is none);
others, such as `UNIT_MEASURE` or `TITLE`, are not read. Cells are set apart by commas, or by
semicolons where the first line has more of those.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from enum import StrEnum

from desk.sources.central_banks.facts_table import day, figure
from desk.sources.serving.daily_series import NO_VALUE, DailySeries, whole
from desk.sources.serving.kept_file import DamagedFile


class Frequency(StrEnum):
    """How often a series has a value."""

    DAILY = "D"
    BUSINESS_DAYS = "B"


class _SdmxColumn(StrEnum):
    FREQUENCY = "FREQ"
    AREA = "REF_AREA"
    PERIOD = "TIME_PERIOD"
    VALUE = "OBS_VALUE"


def read_sdmx_rates(content: bytes, frequency: Frequency, area: str | None = None) -> DailySeries:
    """The rates of one frequency by area, percent a year.

    With `area` the file is about that one, whatever it calls it.

    Raises:
        DamagedFile: it is no such file, or not the whole of it. The text says where and why.
    """
    needed = [column for column in _SdmxColumn if area is None or column is not _SdmxColumn.AREA]
    rates: dict[str, dict[date, Decimal]] = defaultdict(dict)
    for row in _rows(content, needed):
        if row.frequency == frequency and (value := row.value()) is not None:
            of, on = area or row.area, row.on()
            if rates[of].setdefault(on, value) != value:
                raise row.damaged(_SdmxColumn.PERIOD, f"{of} has {on} twice")
    if not rates:
        raise DamagedFile(f"it has no rates of frequency {frequency}")
    return whole(rates)


class _Row:
    """One observation, with its line for an error."""

    def __init__(self, line: int, cells: Mapping[str, str]) -> None:
        self._line = line
        self._cells = cells
        self.frequency = cells[_SdmxColumn.FREQUENCY]
        self.area = cells.get(_SdmxColumn.AREA, "")

    def value(self) -> Decimal | None:
        cell = self._cells[_SdmxColumn.VALUE]
        if cell in NO_VALUE:
            return None
        try:
            return figure(cell)
        except ValueError as error:
            raise self.damaged(_SdmxColumn.VALUE, f"{cell[:40]!r} {error}") from error

    def on(self) -> date:
        cell = self._cells[_SdmxColumn.PERIOD]
        try:
            return day(cell)
        except ValueError as error:
            raise self.damaged(_SdmxColumn.PERIOD, f"{cell[:40]!r} {error}") from error

    def damaged(self, column: _SdmxColumn, reason: str) -> DamagedFile:
        return DamagedFile(f"line {self._line}, column {column}: {reason}")


def _rows(content: bytes, needed: list[_SdmxColumn]) -> Iterator[_Row]:
    text = whole_text(content)
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    try:
        header = next(reader, [])
        lacking = [column for column in needed if column not in header]
        if lacking:
            raise DamagedFile(f"it has no column {lacking[0]}; its first line is {first[:120]!r}")
        for cells in reader:
            if len(cells) != len(header):
                raise DamagedFile(
                    f"line {reader.line_num}: {len(cells)} cells where {len(header)} belong"
                )
            yield _Row(reader.line_num, dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        raise DamagedFile(f"line {reader.line_num}: it is no CSV ({error})") from error


def whole_text(content: bytes) -> str:
    """A text whose last line ends, as one does that was not cut.

    Raises:
        DamagedFile: it is no UTF-8 text, or ends within a line.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DamagedFile(f"it is no UTF-8 text ({error.reason})") from error
    if not text.endswith("\n"):
        raise DamagedFile(f"it ends within a line; it begins with {text[:80]!r}")
    return text
