"""Builds pandas frames with typed columns from rows."""

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
    """The kind of a column, which determines its pandas type."""

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
    """Returns a frame with these columns in this order, also when there are no rows.

    Args:
        rows: Each with a value, or None, for every column.
        columns: The columns by name.
        units: The units of numeric columns; the frame has them in `attrs["units"]`.

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
    """Returns one column of numbers per series, by day. A day that a series lacks is NaN in its
    column.

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
        message = f"frames need pandas; run {install_words(Extra.FRAMES)}"
        raise FramesMissing(message) from None
    return pandas
