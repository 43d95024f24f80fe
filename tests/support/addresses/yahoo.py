"""An address on this machine that stands in for Yahoo Finance's."""

import json
import struct
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from zoneinfo import ZoneInfo

from tests.support.addresses.local import answering

LONDON = ZoneInfo("Europe/London")
STATEMENTS = "/ws/fundamentals-timeseries/v1/finance/timeseries/"
CALENDAR = "/calendar/earnings"
SUMMARY = "/v10/finance/quoteSummary/"
CRUMB_PATH = "/v1/test/getcrumb"
CRUMB = "invented.crumb/7"
COOKIE = "A3=invented"
NOT_FOUND = {"code": "Not Found", "description": "No data found, symbol may be delisted"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent back: JSON as Yahoo writes it, or whatever else.

    It announces `promised` bytes in place of what it has. With a pause, a byte at a time is sent.
    """

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    promised: int | None = None
    pause_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """One symbol's closes by London day; `running` is the row of a day that is not over.

    `left_out` names a field that its answers lack. With `ignores_range` they hold every close.
    `splits` has the shares that one became on a day.
    """

    closes: Mapping[date, float | None]
    running: tuple[datetime, float] | None = None
    meta: Mapping[str, object] = field(default_factory=dict)
    left_out: str | None = None
    ignores_range: bool = False
    splits: Mapping[date, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rating:
    """A row of the history of ratings, as Yahoo writes it."""

    at: datetime
    firm: str
    grade: str
    grade_before: str = ""
    action: str = "main"
    target: float = 0.0
    target_before: float = 0.0


@dataclass(frozen=True, slots=True)
class Company:
    """Statements, line by line and by the end of the year or quarter, rows of the calendar, the
    ratings, and how many estimates were raised and cut within 30 days.

    A row has the texts of its page: the day, the expected and the reported earnings a share.
    """

    lines: Mapping[str, Mapping[date, float]]
    reports: tuple[tuple[str, str, str], ...] = ()
    currency: str = "USD"
    quarters: Mapping[str, Mapping[date, float]] = field(default_factory=dict)
    ratings: tuple[Rating, ...] = ()
    revisions: tuple[int, int] | None = None


@dataclass(slots=True)
class Upstream:
    """What an address answers with, which a test may change, and what it was asked.

    `instead` has other answers for the paths that start with its keys.
    """

    charts: dict[str, Chart] = field(default_factory=dict)
    matches: tuple[dict[str, object], ...] = ()
    always: Answer | None = None
    companies: dict[str, Company] = field(default_factory=dict)
    instead: dict[str, Answer] = field(default_factory=dict)
    url: str = ""
    asked: list[str] = field(default_factory=list)


def in_json(body: object, status: int = 200) -> Answer:
    """An answer in JSON."""
    return Answer(json.dumps(body).encode(), status)


def match(symbol: str, kind: str = "CURRENCY") -> dict[str, object]:
    """A row of Yahoo's search."""
    return {
        "exchange": "CCY",
        "shortname": symbol,
        "quoteType": kind,
        "symbol": symbol,
        "index": "quotes",
        "score": 30208.0,
        "typeDisp": kind.title(),
        "isYahooFinance": True,
    }


@contextmanager
def yahoo(
    charts: Mapping[str, Chart] | None = None,
    matches: tuple[dict[str, object], ...] = (),
    always: Answer | None = None,
    companies: Mapping[str, Company] | None = None,
) -> Iterator[Upstream]:
    """An address that answers like Yahoo's chart, search, statements and calendar of reports, or
    `always` in one way."""
    upstream = Upstream(dict(charts or {}), matches, always, dict(companies or {}))
    released = threading.Event()
    with answering(_handler(upstream, released), released) as upstream.url:
        yield upstream


def _handler(upstream: Upstream, released: threading.Event) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            upstream.asked.append(self.path)
            cookie = self.headers.get("Cookie") or ""
            answer = upstream.always or answer_of(upstream, self.path, cookie)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(answer.promised or len(answer.body)))
            self.end_headers()
            with suppress(OSError):
                self._send(answer)

        def _send(self, answer: Answer) -> None:
            if answer.pause_seconds is None:
                self.wfile.write(answer.body)
                return
            for byte in answer.body:
                self.wfile.write(bytes((byte,)))
                if released.wait(answer.pause_seconds):
                    return

    return Handler


