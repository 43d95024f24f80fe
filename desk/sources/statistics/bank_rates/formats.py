"""The files in which policy rates are recorded, read into series by area, in percent a year.

Each reader takes the bytes of a whole file and raises `DamagedFile` for anything that is not the
file.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Final

from desk.sources.serving.daily_series import (
    DailySeries,
    add_value,
    csv_lines,
    day_as,
    read_long,
    read_wide,
    whole,
)
from desk.sources.serving.kept_file import DamagedFile

IMF_AREAS: Final[Mapping[str, str]] = {
    "IDN": "ID",
    "IND": "IN",
    "KOR": "KR",
    "MYS": "MY",
    "NZL": "NZ",
    "PHL": "PH",
    "THA": "TH",
}
"""Countries whose monetary policy-related rate at the IMF is the instrument that the desk has."""

ISO_DAY: Final = day_as("%Y-%m-%d")


def table(
    first_column: str, columns: Mapping[str, str], pattern: str = "%Y-%m-%d"
) -> Callable[[bytes], DailySeries]:
    """A reader of a table with a line a day and a column a series."""
    return lambda content: read_wide(csv_lines(content), first_column, columns, day_as(pattern))


def read_snb(content: bytes) -> DailySeries:
    """A cube of the Swiss National Bank's data portal: lines of day, series and value."""
    lines = csv_lines(content, ";")
    return read_long(lines, ("D0", "Date", "Value"), {"LZ": "CH"}, ISO_DAY)


def read_hkma(content: bytes) -> DailySeries:
    """An answer of the HKMA's API on daily interbank liquidity, with the base rate of each day."""
    return _rows_of_json(content, ("result", "records"), "end_of_date", "disc_win_base_rate", "HK")


def _rows_of_json(
    content: bytes, path: Iterable[str], day_field: str, value_field: str, area: str
) -> DailySeries:
    try:
        rows = json.loads(content, parse_float=Decimal, parse_int=Decimal)
        for key in path:
            rows = rows[key]
        days = {
            str(row[day_field]): "" if row[value_field] is None else str(row[value_field])
            for row in rows
        }
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DamagedFile(f"it is no list of days and values ({error})") from error
    values: dict[date, Decimal] = {}
    for cell, value in days.items():
        day = ISO_DAY(cell)
        if day is None:
            raise DamagedFile(f"{cell[:40]!r} is no day")
        add_value(values, day, value)
    return whole({area: values})


def read_imf(content: bytes) -> DailySeries:
    """The IMF's dataflow MFS_IR as SDMX-CSV: averages of months, by the first day of each."""
    columns = ("COUNTRY", "TIME_PERIOD", "OBS_VALUE")
    return read_long(csv_lines(content), columns, IMF_AREAS, day_as("%Y-M%m"))
