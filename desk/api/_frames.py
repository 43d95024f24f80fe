"""Rows as a pandas frame whose columns have the types that their kinds say."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from desk.contracts.agents.extras import Extra, install_words

if TYPE_CHECKING:
    from pandas import DataFrame


class FramesMissing(ImportError):
    """pandas is not installed. The message says how to install it."""


class Column(StrEnum):
    """The kind of a column, which decides its pandas type."""

    TEXT = "str"
    NUMBER = "float64"
    """Missing is NaN. The exact decimal is in the document."""
    COUNT = "int64"
    FLAG = "bool"
    DAY = "datetime64[s]"
    """Missing is NaT."""
    INSTANT = "datetime64[us, UTC]"


def frame(
    rows: Iterable[Mapping[str, object]],
    columns: Mapping[str, Column],
    units: Mapping[str, str] | None = None,
) -> "DataFrame":
    """A frame with these columns in this order, whether there are rows or not.

    Args:
        rows: Each with a value, or None, for every column.
        columns: The columns by name.
        units: What the numbers of a column are counted in; the frame keeps it as
            `attrs["units"]`.

    Raises:
        FramesMissing: pandas is not installed.
    """
    pandas = _pandas()
    listed = list(rows)
    made = pandas.DataFrame(
        {
            name: pandas.Series([_plain(row[name]) for row in listed], dtype=kind.value)
            for name, kind in columns.items()
        }
    )
    made.attrs["units"] = {name: str(unit) for name, unit in (units or {}).items()}
    return made


def series_frame(series: Mapping[str, Mapping[Any, Decimal]]) -> "DataFrame":
    """A column of numbers for each series, by day. A day that a series lacks is NaN in it.

    Raises:
        FramesMissing: pandas is not installed.
    """
    pandas = _pandas()
    days = sorted({day for values in series.values() for day in values})
    index = pandas.DatetimeIndex(days, dtype=Column.DAY.value, name="day")
    return pandas.DataFrame(
        {
            name: pandas.Series(
                [float(values[day]) if day in values else None for day in days],
                index=index,
                dtype=Column.NUMBER.value,
            )
            for name, values in series.items()
        },
        index=index,
    )


def _plain(value: object) -> object:
    return float(value) if isinstance(value, Decimal) else value


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        told = f"frames need pandas; run {install_words(Extra.FRAMES)}"
        raise FramesMissing(told) from None
    return pandas
