"""Every way in which Yahoo fails has its own clear ending, and is not taken for an answer."""

import threading
import time
from datetime import UTC, date, datetime

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from desk.sources.yahoo import upstream as yahoo_upstream
from desk.sources.yahoo.server import YahooTools
from desk.sources.yahoo.session import LARGEST_ANSWER
from desk.sources.yahoo.upstream import YahooFinance
from tests.support.addresses.yahoo import Answer, Chart, in_json, weekdays, yahoo
from tests.support.processes.homes import free_port

NOW = datetime(2026, 11, 3, 9, tzinfo=UTC)
DAYS = weekdays(date(2026, 10, 1), date(2026, 11, 3))
HTML = b"<!DOCTYPE html><html><body>Will be right back</body></html>"


def tools_at(url: str, seconds: float = 30.0) -> YahooTools:
    return YahooTools(YahooFinance(url, timeout_seconds=seconds), lambda: NOW)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(b"Too Many Requests\r\n", 429), r"rate of requests \(HTTP 429\)\."),
        (Answer(b"", 429, {"Retry-After": "30"}), r"429\); it asks to wait 30 seconds"),
        (
            Answer(b"", 429, {"Retry-After": "Tue, 03 Nov 2026 10:00:00 GMT"}),
            r"429\); it asks to wait until 2026-11-03T10:00:00Z",
        ),
        (Answer(b"", 429, {"Retry-After": "<b>soon</b>"}), r"\(HTTP 429\)\.$"),
        (Answer(HTML, 500), r"failure of its own \(HTTP 500\)"),
        (Answer(b"", 503), r"failure of its own \(HTTP 503\)"),
        (in_json({"finance": {"error": {"code": "Unauthorized"}}}, 401), r"refuses .*HTTP 401"),
        (Answer(b"", 403), r"refuses .*HTTP 403"),
        (Answer(HTML, 404), r"answered with HTTP 404"),
        (in_json({"chart": {"error": {"code": "Not Found"}}}, 404), r"answered with HTTP 404"),
        (
            in_json({"chart": {"error": {"code": "Bad Request", "description": "No"}}}, 400),
            r"answered with HTTP 400",
        ),
        (Answer(b"", 302, {"Location": "https://consent.invalid/"}), r"another page.*HTTP 302"),
        (Answer(b"", 999), r"failure of its own \(HTTP 999\)"),
    ],
    ids=lambda value: str(value.status) if isinstance(value, Answer) else "",
)
def test_a_refusal_is_an_error_of_every_tool_after_one_request(answer: Answer, reason: str) -> None:
    with yahoo(always=answer) as upstream:
        tools = tools_at(upstream.url)
        with pytest.raises(ToolError, match=reason):
            tools.get_quote("USD/JPY", NOW)
        assert len(upstream.asked) == 1
        with pytest.raises(ToolError, match=reason):
            tools.get_historical("USD/JPY", date(2026, 10, 1), NOW)
        with pytest.raises(ToolError, match=reason):
            tools.search_symbols("yen", NOW)
        assert len(upstream.asked) == 3


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(b""), "it is empty"),
        (Answer(b" \r\n"), "it is empty"),
        (Answer(HTML), "it is a web page and no JSON"),
        (Answer(b"Will be right back"), "it is no JSON"),
        (Answer(b'{"chart": {"result": ['), "it is no JSON"),
        (Answer(b"[" * 100_000), "it is no JSON"),
        (in_json([]), "has changed"),
        (in_json({"finance": {}}), "has changed"),
        (in_json({"chart": None, "quotes": "none"}), "has changed"),
        (Answer(b"", promised=LARGEST_ANSWER + 1), "it is above 8388608 bytes"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_answer_is_missing_with_the_reason(answer: Answer, reason: str) -> None:
    with yahoo(always=answer) as upstream:
        tools = tools_at(upstream.url)
        quote = tools.get_quote("USD/JPY", NOW)
        history = tools.get_historical("USD/JPY", date(2026, 10, 1), NOW)
        with pytest.raises(ToolError, match=reason):
            tools.search_symbols("yen", NOW)
    assert (quote.value, history.values) == (None, ())
    assert reason in (quote.missing or "")
    assert reason in (history.missing or "")


@pytest.mark.parametrize(
    ("chart", "reason"),
    [
        (Chart(DAYS, meta={"currency": "USD"}), "it is not in JPY"),
        (Chart(DAYS, meta={"currency": None}), "it is not in JPY"),
        (Chart(DAYS, meta={"symbol": "JPYUSD=X"}), "it is not about USD/JPY"),
        (Chart(DAYS, meta={"symbol": "EURJPY=X"}), "it is not about USD/JPY"),
        (Chart(DAYS, meta={"instrumentType": "EQUITY"}), "it is not about USD/JPY"),
        (
            Chart(DAYS, meta={"exchangeTimezoneName": "America/New_York"}),
            "its days are not those of Europe/London",
        ),
        (Chart(DAYS, left_out="close"), "KeyError: close"),
        (Chart(DAYS, left_out="timestamp"), "KeyError: timestamp"),
        (Chart(DAYS, left_out="indicators"), "KeyError: indicators"),
        (Chart(DAYS, left_out="meta"), "KeyError: meta"),
    ],
    ids=str,
)
def test_a_chart_of_something_else_or_of_another_shape_is_missing(
    chart: Chart, reason: str
) -> None:
    with yahoo({"USDJPY=X": chart}) as upstream:
        quote = tools_at(upstream.url).get_quote("USD/JPY", NOW)
    assert quote.value is None
    assert "answer for USD/JPY cannot be used" in (quote.missing or "")
    assert reason in (quote.missing or "")


def test_the_dollar_may_be_left_away_where_it_is_the_base() -> None:
    with yahoo({"USDJPY=X": Chart(DAYS, meta={"symbol": "JPY=X"})}) as upstream:
        assert tools_at(upstream.url).get_quote("USD/JPY", NOW).value is not None


def test_a_failure_is_not_kept() -> None:
    with yahoo({"USDJPY=X": Chart(DAYS)}, always=Answer(b"", 503)) as upstream:
        tools = tools_at(upstream.url)
        with pytest.raises(ToolError):
            tools.get_quote("USD/JPY", NOW)
        upstream.always = Answer(HTML)
        assert tools.get_quote("USD/JPY", NOW).value is None
        upstream.always = None
        assert tools.get_quote("USD/JPY", NOW).value is not None


@pytest.mark.parametrize("pause_seconds", [60.0, 0.05], ids=["stalls", "drips"])
def test_an_answer_that_takes_too_long_is_given_up_once(pause_seconds: float) -> None:
    with yahoo(always=Answer(HTML * 9, pause_seconds=pause_seconds)) as upstream:
        with pytest.raises(ToolError, match=r"did not answer within 0\.4 seconds"):
            tools_at(upstream.url, seconds=0.4).get_quote("USD/JPY", NOW)
        assert len(upstream.asked) == 1


def test_an_address_where_nobody_listens_cannot_be_reached() -> None:
    tools = tools_at(f"http://127.0.0.1:{free_port()}")
    with pytest.raises(ToolError, match=r"cannot be reached \(ConnectionError\)"):
        tools.get_quote("USD/JPY", NOW)


def test_a_connection_that_breaks_off_cannot_be_reached() -> None:
    with (
        yahoo(always=Answer(b'{"chart": ', promised=500)) as upstream,
        pytest.raises(ToolError, match="cannot be reached"),
    ):
        tools_at(upstream.url).get_quote("USD/JPY", NOW)


def test_questions_at_once_are_asked_one_after_the_other_and_the_same_one_once() -> None:
    quotes: list[object] = []
    with yahoo({"USDJPY=X": Chart(DAYS)}) as upstream:
        tools = tools_at(upstream.url)

        def ask() -> None:
            quotes.append(tools.get_quote("USD/JPY", NOW).fixed_on)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        alone = len(upstream.asked)
    assert quotes == [date(2026, 11, 2)] * 8
    assert alone == 2


def test_who_waits_too_long_for_a_turn_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yahoo_upstream, "PATIENCE_SECONDS", 0.05)
    answers = Answer(HTML, pause_seconds=60.0)
    with yahoo(always=answers) as upstream:
        first = threading.Thread(target=_ignored, args=(tools_at(upstream.url, seconds=2.0),))
        first.start()
        while not upstream.asked:
            time.sleep(0.01)
        with pytest.raises(ToolError, match="busy with other questions"):
            tools_at(upstream.url).get_quote("USD/JPY", NOW)
        first.join()


def _ignored(tools: YahooTools) -> None:
    with pytest.raises(ToolError):
        tools.get_quote("USD/JPY", NOW)
