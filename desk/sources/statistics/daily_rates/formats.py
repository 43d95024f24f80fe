"""Parses the files of five publishers' daily exchange rates into one form.

Each reader takes the bytes of a whole file and returns its series by currency, in units of that
currency for one unit of the publisher's base. It raises `DamagedFile` for anything else: a page of
HTML, a missing column, a value that is not a rate.
"""

from collections.abc import Collection, Mapping
from datetime import date
from decimal import Decimal
from typing import Final

from desk.sources.serving.daily_series import (
    DailySeries,
    csv_lines,
    day_as,
    long_table,
    read_wide,
    whole,
)
from desk.sources.serving.kept_file import DamagedFile

LEAST_DIGITS: Final = 3
"""A rate with fewer significant digits is too coarse for a day's level: the Bank of Canada gives
one rupiah as 0.000089 Canadian dollars."""

IN_DOLLARS: Final = "RXI$US_N.B."
IN_UNITS: Final = "RXI_N.B."

H10: Final[Mapping[str, str]] = {
    f"{IN_DOLLARS}AL": "AUD",
    f"{IN_DOLLARS}EU": "EUR",
    f"{IN_DOLLARS}NZ": "NZD",
    f"{IN_DOLLARS}UK": "GBP",
    f"{IN_UNITS}CA": "CAD",
    f"{IN_UNITS}CH": "CNY",
    f"{IN_UNITS}HK": "HKD",
    f"{IN_UNITS}IN": "INR",
    f"{IN_UNITS}JA": "JPY",
    f"{IN_UNITS}KO": "KRW",
    f"{IN_UNITS}MA": "MYR",
    f"{IN_UNITS}NO": "NOK",
    f"{IN_UNITS}SD": "SEK",
    f"{IN_UNITS}SI": "SGD",
    f"{IN_UNITS}SZ": "CHF",
    f"{IN_UNITS}TA": "TWD",
    f"{IN_UNITS}TH": "THB",
}
"""Columns of the Data Download Program's package of daily rates, by the Federal Reserve's codes of
countries: US dollars for one unit, or units for one US dollar."""

BANK_OF_ENGLAND: Final[Mapping[str, str]] = {
    "XUDLADD": "AUD",
    "XUDLCDD": "CAD",
    "XUDLSFD": "CHF",
    "XUDLBK73": "CNY",
    "XUDLERD": "EUR",
    "XUDLGBD": "GBP",
    "XUDLHDD": "HKD",
    "XUDLBK64": "INR",
    "XUDLJYD": "JPY",
    "XUDLBK74": "KRW",
    "XUDLBK66": "MYR",
    "XUDLNKD": "NOK",
    "XUDLNDD": "NZD",
    "XUDLSKD": "SEK",
    "XUDLSGD": "SGD",
    "XUDLBK72": "THB",
    "XUDLTWD": "TWD",
}
"""Series of the database IADB, "Spot exchange rate, … into US$": units for one US dollar."""

BANK_OF_CANADA: Final[Mapping[str, str]] = {
    f"FX{code}CAD": code
    for code in (
        *("AUD", "CHF", "CNY", "EUR", "GBP", "HKD", "IDR", "INR", "JPY", "KRW", "NOK", "NZD"),
        *("SEK", "SGD", "TWD", "USD"),
    )
}
"""Series of the group FX_RATES_DAILY: Canadian dollars for one unit."""

RESERVE_BANK_OF_AUSTRALIA: Final[Mapping[str, str]] = {
    "FXRUSD": "USD",
    "FXRCR": "CNY",
    "FXRJY": "JPY",
    "FXREUR": "EUR",
    "FXRSKW": "KRW",
    "FXRUKPS": "GBP",
    "FXRSD": "SGD",
    "FXRIRE": "INR",
    "FXRTB": "THB",
    "FXRNZD": "NZD",
    "FXRNTD": "TWD",
    "FXRMR": "MYR",
    "FXRIR": "IDR",
    "FXRHKD": "HKD",
    "FXRCD": "CAD",
    "FXRSF": "CHF",
    "FXRPHP": "PHP",
}
"""Series of the table F11.1: units for one Australian dollar."""

BIS_AREAS: Final[Mapping[str, str]] = {
    "AU": "AUD",
    "CA": "CAD",
    "CH": "CHF",
    "CN": "CNY",
    "GB": "GBP",
    "HK": "HKD",
    "ID": "IDR",
    "IN": "INR",
    "JP": "JPY",
    "KR": "KRW",
    "MY": "MYR",
    "NO": "NOK",
    "NZ": "NZD",
    "PH": "PHP",
    "SE": "SEK",
    "SG": "SGD",
    "TH": "THB",
    "TW": "TWD",
    "XM": "EUR",
}
"""Areas of the dataflow WS_XRU that are requested: units of the currency for one US dollar."""

_ISO_DAY = day_as("%Y-%m-%d")
_READ_SDMX = long_table(
    ("FREQ", "REF_AREA", "CURRENCY"),
    {f"D.{area}.{code}": code for area, code in BIS_AREAS.items()},
)


def read_h10(content: bytes) -> DailySeries:
    """The Federal Reserve's package of H.10 daily rates: units for one US dollar."""
    found = read_wide(csv_lines(content), "Time Period", H10, _ISO_DAY)
    in_dollars = {code for column, code in H10.items() if column.startswith(IN_DOLLARS)}
    return _rates(found, turned=in_dollars)


def read_bank_of_england(content: bytes) -> DailySeries:
    """An answer of the Bank of England's IADB as CSV with codes: units for one US dollar."""
    lines = csv_lines(content)
    return _rates(read_wide(lines, "DATE", BANK_OF_ENGLAND, day_as("%d %b %Y")))


def read_bank_of_canada(content: bytes) -> DailySeries:
    """An answer of the Bank of Canada's Valet as CSV: units for one Canadian dollar."""
    found = read_wide(csv_lines(content), "date", BANK_OF_CANADA, _ISO_DAY)
    return _rates(found, turned=BANK_OF_CANADA.values())


def read_reserve_bank_of_australia(content: bytes) -> DailySeries:
    """The Reserve Bank of Australia's table F11.1: units for one Australian dollar."""
    lines = csv_lines(content)
    return _rates(read_wide(lines, "Series ID", RESERVE_BANK_OF_AUSTRALIA, day_as("%d-%b-%Y")))


def read_bis(content: bytes) -> DailySeries:
    """An answer of the BIS's API on WS_XRU as SDMX-CSV, daily: units for one US dollar."""
    return _rates(_READ_SDMX(content))


def _rates(found: DailySeries, turned: Collection[str] = ()) -> DailySeries:
    """The series without rates that are too coarse. Those of `turned` currencies are inverted."""
    series: dict[str, dict[date, Decimal]] = {}
    for code, values in found.series.items():
        fine = {day: value for day, value in values.items() if _is_rate(day, value)}
        series[code] = {d: 1 / v for d, v in fine.items()} if code in turned else fine
    return whole(series)


def _is_rate(day: date, value: Decimal) -> bool:
    if value <= 0:
        raise DamagedFile(f"the rate of {day} is {value}")
    return len(value.as_tuple().digits) >= LEAST_DIGITS
