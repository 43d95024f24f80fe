"""Companies' accounts that the server `analysis` asks Yahoo Finance for."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client

from desk.analytics.technical.companies import Accounts
from desk.contracts.episode.analysis import Analysis, CompanyFundamentals
from desk.contracts.findings.claims import Metric
from desk.sources.analysis.accounts import YahooAccounts
from desk.sources.analysis.companies import CompanyTools
from desk.sources.analysis.prices import PriceStore
from desk.sources.analysis.server import build_server, from_arguments
from desk.sources.analysis.yahoo import YahooStocks
from desk.sources.ecb.store import RatesStore
from tests.support.addresses.yahoo import (
    CALENDAR,
    STATEMENTS,
    Answer,
    Chart,
    Company,
    Upstream,
    in_json,
    weekdays,
    yahoo,
)

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
OF_2024, OF_2025 = date(2024, 12, 31), date(2025, 12, 31)
REPORTED = datetime(2026, 2, 12, tzinfo=UTC)
"""The end of the day on which the year 2025 was reported."""

COMPANY = Company(
    {
        "TotalRevenue": {OF_2024: 96_773e6, OF_2025: 101_404e6},
        "NetIncome": {OF_2024: 7_091e6, OF_2025: 9_313e6},
        "DilutedEPS": {OF_2024: 2.04, OF_2025: 2.61},
        "BasicAverageShares": {OF_2024: 3_197e6, OF_2025: 3_216e6},
        "StockholdersEquity": {OF_2024: 72_913e6, OF_2025: 80_137e6},
        "TotalDebt": {OF_2024: 13_623e6, OF_2025: 12_041e6},
        "OrdinarySharesNumber": {OF_2024: 3_216e6, OF_2025: 3_230e6},
        "TaxRateForCalcs": {OF_2025: 0.21},
    },
    (
        ("April 28, 2026 at 4 PM EDT", "0.71", "-"),
        ("February 11, 2026 at 4 PM EST", "0.68", "0.79"),
        ("October 22, 2025 at 4 PM EDT", "0.55", "0.52"),
        ("January 29, 2025 at 4 PM EST", "0.75", "0.73"),
    ),
)
CLOSE = 303.25
TRADED = Chart(
    weekdays(date(2025, 1, 1), date(2026, 3, 27), 300.0) | {date(2026, 3, 30): CLOSE},
    meta={"currency": "USD", "instrumentType": "EQUITY"},
)


@contextmanager
def asked(
    company: Company = COMPANY, chart: Chart = TRADED, symbol: str = "ACME"
) -> Iterator[tuple[CompanyTools, Upstream]]:
    """The tools, and the address that they ask."""
    with yahoo({symbol: chart}, companies={symbol: company}) as upstream:
        stocks = YahooStocks(lambda: NOW, upstream.url)
        source = YahooAccounts(stocks, upstream.url, upstream.url)
        yield CompanyTools(PriceStore(RatesStore(), live=stocks), source), upstream


def figures(answer: Analysis) -> dict[Metric, str]:
    return {figure.metric: str(figure.value) for figure in answer.figures}


def known_from(answer: CompanyFundamentals) -> dict[date, datetime]:
    return {item.period_end: item.known_from for item in answer.items}


def test_ratios_and_growth_are_those_of_the_accounts_told() -> None:
    with asked() as (tools, _):
        ratios = tools.ratio_calculator("ACME", NOW)
        earnings = tools.earnings_analyzer("ACME", NOW)
    # Worked out by hand from the accounts of 2025 and the last close.
    assert figures(ratios) == {
        Metric.PRICE_TO_EARNINGS: "116.19",  # 303.25 / 2.61
        Metric.PRICE_TO_BOOK: "12.22",  # 303.25 * 3230 / 80137
        Metric.NET_MARGIN: "9.18",  # 9313 / 101404
        Metric.DEBT_TO_EQUITY: "0.15",  # 12041 / 80137
    }
    assert figures(earnings) == {
        Metric.REVENUE_GROWTH: "4.79",  # 101404 / 96773
        Metric.EARNINGS_SURPRISE: "16.18",  # 0.79 / 0.68
    }
    assert (ratios.missing, earnings.missing) == ((), ())
    assert ratios.source.origin == "Yahoo Finance"


@pytest.mark.parametrize("seed", range(8))
def test_the_figures_of_any_accounts_are_those_of_exact_fractions(seed: int) -> None:
    chance = random.Random(seed)
    made = {
        name: {end: chance.randint(1, 10**12) for end in (OF_2024, OF_2025)}
        for name in COMPANY.lines
        if name not in ("DilutedEPS", "TaxRateForCalcs")
    }
    earned = chance.randint(1, 5_000)
    lines = made | {"DilutedEPS": {OF_2025: earned / 100}}
    with asked(replace(COMPANY, lines=lines)) as (tools, _):
        told = figures(tools.ratio_calculator("ACME", NOW))
        told |= figures(tools.earnings_analyzer("ACME", NOW))
    last = {name: Fraction(years[OF_2025]) for name, years in made.items()}
    exact = {
        Metric.PRICE_TO_EARNINGS: Fraction(CLOSE) * 100 / earned,
        Metric.PRICE_TO_BOOK: Fraction(CLOSE)
        * last["OrdinarySharesNumber"]
        / last["StockholdersEquity"],
        Metric.NET_MARGIN: 100 * last["NetIncome"] / last["TotalRevenue"],
        Metric.DEBT_TO_EQUITY: last["TotalDebt"] / last["StockholdersEquity"],
        Metric.REVENUE_GROWTH: 100 * (last["TotalRevenue"] / made["TotalRevenue"][OF_2024] - 1),
        Metric.EARNINGS_SURPRISE: Fraction(1_100, 68),
    }
    assert set(told) == set(exact)
    off = {metric: abs(Fraction(told[metric]) - value) for metric, value in exact.items()}
    # Half of the last place, and what a float of growth may lose.
    assert all(off[metric] <= Fraction("0.005") + abs(exact[metric]) / 10**14 for metric in exact)


def test_a_year_is_known_from_the_end_of_the_day_of_its_report() -> None:
    with asked() as (tools, _):
        before = tools.company_fundamentals("ACME", REPORTED - timedelta(seconds=1))
        after = tools.company_fundamentals("ACME", REPORTED)
    assert set(known_from(before)) == {OF_2024}
    assert known_from(after)[OF_2025] == REPORTED
    assert known_from(after)[OF_2024] == datetime(2025, 1, 30, tzinfo=UTC)


def test_a_year_without_a_report_is_known_ninety_days_after_its_end() -> None:
    # The reports that were made are of other quarters; the one that is ahead has no earnings yet.
    ahead = ("February 11, 2026 at 4 PM EST", "0.68", "-")
    with asked(replace(COMPANY, reports=(ahead, *COMPANY.reports[2:]))) as (tools, _):
        answer = tools.company_fundamentals("ACME", datetime(2026, 4, 1, tzinfo=UTC))
    assert known_from(answer)[OF_2025] == datetime(2026, 4, 1, tzinfo=UTC)


def test_a_report_long_after_a_year_is_of_another_quarter() -> None:
    with asked(replace(COMPANY, reports=COMPANY.reports[:-1])) as (tools, _):
        answer = tools.company_fundamentals("ACME", NOW)
    assert known_from(answer)[OF_2024] == datetime(2025, 4, 1, tzinfo=UTC)


def test_a_surprise_is_not_known_on_its_own_day() -> None:
    with asked() as (tools, _):
        before = tools.earnings_analyzer("ACME", REPORTED - timedelta(seconds=1))
        after = tools.earnings_analyzer("ACME", REPORTED)
    assert figures(before)[Metric.EARNINGS_SURPRISE] == "-5.45"  # 0.52 / 0.55
    assert figures(after)[Metric.EARNINGS_SURPRISE] == "16.18"


def test_nothing_that_was_known_later_changes_an_answer() -> None:
    shown = replace(COMPANY, reports=COMPANY.reports[2:])
    earlier = replace(shown, lines={name: dict(y) for name, y in COMPANY.lines.items()})
    for years in earlier.lines.values():
        years.pop(OF_2025, None)  # type: ignore[attr-defined]
    as_of = datetime(2026, 2, 11, 21, 30, tzinfo=UTC)
    with asked() as (full, _), asked(earlier) as (cut, _):
        for tool in ("company_fundamentals", "ratio_calculator", "earnings_analyzer"):
            told = getattr(full, tool)("ACME", as_of)
            assert told == getattr(cut, tool)("ACME", as_of)
            assert told.model_dump_json().count("2025-12-31") == 0


@pytest.fixture(scope="module")
def all_told() -> Accounts:
    """Everything that Yahoo has of the company."""
    with yahoo({"ACME": TRADED}, companies={"ACME": COMPANY}) as upstream:
        stocks = YahooStocks(lambda: NOW, upstream.url)
        return YahooAccounts(stocks, upstream.url, upstream.url).accounts("ACME")


@given(as_of=st.datetimes(datetime(2024, 12, 1), datetime(2026, 12, 31), timezones=st.just(UTC)))
def test_at_no_instant_is_anything_known_before_it_was_out(
    all_told: Accounts, as_of: datetime
) -> None:
    known = all_told.known(as_of)
    out = {
        OF_2024: datetime(2025, 1, 29, 21, tzinfo=UTC),
        OF_2025: datetime(2026, 2, 11, 21, tzinfo=UTC),
    }
    assert all(out[line.period_end] < as_of for line in known.lines)
    assert all(report.reported_at < as_of for report in known.reports)
    late = {line.period_end for line in all_told.lines} - {line.period_end for line in known.lines}
    assert all(as_of < out[end] + timedelta(days=1) for end in late)


def test_what_is_no_money_has_no_currency() -> None:
    with asked(replace(COMPANY, currency="TWD")) as (tools, _):
        answer = tools.company_fundamentals("ACME", NOW)
        ratios = tools.ratio_calculator("ACME", NOW)
    currencies = {item.name: item.currency for item in answer.items}
    counted = {name for name, currency in currencies.items() if currency is None}
    assert counted == {"BasicAverageShares", "OrdinarySharesNumber", "TaxRateForCalcs"}
    assert set(currencies.values()) == {"TWD", None}
    assert set(figures(ratios)) == {Metric.NET_MARGIN, Metric.DEBT_TO_EQUITY}


def test_a_line_that_yahoo_lacks_is_missing_and_not_zero() -> None:
    lines = {name: years for name, years in COMPANY.lines.items() if name != "TotalDebt"}
    with asked(replace(COMPANY, lines=lines | {"NetIncome": {OF_2025: float("nan")}})) as (
        tools,
        _,
    ):
        answer = tools.ratio_calculator("ACME", NOW)
    assert set(figures(answer)) == {Metric.PRICE_TO_EARNINGS, Metric.PRICE_TO_BOOK}
    assert answer.missing == (
        "net_margin: the accounts known then have no NetIncome.",
        "debt_to_equity: the accounts known then have no TotalDebt.",
    )


def test_earnings_a_share_that_a_split_followed_are_not_set_beside_the_price() -> None:
    split = replace(TRADED, splits={date(2026, 3, 2): 10.0})
    with asked(chart=split) as (tools, _):
        answer = tools.ratio_calculator("ACME", NOW)
        earlier = tools.ratio_calculator("ACME", datetime(2026, 2, 20, tzinfo=UTC))
    for told in (answer, earlier):
        assert set(figures(told)) == {Metric.NET_MARGIN, Metric.DEBT_TO_EQUITY}
        assert any("count of shares" in line for line in told.missing)
        assert "2026-03-02" not in told.model_dump_json()


def test_a_split_before_the_year_ended_takes_nothing_away() -> None:
    with asked(chart=replace(TRADED, splits={date(2025, 6, 2): 10.0})) as (tools, _):
        answer = tools.ratio_calculator("ACME", NOW)
    assert len(answer.figures) == 4


def test_a_company_is_asked_for_once_in_a_while() -> None:
    with asked() as (tools, upstream):
        tools.company_fundamentals("ACME", NOW)
        tools.ratio_calculator("ACME", NOW)
        tools.earnings_analyzer("ACME", datetime(2026, 1, 5, tzinfo=UTC))
        statements = [path for path in upstream.asked if path.startswith(STATEMENTS)]
        pages = [path for path in upstream.asked if path.startswith(CALENDAR)]
    assert (len(statements), len(pages)) == (2, 1)


MALFORMED = in_json(
    {"timeseries": {"result": [{"meta": {"symbol": ["ACME"]}, "annualNetIncome": [None]}]}}
)
OTHERS = in_json(
    {"timeseries": {"result": [{"meta": {"symbol": ["OTHER"], "type": ["annualNetIncome"]}}]}}
)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(b"", 429, {"Retry-After": "30"}), "429); it asks to wait 30 seconds."),
        (Answer(b"", 500), "failure of its own (HTTP 500)."),
        (Answer(b"", 403), "refuses the request (HTTP 403)."),
        (Answer(b"<html></html>"), "cannot be used: it is a web page and no JSON."),
        (Answer(b'{"timeseries": {'), "cannot be used: it is no JSON."),
        (in_json({"finance": {}}), "cannot be used: its statements have changed."),
        (in_json([1]), "cannot be used: its statements have changed."),
        (MALFORMED, "cannot be used: its statements have changed."),
        (OTHERS, "cannot be used: it is not about ACME."),
        (
            in_json({"timeseries": {"result": None, "error": {"code": "Bad"}}}),
            "cannot be used: it reports an error in place of statements.",
        ),
    ],
    ids=["429", "500", "403", "page", "cut off", "field", "list", "null", "another", "error"],
)
def test_statements_that_yahoo_does_not_give_are_a_reason_after_one_request(
    answer: Answer, words: str
) -> None:
    with asked() as (tools, upstream):
        upstream.instead[STATEMENTS] = answer
        told = tools.company_fundamentals("ACME", NOW)
        sent = [path for path in upstream.asked if path.startswith(STATEMENTS)]
        assert (told.items, len(told.missing), len(sent)) == ((), 1, 1)
        assert words in told.missing[0]
        for found in (tools.ratio_calculator("ACME", NOW), tools.earnings_analyzer("ACME", NOW)):
            assert (found.figures, found.missing) == ((), told.missing)


def page(rows: str, head: str = "<th>Symbol</th><th>Earnings Date</th>") -> Answer:
    return Answer(f"<html><table><tr>{head}</tr>{rows}</table></html>".encode())


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(b"", 429), "limits the rate of requests (HTTP 429)"),
        (Answer(b"", 500), "failure of its own (HTTP 500)"),
        (Answer(b"", 302, {"Location": "https://consent.invalid/"}), "its consent form"),
        (in_json({}), "it is no web page"),
        (Answer(b"<html>Nothing</html>"), "lists none"),
        (page("<tr><td>OTHER</td><td>May 1, 2026 at 4 PM EDT</td></tr>"), "not about ACME"),
        (page("<tr><td>ACME</td><td>-</td></tr>"), "has no day"),
        (page("", "<th>Ticker</th>"), "table of reports has changed"),
        (page("<tr><td>ACME</td><td>soon EDT</td></tr>"), "yfinance cannot read"),
    ],
    ids=["429", "500", "consent", "no page", "none", "another", "no day", "heads", "date"],
)
def test_without_the_days_of_reports_the_accounts_count_from_ninety_days(
    answer: Answer, words: str
) -> None:
    late = datetime(2026, 4, 1, tzinfo=UTC)
    with asked() as (tools, upstream):
        upstream.instead[CALENDAR] = answer
        told = tools.company_fundamentals("ACME", late)
        earnings = tools.earnings_analyzer("ACME", datetime(2026, 3, 31, tzinfo=UTC))
        early = tools.company_fundamentals("ACME", late - timedelta(seconds=1))
    assert known_from(told)[OF_2025] == late
    assert set(known_from(early)) == {OF_2024}
    assert words in told.missing[-1]
    assert "earnings_surprise: no report of earnings was known then." in earnings.missing


@pytest.mark.parametrize(
    ("company", "symbol", "words"),
    [
        (Company({}), "ACME", "Yahoo Finance has no accounts of ACME."),
        (COMPANY, "OTHER", "Yahoo Finance has no company OTHER."),
    ],
)
def test_a_symbol_without_accounts_is_told_so(company: Company, symbol: str, words: str) -> None:
    with asked(company) as (tools, _):
        assert tools.company_fundamentals(symbol, NOW).missing == (words,)


def test_an_index_keeps_its_sign_on_the_way() -> None:
    with asked(symbol="^ACME") as (tools, _):
        assert tools.company_fundamentals("^ACME", NOW).items


def test_accounts_cannot_be_had_where_the_prices_cannot() -> None:
    with asked() as (tools, upstream):
        upstream.always = Answer(b"", 500)
        told = tools.company_fundamentals("ACME", NOW)
    assert told.items == ()
    assert "failure of its own (HTTP 500)" in told.missing[0]


def test_a_year_before_all_accounts_is_told_as_none_known() -> None:
    with asked() as (tools, _):
        told = tools.company_fundamentals("ACME", datetime(2020, 1, 1, tzinfo=UTC))
    assert told.items == ()
    assert told.missing == (
        "The source has no accounts of ACME that were known at 2020-01-01T00:00:00+00:00.",
    )


async def test_the_live_server_tells_accounts_and_the_other_has_none() -> None:
    question = {"symbol": "ACME", "as_of": NOW.isoformat()}
    with asked() as (_, upstream):
        args = ("--live", "--yahoo-url", upstream.url, "--yahoo-pages-url", upstream.url)
        live = from_arguments(args, cache_dir=None, refresh_every=None)
        async with Client(live) as client:
            answer = await client.call_tool("company_fundamentals", question)
        async with Client(build_server()) as client:
            offline = await client.call_tool("company_fundamentals", question)
    assert len((answer.structured_content or {})["items"]) == 15
    assert "without a network" in (offline.structured_content or {})["missing"][0]
