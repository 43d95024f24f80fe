"""Reading WS_CBPOL as the BIS's statistical API gives it in CSV: rates by area and period.

A row is one observation. Its columns go by their names: `FREQ` (D or M), `REF_AREA`,
`TIME_PERIOD` (2026-10-30 or 2026-10) and `OBS_VALUE` (percent a year, NaN where there is none);
others, such as `UNIT_MEASURE` or `TITLE`, are not read. Format: SDMX-CSV, and
https://data.bis.org/topics/CBPOL. The data set counts for central banks by ISO code, XM for the
euro area.
"""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from enum import StrEnum

from desk.sources.central_banks.facts_table import day, figure
from desk.sources.serving.kept_file import DamagedFile

_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_NO_VALUE = frozenset({"", "NaN"})


class Frequency(StrEnum):
    """How often a series of the BIS has a value."""

    DAILY = "D"
    MONTHLY = "M"


class _Column(StrEnum):
    FREQUENCY = "FREQ"
    AREA = "REF_AREA"
    PERIOD = "TIME_PERIOD"
    VALUE = "OBS_VALUE"


Rates = Mapping[str, Mapping[date, Decimal]]
"""Rates by area and day; a month's by its first day."""


def read_policy_rates(content: bytes, frequency: Frequency) -> Rates:
    """The rates of one frequency, percent a year, of areas that have any.

    Raises:
        DamagedFile: it is no such file, or not the whole of it. The text says where and why.
    """
    rates: dict[str, dict[date, Decimal]] = defaultdict(dict)
    for row in _rows(content):
        if row.frequency == frequency and (value := row.value()) is not None:
            period = row.period(frequency)
            if rates[row.area].setdefault(period, value) != value:
                raise row.damaged(_Column.PERIOD, f"{row.area} has {period} twice")
    if not rates:
        raise DamagedFile(f"it has no rates of frequency {frequency}")
    return rates


class _Row:
    """One observation, with its line for an error."""

    def __init__(self, line: int, cells: Mapping[str, str]) -> None:
        self._line = line
        self._cells = cells
        self.frequency = cells[_Column.FREQUENCY]
        self.area = cells[_Column.AREA]

    def value(self) -> Decimal | None:
        cell = self._cells[_Column.VALUE]
        if cell in _NO_VALUE:
            return None
        try:
            return figure(cell)
        except ValueError as error:
            raise self.damaged(_Column.VALUE, f"{cell[:40]!r} {error}") from error

    def period(self, frequency: Frequency) -> date:
        cell = self._cells[_Column.PERIOD]
        try:
            if frequency is Frequency.DAILY:
                return day(cell)
            if _MONTH.fullmatch(cell):
                return date.fromisoformat(f"{cell}-01")
        except ValueError as error:
            raise self.damaged(_Column.PERIOD, f"{cell[:40]!r} {error}") from error
        raise self.damaged(_Column.PERIOD, f"{cell[:40]!r} is not a month such as 2026-10")

    def damaged(self, column: _Column, reason: str) -> DamagedFile:
        return DamagedFile(f"line {self._line}, column {column}: {reason}")


def _rows(content: bytes) -> Iterator[_Row]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DamagedFile(f"it is no UTF-8 text ({error.reason})") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
        _require_columns(header)
        if not text.endswith("\n"):
            raise DamagedFile("it ends within a line")
        for cells in reader:
            if len(cells) != len(header):
                raise DamagedFile(
                    f"line {reader.line_num}: {len(cells)} cells where {len(header)} belong"
                )
            yield _Row(reader.line_num, dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        raise DamagedFile(f"line {reader.line_num}: it is no CSV ({error})") from error


def _require_columns(header: list[str]) -> None:
    lacking = [column for column in _Column if column not in header]
    if lacking:
        shown = ",".join(header)[:120]
        raise DamagedFile(f"it has no column {lacking[0]}; its first line is {shown!r}")
