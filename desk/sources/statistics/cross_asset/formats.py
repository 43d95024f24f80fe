"""The files of yields and prices, read into series: an area and a maturity in years such as `US 2`,
or a name such as `brent`. Yields are percent a year."""

from collections.abc import Mapping

from desk.sources.serving.daily_series import (
    DailySeries,
    csv_lines,
    day_as,
    read_long,
    read_wide,
)


def read_table(
    first_column: str, columns: Mapping[str, str], pattern: str, content: bytes
) -> DailySeries:
    """A table with a line a day and a column a series.

    Raises:
        DamagedFile: it is no such table.
    """
    return read_wide(csv_lines(content), first_column, columns, day_as(pattern))


def read_ecb_curve(content: bytes) -> DailySeries:
    """The ECB's dataflow YC as SDMX-CSV: spot rates of the AAA curve.

    Raises:
        DamagedFile: it is no such file.
    """
    columns = ("DATA_TYPE_FM", "TIME_PERIOD", "OBS_VALUE")
    series = {"SR_2Y": "XM 2", "SR_10Y": "XM 10"}
    return read_long(csv_lines(content), columns, series, day_as("%Y-%m-%d"))
