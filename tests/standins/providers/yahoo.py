"""Yahoo Finance as `yfinance` asks it: cookie, crumb, charts, search, summary, statements, pages.

Rates of pairs lie near the ECB's of the day; those after its packaged history, companies' prices,
statements and ratings are invented. Nothing is told that was not out on the day that is set.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from urllib.parse import unquote

from tests.standins.provider import Ask, Provider, Reply
from tests.standins.providers.exchange_rates import per_dollar
from tests.support.addresses.yahoo import (
    Chart,
    Company,
    Rating,
    Upstream,
    answer_of,
    match,
    weekdays,
)

DOLLAR = "USD"
FIRST_CLOSE = date(2024, 1, 1)
BILLION = 1e9

_QUARTER_ENDS = tuple(
    date.fromisoformat(day)
    for day in ("2025-06-30", "2025-09-30", "2025-12-31", "2026-03-31", "2026-06-30", "2026-09-30")
)
_YEAR_ENDS = (date(2023, 12, 31), date(2024, 12, 31), date(2025, 12, 31))


def _years(*values: float) -> dict[date, float]:
    return dict(zip(_YEAR_ENDS, values, strict=True))


INVENTED = Company(
    lines={
        "TotalRevenue": _years(61 * BILLION, 97 * BILLION, 130 * BILLION),
        "NetIncome": _years(30 * BILLION, 46 * BILLION, 63 * BILLION),
        "DilutedEPS": _years(1.2, 1.85, 2.55),
        "StockholdersEquity": _years(43 * BILLION, 60 * BILLION, 79 * BILLION),
        "TotalDebt": _years(11 * BILLION, 10 * BILLION, 9 * BILLION),
        "OrdinarySharesNumber": dict.fromkeys(_YEAR_ENDS, 24.5 * BILLION),
    },
    quarters={
        "TotalRevenue": {end: (30 + 3 * at) * BILLION for at, end in enumerate(_QUARTER_ENDS)},
        "NetIncome": {end: (15 + at) * BILLION for at, end in enumerate(_QUARTER_ENDS)},
        "StockholdersEquity": {end: (70 + at) * BILLION for at, end in enumerate(_QUARTER_ENDS)},
        "TotalDebt": dict.fromkeys(_QUARTER_ENDS, 9 * BILLION),
    },
    reports=(
        ("February 10, 2027 at 4 PM EST", "0.82", "-"),
        ("October 28, 2026 at 4 PM EDT", "0.75", "0.79"),
        ("July 29, 2026 at 4 PM EDT", "0.71", "0.70"),
        ("April 29, 2026 at 4 PM EDT", "0.66", "0.69"),
        ("February 11, 2026 at 4 PM EST", "0.62", "0.66"),
    ),
    ratings=tuple(
        Rating(datetime.fromisoformat(at).replace(tzinfo=UTC), firm, grade, before, action, to, was)
        for at, firm, grade, before, action, to, was in (
            ("2026-10-29T12:10:00", "Invented Brothers", "Buy", "Hold", "up", 240.0, 190.0),
            ("2026-10-29T13:40:00", "Invented Securities", "Buy", "Buy", "main", 235.0, 215.0),
            ("2026-10-12T11:05:00", "Invented Partners", "Sell", "Hold", "down", 150.0, 180.0),
            ("2026-09-21T10:30:00", "Invented Research", "Outperform", "", "init", 225.0, 0.0),
            ("2026-09-02T12:00:00", "Invented Capital", "Buy", "Hold", "up", 0.0, 0.0),
        )
    ),
    revisions=(14, 3),
)
"""What is told of every company of `SYMBOLS`."""

SYMBOLS = ("NVDA", "AAPL", "MSFT", "AMZN", "INVT")
STOCK = {"currency": DOLLAR, "instrumentType": "EQUITY"}
MATCHES = tuple(match(f"{pair}=X") for pair in ("USDJPY", "EURJPY", "EURUSD"))


def _released(until: date) -> Company:
    """What was out at the end of a day: accounts from their report on, the earliest ones always."""
    reported = [(row, _day(row[0])) for row in INVENTED.reports]
    # The newest report is ahead, the one after it of the newest quarter.
    day_of = dict(zip(reversed(_QUARTER_ENDS), (day for _, day in reported[1:]), strict=False))
    return replace(
        INVENTED,
        quarters=_only(INVENTED.quarters, day_of, until),
        lines=_only(INVENTED.lines, day_of, until),
        ratings=tuple(each for each in INVENTED.ratings if each.at.date() <= until),
        reports=tuple(row if day <= until else (*row[:2], "-") for row, day in reported),
    )


def _day(told: str) -> date:
    return datetime.strptime(told.partition(" at ")[0], "%B %d, %Y").date()


def _only(
    lines: Mapping[str, Mapping[date, float]], day_of: Mapping[date, date], until: date
) -> dict[str, dict[date, float]]:
    return {
        name: {end: value for end, value in told.items() if day_of.get(end, end) <= until}
        for name, told in lines.items()
    }


def _closes(
    base: Mapping[date, Decimal], quote: Mapping[date, Decimal]
) -> dict[date, float | None]:
    """Both are told for one dollar, whose own rates are empty."""
    one = Decimal(1)
    days = sorted(set(base or quote) & set(quote or base))
    return {day: float(quote.get(day, one) / base.get(day, one)) * _apart(day) for day in days}


def _apart(day: date) -> float:
    return 1 + 0.0007 * math.sin(day.toordinal() * 1.3)


def _charts(ask: Ask) -> dict[str, Chart]:
    """The chart that is asked for, if there is one: of a pair, or of a company."""
    symbol = unquote(ask.route.rpartition("/")[2])
    last = ask.until - timedelta(days=ask.late)
    if symbol in SYMBOLS:
        return {symbol: Chart(weekdays(FIRST_CLOSE, last), meta=STOCK)}
    base, quote = symbol[:3], symbol[3:6]
    told: dict[str, Mapping[date, Decimal]] = {DOLLAR: {}, **per_dollar(last)}
    if base == quote or not {base, quote} <= set(told) or symbol[6:] != "=X":
        return {}
    return {symbol: Chart(_closes(told[base], told[quote]))}


def _companies(ask: Ask) -> dict[str, Company]:
    company = _released(ask.until)
    if ask.revised:
        revenue = {end: value * 1.01 for end, value in company.quarters["TotalRevenue"].items()}
        company = replace(company, quarters={**company.quarters, "TotalRevenue": revenue})
    return dict.fromkeys(SYMBOLS, company)


RENAMED = (b"epochGradeDate", b"reportedValue", b'"close"', b"Earnings Date", b'"quotes"')
"""A field of each kind of answer."""


def _answer(ask: Ask) -> Reply:
    charts = _charts(ask) if ask.route.startswith("v8/") else {}
    told = answer_of(Upstream(charts, MATCHES, None, _companies(ask)), f"/{ask.path}", ask.cookie)
    content = told.body
    if ask.renamed:
        for name in RENAMED:
            content = content.replace(name, name.replace(b"e", b"E"))
    return Reply(content, status=told.status, headers=told.headers)


def _arguments(url: str) -> Mapping[str, tuple[str, ...]]:
    args = ("--url", url, "--cookies-url", url, "--pages-url", url)
    return {
        "yahoo_finance": args,
        "analysis": ("--yahoo-url", url, "--yahoo-pages-url", url),
    }


PROVIDER = Provider("yahoo", _answer, _arguments)
