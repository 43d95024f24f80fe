"""What the tools of the `yahoo_finance` server answer, as of an instant."""

import sys
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from mcp import Client
from mcp.server.mcpserver.exceptions import ToolError

from desk.contracts.agents.tools import REACH_TOOL, SourceTier
from desk.contracts.findings.source_results import Quote, SymbolMatches
from desk.sources.yahoo.closes import known_from
from desk.sources.yahoo.server import YahooTools, build_server
from desk.sources.yahoo.upstream import YahooFinance
from tests.support.addresses.yahoo import Chart, Upstream, match, weekdays, yahoo

NOW = datetime(2026, 11, 3, 9, tzinfo=UTC)
FRIDAY = date(2026, 10, 30)
SUMMER = Chart(weekdays(date(2026, 3, 2), date(2026, 11, 3), 157.252))


def tools_of(upstream: Upstream, now: datetime = NOW, seconds: float = 0.0) -> YahooTools:
    return YahooTools(YahooFinance(upstream.url, clock=lambda: seconds), lambda: now)


@pytest.mark.parametrize(
    ("as_of", "day"),
    [
        (known_from(FRIDAY), FRIDAY),
        (known_from(FRIDAY) - timedelta(seconds=1), date(2026, 10, 29)),
        (datetime(2026, 11, 2, 7, tzinfo=UTC), FRIDAY),
        (datetime(2026, 7, 15, 23, 30, tzinfo=UTC), date(2026, 7, 14)),
        (NOW, date(2026, 11, 2)),
        (datetime(2031, 1, 1, tzinfo=UTC), date(2026, 11, 2)),
    ],
    ids=str,
)
def test_the_quote_is_the_last_close_known_at_the_instant(as_of: datetime, day: date) -> None:
    with yahoo({"USDJPY=X": SUMMER}) as upstream:
        quote = tools_of(upstream).get_quote("USD/JPY", as_of)
    close = SUMMER.closes[day]
    assert close is not None
    assert (quote.fixed_on, quote.value) == (day, Decimal(str(round(close, 3))))
    assert (quote.as_of, quote.missing) == (as_of, None)


def test_a_quote_names_yahoo_as_its_source_and_as_no_authority() -> None:
    with yahoo({"USDJPY=X": SUMMER}) as upstream:
        source = tools_of(upstream).get_quote("USD/JPY", NOW).source
    assert (source.tier, source.origin) == (SourceTier.SECONDARY, "Yahoo Finance")


def test_the_running_day_that_yahoo_appends_is_in_no_answer() -> None:
    chart = Chart(SUMMER.closes, running=(NOW, 999.0))
    with yahoo({"USDJPY=X": chart}) as upstream:
        tools = tools_of(upstream)
        quote = tools.get_quote("USD/JPY", NOW)
        past = tools.get_historical("USD/JPY", date(2026, 10, 26), NOW, FRIDAY)
    assert quote.fixed_on == date(2026, 11, 2)
    assert past.days[-1] == FRIDAY
    assert Decimal(999) not in (quote.value, *past.values)


def test_nothing_after_the_instant_is_asked_for_or_returned() -> None:
    as_of = datetime(2026, 6, 1, 7, tzinfo=UTC)
    past = Chart({day: close for day, close in SUMMER.closes.items() if known_from(day) <= as_of})
    planted = Chart(
        {**past.closes} | {day: 999.0 for day in SUMMER.closes if known_from(day) > as_of}
    )
    answers = []
    for chart in (past, planted):
        with yahoo({"USDJPY=X": chart}) as upstream:
            tools = tools_of(upstream)
            history = tools.get_historical("USD/JPY", date(2026, 5, 1), as_of, FRIDAY)
            answers.append((tools.get_quote("USD/JPY", as_of), history))
    assert answers[0] == answers[1]


def test_an_answer_that_goes_beyond_the_range_is_cut_to_it() -> None:
    as_of = datetime(2026, 6, 1, 7, tzinfo=UTC)
    chart = Chart(SUMMER.closes, ignores_range=True)
    with yahoo({"USDJPY=X": chart}) as upstream:
        tools = tools_of(upstream)
        quote = tools.get_quote("USD/JPY", as_of)
        history = tools.get_historical("USD/JPY", date(2026, 5, 28), as_of)
    assert quote.fixed_on == date(2026, 5, 29)
    assert history.days == (date(2026, 5, 28), date(2026, 5, 29))


