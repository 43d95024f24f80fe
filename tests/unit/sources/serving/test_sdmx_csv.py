"""Rates in SDMX-CSV: any order of columns, and never a part as if it were the whole."""

import csv
import io
from collections.abc import Mapping
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.sources.serving.daily_series import long_table
from desk.sources.serving.kept_file import DamagedFile

COLUMNS = ["FREQ", "REF_AREA", "UNIT_MEASURE", "COMPILATION", "TIME_PERIOD", "OBS_VALUE"]
NOTE = 'From 1999 on: a rate, "as chosen";\nbefore: another'
DAYS = st.dates(date(2026, 1, 1), date(2027, 12, 31))
RATES = st.decimals(-2, 30, places=4)
AREAS = ["US", "JP", "XM", "GB"]
SERIES = st.dictionaries(
    st.sampled_from(AREAS),
    st.dictionaries(DAYS, RATES, min_size=1, max_size=8),
    min_size=1,
)
daily = long_table(("FREQ", "REF_AREA"), {f"D.{area}": area for area in AREAS}, whole_text=True)
"""Reads the daily values of each area."""


def written(
    series: Mapping[str, Mapping[date, Decimal]], columns: list[str], end: str = "\n"
) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=end)
    writer.writerow(columns)
    for area, by_day in series.items():
        for day, rate in by_day.items():
            row = ["D", area, "368", NOTE, day.isoformat(), str(rate)]
            writer.writerow([row[COLUMNS.index(column)] for column in columns])
    return text.getvalue().encode()


@given(SERIES, st.permutations(COLUMNS), st.sampled_from(["\n", "\r\n"]))
def test_what_is_written_is_read_whatever_the_order_of_the_columns(
    series: dict[str, dict[date, Decimal]], columns: list[str], end: str
) -> None:
    read = daily(written(series, columns, end)).series
    assert {area: values for area, values in read.items() if values} == series


@given(SERIES, st.data())
def test_a_part_of_a_file_is_refused_or_has_no_other_rates(
    series: dict[str, dict[date, Decimal]], data: st.DataObject
) -> None:
    whole = written(series, COLUMNS)
    part = whole[: data.draw(st.integers(0, len(whole) - 1))]
    try:
        read = daily(part).series
    except DamagedFile:
        return
    assert all(series[area][day] == rate for area in read for day, rate in read[area].items())


@given(st.binary(max_size=200))
def test_what_is_no_such_file_is_refused_and_nothing_else_is_raised(content: bytes) -> None:
    with pytest.raises(DamagedFile):
        daily(content)


def of(*rows: str, header: str = ",".join(COLUMNS)) -> bytes:
    return ("\n".join((header, *rows)) + "\n").encode()


def test_days_without_a_value_and_the_other_frequency_are_left_out() -> None:
    content = of("D,US,368,,2026-10-30,3.625", "D,US,368,,2026-10-31,NaN", "M,US,368,,2026-10,3.5")
    assert daily(content).series["US"] == {date(2026, 10, 30): Decimal("3.625")}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            of(header="FREQ,REF_AREA,TIME_PERIOD,VALUE"),
            "no columns FREQ, REF_AREA, TIME_",
        ),
        (b"<!DOCTYPE html>\n<html><body>We are down</body></html>\n", "a page of HTML"),
        (of("D,US,368,,2026-10-30"), "line 2: 5 cells where 6 belong"),
        (of("D,US,368,,30 Oct 2026,3.5"), "line 2: '30 Oct 2026' in TIME_PERIOD is no day"),
        (of("D,US,368,,2026-10-30,high"), "line 2: the value of 2026-10-30 is 'high'"),
        (
            of("D,US,368,,2026-10-30,3.5", "D,US,368,,2026-10-30,3.6"),
            "line 3: 2026-10-30 stands in D.US twice",
        ),
        (of("M,US,368,,2026-10,3.5"), "it has no value"),
        (of("D,US,368,,2026-10-30,3.5")[:-1], "it ends within a line"),
        (b"\xff\xfe", "no UTF-8 text"),
    ],
)
def test_a_damaged_file_says_where_and_why(content: bytes, reason: str) -> None:
    with pytest.raises(DamagedFile, match=reason):
        daily(content)


def test_semicolons_and_a_file_of_one_area_are_read() -> None:
    content = b"FREQ;Frequency;TIME_PERIOD;OBS_VALUE\nB;Business;2026-10-30;4.25\n"
    read = long_table(("FREQ",), {"B": "NO"})(content)
    assert read.series == {"NO": {date(2026, 10, 30): Decimal("4.25")}}