def answer_of(upstream: Upstream, path: str, cookie: str = "") -> Answer:
    """What an address answers to a path, asked with a cookie."""
    parts = urlsplit(path)
    for start, answer in upstream.instead.items():
        if parts.path.startswith(start):
            return answer
    if parts.path == "/v1/finance/search":
        return in_json({"explains": [], "count": 1, "quotes": upstream.matches, "news": []})
    if parts.path == "/":
        return Answer(b"", 404, {"Set-Cookie": f"{COOKIE}; Path=/"})
    asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
    if parts.path == CRUMB_PATH:
        return Answer(CRUMB.encode() if cookie == COOKIE else b"")
    if parts.path.startswith(SUMMARY):
        if (cookie, asked.get("crumb")) != (COOKIE, CRUMB):
            error = {"code": "Unauthorized", "description": "Invalid Crumb"}
            return in_json({"finance": {"result": None, "error": error}}, 401)
        return summary(upstream.companies.get(asked["symbol"]), asked["modules"])
    if parts.path.startswith(STATEMENTS):
        return statements(upstream.companies.get(asked["symbol"], Company({})), asked)
    if parts.path == CALENDAR:
        return calendar(upstream.companies.get(asked["symbol"], Company({})), asked["symbol"])
    if not parts.path.startswith("/v8/finance/chart/"):
        return Answer(b"<html>Not here</html>", 404)
    symbol = unquote(parts.path.rsplit("/", 1)[1])
    if symbol not in upstream.charts:
        return in_json({"chart": {"result": None, "error": NOT_FOUND}}, 404)
    return _chart(symbol, upstream.charts[symbol], asked)


def statements(company: Company, asked: Mapping[str, str]) -> Answer:
    """The lines asked for, each with its years; a line that the company lacks has none."""
    rows = [_line(company, asked["symbol"], kind) for kind in asked["type"].split(",")]
    return in_json({"timeseries": {"result": rows, "error": None}})


def _line(company: Company, symbol: str, kind: str) -> dict[str, Any]:
    row: dict[str, Any] = {"meta": {"symbol": [symbol], "type": [kind]}}
    quarterly = kind.startswith("quarterly")
    held = company.quarters if quarterly else company.lines
    years = held.get(kind.removeprefix("quarterly" if quarterly else "annual"))
    if years:
        row["timestamp"] = [int(datetime.combine(end, time(), UTC).timestamp()) for end in years]
        row[kind] = [
            {
                "dataId": 20100,
                "asOfDate": end.isoformat(),
                "periodType": "3M" if quarterly else "12M",
                "currencyCode": company.currency,
                "reportedValue": {"raw": value, "fmt": f"{value:.4g}"},
            }
            for end, value in years.items()
        ]
    return row


def summary(company: Company | None, modules: str) -> Answer:
    """The part of a company's summary that is asked for: its ratings, or the trend of estimates."""
    if company is None or not (company.ratings or company.revisions):
        error = {"code": "Not Found", "description": "No fundamentals data found"}
        return in_json({"quoteSummary": {"result": None, "error": error}}, 404)
    if modules == "upgradeDowngradeHistory":
        part: dict[str, object] = {"history": [_graded(each) for each in company.ratings]}
    else:
        raised, cut = company.revisions or (0, 0)
        counts = {"upLast7days": 0, "upLast30days": raised, "downLast30days": cut}
        told = {name: {"raw": count, "fmt": f"{count}"} for name, count in counts.items()}
        told["downLast90days"] = {}
        periods = ("0q", "+1q", "0y", "+1y")
        part = {"trend": [{"period": period, "epsRevisions": told} for period in periods]}
    return in_json({"quoteSummary": {"result": [{modules: {**part, "maxAge": 1}}], "error": None}})


