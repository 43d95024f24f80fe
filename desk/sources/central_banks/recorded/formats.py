"""The files in which banks give their own policy rate by day, read into series by area.

Each reader takes a whole file. It raises `DamagedFile` for anything else: a page of HTML, a part of
the file, a column or a field that is not there, a value that is no rate.
"""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Annotated, TypeVar

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from desk.sources.central_banks.recorded.sdmx_csv import whole_text
from desk.sources.serving.daily_series import DailySeries, csv_lines, day_as, read_wide, whole
from desk.sources.serving.kept_file import DamagedFile

LOW, HIGH = "{} low", "{} high"
"""Names of the series with the ends of an area's target range."""

_Form = TypeVar("_Form")
_Rate = Annotated[Decimal, Field(allow_inf_nan=False)]


class _FederalFunds(BaseModel):
    day: date = Field(alias="effectiveDate")
    low: _Rate = Field(alias="targetRateFrom")
    high: _Rate = Field(alias="targetRateTo")


class _ReferenceRates(BaseModel):
    rates: list[_FederalFunds] = Field(alias="refRates")


class _Observation(BaseModel):
    day: date = Field(alias="date")
    value: _Rate


def read_federal_funds(content: bytes) -> DailySeries:
    """The federal funds target range as the New York Fed gives it beside the effective rate
    (https://markets.newyorkfed.org/static/docs/markets-api.html): its midpoint, and its ends."""
    rows = _parsed(TypeAdapter(_ReferenceRates), content).rates
    return whole(
        {
            "US": {row.day: (row.low + row.high) / 2 for row in rows},
            LOW.format("US"): {row.day: row.low for row in rows},
            HIGH.format("US"): {row.day: row.high for row in rows},
        }
    )


def read_riksbank(content: bytes) -> DailySeries:
    """Observations of the Riksbank's SWEA API (https://developer.api.riksbank.se)."""
    rows = _parsed(TypeAdapter(list[_Observation]), content)
    return whole({"SE": {row.day: row.value for row in rows}})


def wide_csv(
    area: str, first_column: str, column: str, pattern: str
) -> Callable[[bytes], DailySeries]:
    """A reader of CSV with a line a day: `first_column` has the days, written as `pattern` says."""

    def read(content: bytes) -> DailySeries:
        lines = csv_lines(whole_text(content).encode())
        return read_wide(lines, first_column, {column: area}, day_as(pattern))

    return read


def _parsed(form: TypeAdapter[_Form], content: bytes) -> _Form:
    try:
        return form.validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise DamagedFile(f"it is not the JSON expected ({place}: {first['msg']})") from error
