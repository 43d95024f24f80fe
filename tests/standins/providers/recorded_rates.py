"""Policy rates as two banks, the interbank centre in Shanghai and the IMF give them, and a market
rate of Japan, beside those of `policy_rates`."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import partial

from desk.sources.serving.daily_series import Publisher
from desk.sources.statistics.bank_rates import RATE_PUBLISHERS
from desk.sources.statistics.bank_rates.publishers import IMF_AREAS
from tests.standins.provider import NOT_FOUND, Ask, Provider, Reply
from tests.standins.providers.policy_rates import policy_rates

FIRST_DAY = date(2023, 1, 1)
_SATURDAY = 5

Levels = Mapping[date, Decimal]


def _levels(area: str, until: date, *, whole_week: bool = False) -> Levels:
    """The rate in force on each working day, or each day."""
    series = policy_rates(area, until)
    found: dict[date, Decimal] = {}
    day = FIRST_DAY
    while series is not None and day <= until:
        level = series.level_on(day)
        if level is not None and (whole_week or day.weekday() < _SATURDAY):
            found[day] = level
        day += timedelta(days=1)
    return found


def _lines(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def _australia(until: date) -> str:
    rows = (f"{day:%d-%b-%Y},{level}," for day, level in _levels("AU", until).items())
    head = ("F1  INTEREST RATES AND YIELDS", "Title,Cash Rate Target,Other", "Units,Per cent,")
    return _lines(*head, "Series ID,FIRMMCRTD,FIRMMCRID", *rows)


def _switzerland(until: date) -> str:
    head = ('"CubeId";"snbgwdzid"', '"PublishingDate";"2026-11-02 10:00"', "")
    rows = (f'"{day}";"LZ";"{level}"' for day, level in _levels("CH", until).items())
    return _lines(*head, '"Date";"D0";"Value"', *rows)


def _imf(until: date) -> str:
    head = "DATAFLOW,COUNTRY,INDICATOR,FREQUENCY,TIME_PERIOD,OBS_VALUE"
    return _lines(head, *(row for code in IMF_AREAS for row in _months(code, until)))


def _months(code: str, until: date) -> Iterator[str]:
    months: dict[str, list[Decimal]] = {}
    for day, level in _levels(IMF_AREAS[code], until, whole_week=True).items():
        months.setdefault(f"{day:%Y-M%m}", []).append(level)
    for month, levels in months.items():
        average = sum(levels, Decimal(0)) / len(levels)
        yield f"IMF.STA:MFS_IR(9.0.0),{code},MFS166_RT_PT_A_PT,M,{month},{average:.6g}"


def _japan(until: date) -> str:
    """The bank keeps the call rate some hundredths below its guideline."""
    levels = _levels("JP", until)
    values = [
        None if day.weekday() == _SATURDAY else float(level) - 0.02 - 0.001 * (day.day % 7)
        for day, level in levels.items()
    ]
    told = {
        "SERIES_CODE": "STRDCLUCON",
        "VALUES": {"SURVEY_DATES": [int(f"{day:%Y%m%d}") for day in levels], "VALUES": values},
    }
    return json.dumps({"STATUS": 200, "RESULTSET": [told], "NEXTPOSITION": None})


def _oecd(until: date) -> str:
    """Averages of months of overnight rates, some hundredths off the policy rate."""
    head = "DATAFLOW,REF_AREA,FREQ,MEASURE,UNIT_MEASURE,TIME_PERIOD,OBS_VALUE,OBS_STATUS"
    rows = [
        f"OECD.SDD.STES:DSD_STES@DF_FINMARK(4.0),{country},M,IRSTCI,PA,{month},{mean:.4f},A"
        for country, area, off in (("KOR", "KR", "0.011"), ("NZL", "NZ", "0"))
        for month, mean in _means(area, until, Decimal(off))
    ]
    return _lines(head, *rows)


def _means(area: str, until: date, off: Decimal) -> Iterator[tuple[str, Decimal]]:
    months: dict[str, list[Decimal]] = {}
    for day, level in _levels(area, until, whole_week=True).items():
        months.setdefault(f"{day:%Y-%m}", []).append(level)
    for month, levels in months.items():
        yield month, sum(levels, Decimal(0)) / len(levels) + off


def _china(until: date) -> str:
    """The loan prime rate is told on about the 20th of each month."""
    levels = _levels("CN", until)
    days = [
        min(
            (day for day in levels if (day.year, day.month) == month and day.day >= 20),
            default=None,
        )
        for month in dict.fromkeys((day.year, day.month) for day in levels)
    ]
    rows = [
        {
            "showDateCN": f"{day}",
            "1Y": f"{levels[day]:.2f}",
            "5Y": f"{levels[day] + Decimal('0.5'):.2f}",
        }
        for day in days
        if day is not None and day >= date(until.year - 1, 12, 20)
    ]
    return json.dumps({"data": {"message": ""}, "records": rows[::-1]})


_WRITERS: Mapping[str, Callable[[date], str]] = {
    "reserve_bank_of_australia_rate": _australia,
    "swiss_national_bank_rate": _switzerland,
    "bank_of_japan_call_rate": _japan,
    "loan_prime_rate": _china,
    "imf_rates": _imf,
    "oecd_overnight": _oecd,
}


def file_of(publisher: Publisher, until: date) -> bytes:
    """A publisher's file as it was at the end of a day."""
    instant, last = datetime.combine(until, time(23, 59), UTC), until
    while publisher.published(last, ()) > instant:
        last -= timedelta(days=1)
    return _WRITERS[publisher.key](last).encode()


def _answer(publisher: Publisher, ask: Ask) -> Reply:
    if ask.route != publisher.path.partition("?")[0].lstrip("/"):
        return NOT_FOUND
    content = file_of(publisher, ask.until - timedelta(days=40) if ask.late else ask.until)
    if ask.renamed:
        for column in (
            b"DFEDTARL",
            b"OBS_VALUE",
            b"IUDBEDR",
            b"V39079",
            b"FIRMMCRTD",
            b"alue",
            b"VALUES",
            b"showDateCN",
        ):
            content = content.replace(column, b"RENAMED")
    return Reply(content, "text/csv; charset=utf-8")


def _arguments(publisher: Publisher, url: str) -> Mapping[str, tuple[str, ...]]:
    return {"official_statistics": ("--url", f"{publisher.key}={url}")}


PROVIDERS = tuple(
    Provider(each.key, partial(_answer, each), partial(_arguments, each))
    for each in RATE_PUBLISHERS
)
