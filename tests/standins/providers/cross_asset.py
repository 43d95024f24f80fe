"""Yields, oil and stocks of the publishers that `cross_asset` asks: all values are invented."""

import zlib
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, partial

from desk.sources.serving.daily_series import Publisher
from desk.sources.statistics.cross_asset.publishers import JAPAN_MONTH, publishers
from tests.standins.provider import NOT_FOUND, Ask, Provider, Reply
from tests.support.files.market_files import file_of

FIRST_DAY = date(2024, 1, 1)
_SATURDAY = 5
START = {
    "US 2": 3.60,
    "US 10": 4.20,
    "XM 2": 2.40,
    "XM 10": 2.90,
    "JP 2": 1.40,
    "JP 10": 2.10,
    "CA 2": 2.60,
    "CA 10": 3.20,
    "AU 2": 4.10,
    "AU 10": 4.60,
    "GB 10": 4.50,
    "wti": 72.0,
    "brent": 76.0,
    "sp500": 5200.0,
}
"""Where each series begins."""

BESIDE = "beside"
"""Behind the name of a series: another publisher's, some hundredths higher."""

COLUMNS = ("2 Yr", "OBS_VALUE", "2Y", "BD.CDN.2YR.DQ.YLD", "FCMYGBAG2D", "IUDMNPY", "DCOILWTICO")


ONE_SERIES = {"yields-de-2.csv": f"XM 2 {BESIDE}", "yields-de-10.csv": f"XM 10 {BESIDE}"}
"""Files of the Bundesbank, and the series in each."""


@cache
def values(name: str, until: date) -> Mapping[date, str]:
    """A series by working day: up to 4 hundredths, or 1 %, up or down a day, the same each time."""
    found: dict[date, str] = {}
    level, day = START[name], FIRST_DAY
    while day <= until:
        if day.weekday() < _SATURDAY:
            step = (zlib.crc32(f"{name} {day}".encode()) % 81 - 40) / 4000
            level += step * 4 if name[0].isupper() else level * step
            found[day] = f"{level:.2f}"
        day += timedelta(days=1)
    return found


def content_of(publisher: Publisher, until: date) -> bytes:
    """A publisher's file as it was at the end of a day."""
    instant, last = datetime.combine(until, time(23, 59), UTC), until
    while publisher.published(last, ()) > instant:
        last -= timedelta(days=1)
    told = {name: dict(values(name, last)) for name in START}
    told |= {
        f"{name} {BESIDE}": {day: f"{float(told[name][day]) + 0.03:.2f}" for day in told[name]}
        for name in ("XM 2", "XM 10", "GB 10")
    }
    if publisher.file in ONE_SERIES:
        told = {name: told[name] for name in told if name == ONE_SERIES[publisher.file]}
    if publisher.file.startswith("yields-us-"):
        year = int(publisher.file[-8:-4])
        of_year = (date(year, 1, 1), date(year, 12, 31))
        told = {name: _within(days, *of_year) for name, days in told.items()}
    elif publisher is JAPAN_MONTH:
        told = {name: _within(days, last.replace(day=1), last) for name, days in told.items()}
    elif publisher.key == JAPAN_MONTH.key:
        before = last.replace(day=1) - timedelta(days=1)
        told = {name: _within(days, FIRST_DAY, before) for name, days in told.items()}
    return file_of(publisher.key, told)


def _within(days: Mapping[date, str], first: date, last: date) -> dict[date, str]:
    return {day: value for day, value in days.items() if first <= day <= last}


def _answer(key: str, ask: Ask) -> Reply:
    until = ask.until - timedelta(days=40) if ask.late else ask.until
    for publisher in publishers(ask.until.year):
        if publisher.key == key and ask.route == publisher.path.partition("?")[0].lstrip("/"):
            content = content_of(publisher, until)
            if ask.renamed:
                for column in (*COLUMNS, "SP500", '"value"'):
                    content = content.replace(column.encode(), b"RENAMED")
            if ask.revised:
                line = content.rstrip().rpartition(b"\n")[2]
                content = content.replace(line, line[:-1] + b"9")
            return Reply(content, "text/csv; charset=utf-8")
    return NOT_FOUND


def _arguments(key: str, url: str) -> Mapping[str, tuple[str, ...]]:
    return {"cross_asset": ("--url", f"{key}={url}")}


PROVIDERS = tuple(
    Provider(f"{key}_markets", partial(_answer, key), partial(_arguments, key))
    for key in dict.fromkeys(publisher.key for publisher in publishers(2026))
)