def test_a_history_holds_both_ends_over_the_change_of_the_clocks() -> None:
    with yahoo({"USDJPY=X": SUMMER}) as upstream:
        history = tools_of(upstream).get_historical(
            "USD/JPY", date(2026, 3, 26), NOW, date(2026, 3, 31)
        )
    assert history.days == (
        date(2026, 3, 26),
        date(2026, 3, 27),
        date(2026, 3, 30),
        date(2026, 3, 31),
    )
    assert len(history.values) == 4
    assert history.missing is None


def test_a_day_without_a_close_is_left_out() -> None:
    chart = Chart({date(2026, 10, 28): 157.0, date(2026, 10, 29): None, FRIDAY: 0.0})
    with yahoo({"USDJPY=X": chart}) as upstream:
        quote = tools_of(upstream).get_quote("USD/JPY", NOW)
    assert (quote.fixed_on, quote.value) == (date(2026, 10, 28), Decimal(157))


def test_a_pair_that_yahoo_does_not_have_is_missing_and_not_inverted() -> None:
    with yahoo({"USDJPY=X": SUMMER}) as upstream:
        tools = tools_of(upstream)
        quote = tools.get_quote("JPY/USD", NOW)
        history = tools.get_historical("JPY/USD", date(2026, 10, 1), NOW)
    assert quote.value is None
    assert quote.missing == history.missing == "Yahoo Finance has no pair JPYUSD=X."
    assert {path.split("?")[0] for path in upstream.asked} == {"/v8/finance/chart/JPYUSD=X"}


@pytest.mark.parametrize("year", [2020, 2025])
def test_a_range_before_the_first_close_is_missing(year: int) -> None:
    with yahoo({"USDJPY=X": SUMMER}) as upstream:
        history = tools_of(upstream).get_historical(
            "USD/JPY", date(year, 1, 6), NOW, date(year, 1, 9)
        )
    assert history.days == ()
    assert history.missing == (
        f"Yahoo Finance has no close of USD/JPY from {year}-01-06 to {year}-01-09."
    )


def test_a_weekend_is_missing() -> None:
    with yahoo({"USDJPY=X": SUMMER}) as upstream:
        history = tools_of(upstream).get_historical(
            "USD/JPY", date(2026, 10, 24), NOW, date(2026, 10, 25)
        )
    assert history.days == ()
    assert "no close of USD/JPY from 2026-10-24 to 2026-10-25" in (history.missing or "")


def test_a_series_that_ended_more_than_two_weeks_ago_gives_no_quote() -> None:
    with yahoo({"USDJPY=X": Chart({date(2026, 10, 19): 157.0})}) as upstream:
        tools = tools_of(upstream)
        last = tools.get_quote("USD/JPY", known_from(date(2026, 11, 2)))
        stale = tools_of(upstream, now=known_from(date(2026, 11, 3))).get_quote(
            "USD/JPY", known_from(date(2026, 11, 3))
        )
    assert last.fixed_on == date(2026, 10, 19)
    assert stale.value is None
    assert "in the 14 days up to 2026-11-03" in (stale.missing or "")


def test_a_range_that_lies_ahead_is_missing_without_asking() -> None:
    with yahoo({"USDJPY=X": SUMMER}) as upstream:
        tools = tools_of(upstream)
        ahead = tools.get_historical("USD/JPY", date(2026, 11, 3), NOW, date(2027, 1, 1))
        long_ago = tools.get_quote("USD/JPY", datetime(1950, 1, 1, tzinfo=UTC))
    assert "the last known day is 2026-11-02" in (ahead.missing or "")
    assert "before 1980-01-01" in (long_ago.missing or "")
    assert upstream.asked == []


def test_a_range_from_long_ago_is_asked_for_from_1980() -> None:
    with yahoo({"USDJPY=X": SUMMER}) as upstream:
        history = tools_of(upstream).get_historical("USD/JPY", date(1900, 1, 1), NOW)
    assert len(history.days) == 176
    first = datetime(1980, 1, 1, tzinfo=UTC).timestamp()
    assert f"period1={first:.0f}&" in upstream.asked[-1]


@pytest.mark.parametrize(
    ("symbol", "advice"),
    [("USDJPY=X", "write it like"), ("USD/USD", "name two"), ("../x", "write it like")],
)
def test_a_malformed_symbol_is_refused_without_asking(symbol: str, advice: str) -> None:
    with yahoo() as upstream:
        tools = tools_of(upstream)
        with pytest.raises(ToolError, match=advice):
            tools.get_quote(symbol, NOW)
        with pytest.raises(ToolError, match=advice):
            tools.get_historical(symbol, FRIDAY, NOW)
    assert upstream.asked == []


def test_a_range_that_runs_backwards_is_refused() -> None:
    with yahoo() as upstream, pytest.raises(ToolError, match="lies before start"):
        tools_of(upstream).get_historical("USD/JPY", FRIDAY, NOW, date(2026, 1, 1))