def _graded(rating: Rating) -> dict[str, object]:
    return {
        "epochGradeDate": int(rating.at.timestamp()),
        "firm": rating.firm,
        "toGrade": rating.grade,
        "fromGrade": rating.grade_before,
        "action": rating.action,
        "priceTargetAction": "Maintains",
        "currentPriceTarget": rating.target,
        "priorPriceTarget": rating.target_before,
    }


def calendar(company: Company, symbol: str) -> Answer:
    """The page with a company's reports, newest first; without a table where there is none."""
    heads = ("Symbol", "Company", "Earnings Date", "EPS Estimate", "Reported EPS", "Surprise (%)")
    rows = ((f"<a>{symbol}</a>", "A company", *row, "-") for row in company.reports)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    head = "".join(f"<th>{cell}</th>" for cell in heads)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return Answer(f"<!DOCTYPE html><html>{table if body else ''}</html>".encode())


def _chart(symbol: str, chart: Chart, asked: dict[str, str]) -> Answer:
    starts = {_midnight(day): close for day, close in chart.closes.items()}
    if chart.ignores_range:
        rows = starts
    elif "range" in asked:
        rows = dict(list(starts.items())[-1:])
    else:
        first, end = int(asked["period1"]), int(asked["period2"])
        if end <= min(starts, default=0):
            then = f"Data doesn't exist for startDate = {first}, endDate = {end}"
            error = {"code": "Bad Request", "description": then}
            return in_json({"chart": {"result": None, "error": error}}, 400)
        rows = {stamp: close for stamp, close in starts.items() if first <= stamp < end}
    if chart.running is not None:
        # Yahoo appends the rate of the moment even to a range that ended long before.
        rows[int(chart.running[0].timestamp())] = chart.running[1]
    result = _result(symbol, chart, rows)
    return in_json({"chart": {"result": [result], "error": None}})


def _result(symbol: str, chart: Chart, rows: dict[int, float | None]) -> dict[str, Any]:
    closes = [None if close is None else _single(close) for close in rows.values()]
    columns: dict[str, list[Any]] = {
        "open": closes,
        "high": closes,
        "low": closes,
        "close": closes,
        "volume": [0] * len(closes),
    }
    columns.pop(chart.left_out or "", None)
    result: dict[str, Any] = {"meta": _meta(symbol) | dict(chart.meta)}
    if rows:
        result["timestamp"] = list(rows)
    adjusted = [{"adjclose": closes}] if rows else [{}]
    if chart.splits:
        result["events"] = {"splits": {str(at["date"]): at for at in _splits(chart)}}
    result["indicators"] = {"quote": [columns if rows else {}], "adjclose": adjusted}
    return {name: value for name, value in result.items() if name != chart.left_out}


def _splits(chart: Chart) -> Iterator[dict[str, object]]:
    for day, ratio in chart.splits.items():
        yield {
            "date": _midnight(day),
            "numerator": ratio,
            "denominator": 1.0,
            "splitRatio": f"{ratio:g}:1",
        }


def _meta(symbol: str) -> dict[str, object]:
    return {
        "currency": symbol[3:6],
        "symbol": symbol,
        "exchangeName": "CCY",
        "fullExchangeName": "CCY",
        "instrumentType": "CURRENCY",
        "firstTradeDate": 846633600,
        "gmtoffset": 0,
        "timezone": "GMT",
        "exchangeTimezoneName": "Europe/London",
        "priceHint": 4,
        "currentTradingPeriod": {},
        "dataGranularity": "1d",
        "range": "",
        "validRanges": ["1d", "5d", "1mo", "3mo", "6mo", "1y", "2y", "5y", "10y", "ytd", "max"],
    }


def _midnight(day: date) -> int:
    return int(datetime.combine(day, time(), LONDON).timestamp())


def _single(value: float) -> float:
    """A number as Yahoo writes it: kept in single precision, printed as a double."""
    written: float = struct.unpack("f", struct.pack("f", value))[0]
    return written


def weekdays(first: date, last: date, value: float = 150.0) -> dict[date, float | None]:
    """A close for each weekday, which rises by 0.01 from one day to the next."""
    days = (first + timedelta(days=n) for n in range((last - first).days + 1))
    kept = [day for day in days if day.weekday() < 5]
    return {day: value + at / 100 for at, day in enumerate(kept)}
