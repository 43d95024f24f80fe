"""Files of yields, oil and stocks as their publishers write them, of values that a test gives."""

import json
from collections.abc import Iterable, Mapping
from datetime import date

Values = Mapping[date, str]

BESIDE = ("XM 2 beside", "XM 10 beside")
"""Series of the Bundesbank, one in each file."""

_YEARS = ("1 Mo", "2 Mo", "3 Mo", "6 Mo", "1 Yr", "2 Yr", "3 Yr", "5 Yr", "7 Yr", "10 Yr", "30 Yr")
_JAPAN = ("1Y", "2Y", "3Y", "5Y", "10Y", "20Y", "40Y")


def _lines(*lines: str) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def us_treasury(two: Values, ten: Values) -> bytes:
    """The par yield curve of a year, newest day first."""
    rows = []
    for day in sorted(two, reverse=True):
        cells = [{"2 Yr": two[day], "10 Yr": ten[day]}.get(column, "4.00") for column in _YEARS]
        rows.append(",".join([f"{day:%m/%d/%Y}", *cells]))
    return _lines("Date," + ",".join(f'"{column}"' for column in _YEARS), *rows)


def ecb_curve(two: Values, ten: Values) -> bytes:
    """SDMX-CSV of the AAA spot curve."""
    head = "KEY,FREQ,REF_AREA,CURRENCY,PROVIDER_FM,INSTRUMENT_FM,PROVIDER_FM_ID,DATA_TYPE_FM"
    rows = [
        f"YC.B.U2.EUR.4F.G_N_A.SV_C_YM.{code},B,U2,EUR,4F,G_N_A,SV_C_YM,{code},{day},{value}"
        for code, values in (("SR_2Y", two), ("SR_10Y", ten))
        for day, value in sorted(values.items())
    ]
    return _lines(f"{head},TIME_PERIOD,OBS_VALUE", *rows)


def mof_japan(two: Values, ten: Values) -> bytes:
    """The Ministry of Finance's table, with its line of title and its days without zeros."""
    rows = []
    for day in sorted(two):
        cells = [{"2Y": two[day], "10Y": ten[day]}.get(column, "-") for column in _JAPAN]
        rows.append(",".join([f"{day.year}/{day.month}/{day.day}", *cells]))
    return _lines("Interest Rate,,,,,,(Unit : %)", f"Date,{','.join(_JAPAN)}", *rows)


def bundesbank(values: Values) -> bytes:
    """SDMX-CSV of one series, its cells set apart by semicolons."""
    rows = [f"BBSIS;D;I;R;{day};{value};A" for day, value in sorted(values.items())]
    return _lines("DATAFLOW;FREQ;TYPE;ADJ;TIME_PERIOD;OBS_VALUE;STATUS", *rows)


def riksbank(values: Values) -> bytes:
    """Observations of one series."""
    rows = [{"date": day.isoformat(), "value": float(v)} for day, v in sorted(values.items())]
    return json.dumps(rows).encode()


def table(head: Iterable[str], columns: Iterable[str], pattern: str, *series: Values) -> bytes:
    """A table with a line a day and a column a series, behind some lines of its publisher's."""
    days = sorted({day for values in series for day in values})
    rows = [
        ",".join([day.strftime(pattern), *(values.get(day, "") for values in series)])
        for day in days
    ]
    return _lines(*head, ",".join(columns), *rows)


def file_of(key: str, values: Mapping[str, Values]) -> bytes:
    """The file of a publisher by its key, with the series by their names in the desk."""

    def of(name: str) -> Values:
        return values.get(name, {})

    match key:
        case "us_treasury":
            return us_treasury(of("US 2"), of("US 10"))
        case "ecb_yield_curve":
            return ecb_curve(of("XM 2"), of("XM 10"))
        case "mof_japan":
            return mof_japan(of("JP 2"), of("JP 10"))
        case "bank_of_canada_yields":
            columns = ("date", "BD.CDN.2YR.DQ.YLD", "BD.CDN.10YR.DQ.YLD")
            head = ('"TERMS AND CONDITIONS"', '"OBSERVATIONS"')
            return table(head, columns, "%Y-%m-%d", of("CA 2"), of("CA 10"))
        case "reserve_bank_of_australia_yields":
            columns = ("Series ID", "FCMYGBAG2D", "FCMYGBAG10D")
            head = ("F2  CAPITAL MARKET YIELDS,", "Units,Per cent,Per cent")
            return table(head, columns, "%d-%b-%Y", of("AU 2"), of("AU 10"))
        case "bank_of_england_yields":
            return table((), ("DATE", "IUDMNPY"), "%d %b %Y", of("GB 10"))
        case "bundesbank":
            return bundesbank(next(of(name) for name in BESIDE if of(name)))
        case "riksbank_yields":
            return riksbank(of("GB 10 beside"))
        case "oil":
            columns = ("observation_date", "DCOILWTICO", "DCOILBRENTEU")
            return table((), columns, "%Y-%m-%d", of("wti"), of("brent"))
        case _:
            return table((), ("observation_date", "SP500"), "%Y-%m-%d", of("sp500"))