def test_a_search_gives_pairs_in_yahoos_order_and_nothing_else() -> None:
    found = (
        match("JPY=X"),
        match("FXY", "ETF"),
        match("EURJPY=X"),
        match("USDJPY=X"),
        match("<b>JPY=X"),
        match("USD=X"),
    )
    with yahoo(matches=found) as upstream:
        matches = tools_of(upstream).search_symbols("yen", NOW)
    assert (matches.query, matches.symbols) == ("yen", ("USD/JPY", "EUR/JPY"))


def test_a_search_without_matches_is_empty() -> None:
    with yahoo() as upstream:
        assert tools_of(upstream).search_symbols("USD/XXX", NOW).symbols == ()
    assert "q=USDXXX&" in upstream.asked[0]


def test_the_same_question_is_asked_once_in_five_minutes() -> None:
    with yahoo({"USDJPY=X": SUMMER}, (match("JPY=X"),)) as upstream:
        seconds = [0.0]
        tools = YahooTools(YahooFinance(upstream.url, clock=lambda: seconds[0]), lambda: NOW)

        def ask() -> int:
            tools.get_quote("USD/JPY", NOW)
            tools.get_quote("USD/JPY", NOW - timedelta(hours=1))
            tools.get_quote("USD/CHF", NOW)
            tools.search_symbols("yen", NOW)
            return len(upstream.asked)

        once = ask()
        seconds[0] = 299.0
        assert ask() == once
        seconds[0] = 300.0
        assert ask() == 2 * once


def test_what_yahoo_corrects_is_seen_after_five_minutes() -> None:
    with yahoo({"USDJPY=X": SUMMER}) as upstream:
        seconds = [0.0]
        tools = YahooTools(YahooFinance(upstream.url, clock=lambda: seconds[0]), lambda: NOW)
        first = tools.get_historical("USD/JPY", FRIDAY, NOW, FRIDAY)
        upstream.charts["USDJPY=X"] = Chart({FRIDAY: 158.5})
        kept = tools.get_historical("USD/JPY", FRIDAY, NOW, FRIDAY)
        seconds[0] = 300.0
        corrected = tools.get_historical("USD/JPY", FRIDAY, NOW, FRIDAY)
    assert first == kept
    assert corrected.values == (Decimal("158.5"),)


def test_without_the_package_the_tools_say_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "yfinance", None)
    with yahoo({"USDJPY=X": SUMMER}) as upstream, pytest.raises(ToolError, match="install-live"):
        tools_of(upstream).get_quote("USD/JPY", NOW)


async def test_structured_results_are_the_contracts_in_json(tmp_path: Path) -> None:
    with yahoo({"USDJPY=X": SUMMER}, (match("JPY=X"),)) as upstream:
        server = build_server(tmp_path / "cache", url=upstream.url, now=lambda: NOW)
        async with Client(server) as client:
            as_of = NOW.isoformat()
            asked = {"symbol": "USD/JPY", "as_of": as_of}
            quote = (await client.call_tool("get_quote", asked)).structured_content
            found = {"query": "yen", "as_of": as_of}
            matches = (await client.call_tool("search_symbols", found)).structured_content
            offered = (await client.list_tools()).tools
    assert Quote.model_validate(quote).fixed_on == date(2026, 11, 2)
    assert SymbolMatches.model_validate(matches).symbols == ("USD/JPY",)
    offered = [tool for tool in offered if tool.name != REACH_TOOL]
    assert {tool.name for tool in offered} == {
        *("get_quote", "get_historical", "search_symbols"),
        *("analyst_ratings", "quarterly_accounts"),
    }
    assert all("as_of" in tool.input_schema["required"] for tool in offered)
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        ("get_quote", {"symbol": "USD/JPY"}),
        ("get_historical", {"symbol": "USD/JPY", "start": "2026-10-01"}),
        ("search_symbols", {"query": "yen"}),
        ("analyst_ratings", {"symbol": "NVDA"}),
        ("quarterly_accounts", {"symbol": "NVDA"}),
    ],
)
async def test_a_desk_that_fetches_nothing_asks_nobody(tool: str, asked: dict[str, str]) -> None:
    with yahoo({"USDJPY=X": SUMMER}) as upstream:
        url = upstream.url
        server = build_server(url=url, cookies_url=url, pages_url=url, offline=True)
        async with Client(server) as client:
            answer = await client.call_tool(tool, {**asked, "as_of": NOW.isoformat()})
    assert answer.is_error
    assert "fetches nothing (DESK_OFFLINE)" in str(answer.content)
    assert upstream.asked == []
