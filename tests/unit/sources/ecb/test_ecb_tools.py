"""What the tools of the `ecb` server answer, as of an instant."""

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp.server.mcpserver.exceptions import ToolError

from desk.analytics.prices.fixings import cross_rate, known_from
from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import FixingCoverage, History, PairQuote, Quote, Quotes
from desk.sources.ecb.server import EcbTools, build_server
from desk.sources.ecb.store import RatesStore
from tests.support.files.rates_files import write_rates

TOOLS = EcbTools(RatesStore())
CURRENCIES = st.sampled_from(
    ("EUR", "USD", "JPY", "GBP", "CNY", "HKD", "INR", "ISK", "RUB", "HRK", "TRL", "TWD")
)
PAIRS = st.tuples(CURRENCIES, CURRENCIES).filter(lambda pair: pair[0] != pair[1]).map("/".join)
INSTANTS = st.datetimes(datetime(1998, 12, 1), datetime(2027, 1, 1), timezones=st.timezones())


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@given(PAIRS, INSTANTS)
def test_no_tool_returns_a_fixing_that_was_not_known(symbol: str, as_of: datetime) -> None:
    quote = TOOLS.get_quote(symbol, as_of)
    assert quote.fixed_on is None or known_from(quote.fixed_on) <= as_of
    history = TOOLS.get_historical(symbol, as_of.date() - timedelta(days=30), as_of)
    assert all(known_from(day) <= as_of for day in history.days)


@given(PAIRS, INSTANTS)
def test_a_quote_is_a_value_with_its_day_or_a_reason(symbol: str, as_of: datetime) -> None:
    quote = TOOLS.get_quote(symbol, as_of)
    assert (quote.value is None) == (quote.fixed_on is None) == (quote.missing is not None)
    assert quote.value is None or quote.value > 0


@given(PAIRS, INSTANTS)
def test_a_quote_is_the_last_of_the_history(symbol: str, as_of: datetime) -> None:
    quote = TOOLS.get_quote(symbol, as_of)
    history = TOOLS.get_historical(symbol, as_of.date() - timedelta(days=16), as_of)
    if quote.value is not None:
        assert (history.days[-1], history.values[-1]) == (quote.fixed_on, quote.value)


def test_a_cross_comes_with_the_published_rates_that_it_is_computed_from() -> None:
    as_of = at("2026-10-03T00:00Z")
    history = TOOLS.get_historical("USD/JPY", date(2025, 9, 1), as_of)
    values = dict(zip(history.days, history.values, strict=True))
    assert {max(values, key=values.__getitem__), history.days[-1]} <= {e.day for e in history.legs}
    for legs in history.legs:
        assert legs.quote is not None
        assert (legs.quote.symbol, legs.base.symbol) == ("EUR/JPY", "EUR/USD")
        assert cross_rate(legs.base.value, legs.quote.value) == values[legs.day]
    assert TOOLS.get_quote("USD/JPY", as_of).legs == history.legs[-1]


def test_a_rate_against_the_euro_is_no_cross_and_one_of_the_euro_has_one_leg() -> None:
    as_of = at("2026-10-03T00:00Z")
    assert TOOLS.get_historical("EUR/USD", date(2026, 9, 1), as_of).legs == ()
    inverse = TOOLS.get_quote("USD/EUR", as_of).legs
    assert inverse is not None
    assert (inverse.base.symbol, inverse.quote) == ("EUR/USD", None)


@given(st.lists(PAIRS, min_size=1, max_size=60), INSTANTS)
def test_several_quotes_are_each_as_it_is_alone(symbols: list[str], as_of: datetime) -> None:
    answer = TOOLS.get_quotes(symbols, as_of)
    alone = [TOOLS.get_quote(symbol, as_of) for symbol in symbols]
    assert answer.quotes == tuple(PairQuote.model_validate(quote.model_dump()) for quote in alone)
    assert {answer.source} == {quote.source for quote in alone}
    assert answer.as_of == as_of


@pytest.mark.parametrize(
    ("as_of", "fixed_on"),
    [
        ("2026-10-30T14:59:59+00:00", date(2026, 10, 29)),
        ("2026-10-30T15:00:00+00:00", date(2026, 10, 30)),
        ("2026-10-23T13:59:59+00:00", date(2026, 10, 22)),
        ("2026-10-23T14:00:00+00:00", date(2026, 10, 23)),
        ("2026-10-23T23:00:00+09:00", date(2026, 10, 23)),
        ("2026-04-06T20:00:00+00:00", date(2026, 4, 2)),
        ("2025-12-28T12:00:00+00:00", date(2025, 12, 24)),
    ],
)
def test_the_quote_is_the_last_fixing_published_before_the_instant(
    as_of: str, fixed_on: date
) -> None:
    assert TOOLS.get_quote("EUR/USD", at(as_of)).fixed_on == fixed_on


def test_a_quote_names_the_ecb_as_its_source() -> None:
    quote = TOOLS.get_quote("USD/JPY", at("2026-10-31T00:00:00+00:00"))
    assert quote.value == Decimal("157.2502686")
    assert quote.source.tier is SourceTier.AUTHORITATIVE
    assert "ECB" in quote.source.name


def test_a_quote_up_to_fourteen_days_old_is_given_with_its_day(tmp_path: Path) -> None:
    friday = date(2026, 10, 30)
    packaged = write_rates(tmp_path / "rates.zip", {friday: {"USD": "1.1172"}})
    tools = EcbTools(RatesStore(None, packaged))
    assert tools.get_quote("EUR/USD", known_from(date(2026, 11, 13))).fixed_on == friday
    lapsed = tools.get_quote("EUR/USD", known_from(date(2026, 11, 14)))
    assert lapsed.value is None
    assert "ends on 2026-10-30" in (lapsed.missing or "")


def test_an_ended_series_is_missing_with_the_last_day_it_had() -> None:
    assert TOOLS.get_quote("USD/RUB", at("2022-03-10T12:00:00+00:00")).fixed_on == date(2022, 3, 1)
    quote = TOOLS.get_quote("USD/RUB", at("2022-04-01T12:00:00+00:00"))
    assert quote.value is None
    assert "2022-03-01" in (quote.missing or "")


def test_a_hole_in_a_series_is_missing_and_not_the_value_before_it() -> None:
    quote = TOOLS.get_quote("EUR/ISK", at("2012-06-01T12:00:00+00:00"))
    assert quote.value is None
    assert "the last one is of 2008-12" in (quote.missing or "")
    history = TOOLS.get_historical(
        "EUR/ISK", date(2010, 1, 1), at("2026-01-01T00:00:00+00:00"), date(2015, 1, 1)
    )
    assert (history.days, history.values) == ((), ())
    assert history.missing


def test_a_currency_outside_the_reference_rates_is_missing_and_named() -> None:
    as_of = at("2026-10-31T00:00:00+00:00")
    reason = "TWD is not among the ECB reference currencies."
    assert TOOLS.get_quote("USD/TWD", as_of).missing == reason
    assert TOOLS.get_historical("USD/TWD", date(2026, 1, 1), as_of).missing == reason
    both = TOOLS.get_quote("VND/TWD", as_of).missing
    assert both == "VND and TWD are not among the ECB reference currencies."


def test_a_currency_is_unknown_before_its_first_fixing() -> None:
    quote = TOOLS.get_quote("USD/INR", at("2005-01-03T20:00:00+00:00"))
    assert quote.value is None
    assert "2009" not in (quote.missing or "")


@pytest.mark.parametrize(
    ("symbol", "advice"),
    [
        ("USDJPY", "write it like USD/JPY"),
        ("usd/jpy", "write it like USD/JPY"),
        ("usd-cnh", "write it like USD/CNH"),
        ("", "write it like USD/JPY"),
        ("USD/JPY\n", "write it like USD/JPY"),
        ("USD/USD", "name two currencies"),
    ],
)
def test_a_malformed_symbol_is_refused_with_advice(symbol: str, advice: str) -> None:
    as_of = at("2026-10-31T00:00:00+00:00")
    with pytest.raises(ToolError, match=advice):
        TOOLS.get_quote(symbol, as_of)
    with pytest.raises(ToolError, match=advice):
        TOOLS.get_historical(symbol, date(2026, 1, 1), as_of)


def test_a_history_holds_both_ends_and_skips_holidays() -> None:
    history = TOOLS.get_historical(
        "EUR/USD", date(2026, 4, 2), at("2026-10-31T00:00:00+00:00"), date(2026, 4, 8)
    )
    assert history.days == (date(2026, 4, 2), date(2026, 4, 7), date(2026, 4, 8))
    assert len(history.values) == 3


def test_a_range_that_lies_ahead_is_missing() -> None:
    history = TOOLS.get_historical(
        "EUR/USD", date(2026, 10, 30), at("2026-10-30T12:00:00+00:00"), date(2026, 11, 30)
    )
    assert history.days == ()
    assert "2026-10-29" in (history.missing or "")


def test_a_range_that_runs_backwards_is_refused() -> None:
    with pytest.raises(ToolError, match="lies before start"):
        TOOLS.get_historical(
            "EUR/USD", date(2026, 2, 1), at("2026-10-30T12:00:00+00:00"), date(2026, 1, 1)
        )


def test_coverage_ends_with_the_last_known_fixing() -> None:
    coverage = TOOLS.get_coverage(at("2026-04-06T20:00:00+00:00"))
    assert (coverage.first_day, coverage.last_day) == (date(1999, 1, 4), date(2026, 4, 2))


def test_there_is_no_coverage_before_the_first_fixing() -> None:
    with pytest.raises(ToolError, match="had been published"):
        TOOLS.get_coverage(at("1999-01-04T14:59:00+00:00"))
    first = TOOLS.get_coverage(at("1999-01-04T15:00:00+00:00"))
    assert first.last_day == date(1999, 1, 4)


def test_a_damaged_file_is_a_tool_error_that_names_it(tmp_path: Path) -> None:
    packaged = tmp_path / "eurofxref-hist.zip"
    packaged.write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(ToolError, match=r"eurofxref-hist\.zip is not usable.*Reinstall it"):
        EcbTools(RatesStore(None, packaged)).get_coverage(datetime(2026, 1, 1, tzinfo=UTC))


async def called(tool: str, **arguments: object) -> Any:
    async with Client(build_server()) as client:
        return await client.call_tool(tool, arguments)


async def test_structured_results_are_the_contracts_in_json() -> None:
    as_of = "2026-10-31T00:00:00Z"
    quote = await called("get_quote", symbol="USD/JPY", as_of=as_of)
    assert Quote.model_validate(quote.structured_content) == TOOLS.get_quote("USD/JPY", at(as_of))
    assert quote.structured_content["value"] == "157.2502686"
    history = await called("get_historical", symbol="USD/JPY", start="2026-10-26", as_of=as_of)
    assert len(History.model_validate_json(json.dumps(history.structured_content)).days) == 5
    several = await called("get_quotes", symbols=["USD/JPY", "USD/TWD"], as_of=as_of)
    first, second = Quotes.model_validate(several.structured_content).quotes
    assert (first.value, second.value) == (Decimal("157.2502686"), None)
    assert second.missing == "TWD is not among the ECB reference currencies."
    coverage = await called("get_coverage", as_of=as_of)
    assert FixingCoverage.model_validate(coverage.structured_content).last_day.year == 2026


@pytest.mark.parametrize(
    ("as_of", "reason"),
    [
        ("2026-10-31T00:00:00", "timezone"),
        ("2026-10-31", "timezone"),
        ("20261031", "ISO 8601"),
        ("1793404800", "ISO 8601"),
        (1793404800, "ISO 8601"),
        (None, "ISO 8601"),
        ("yesterday", "ISO 8601"),
        ("0001-01-01T00:00:00+14:00", "year"),
        ("9999-12-31T23:59:59-12:00", "year"),
    ],
)
async def test_an_instant_without_offset_or_out_of_the_calendar_is_refused(
    as_of: object, reason: str
) -> None:
    answer = await called("get_coverage", as_of=as_of)
    assert answer.is_error
    assert reason in answer.content[0].text


@pytest.mark.parametrize(
    ("symbols", "reason"),
    [
        ([], "at least 1"),
        (["USD/JPY"] * 61, "at most 60"),
        (["USD/JPY", "EURUSD"], "write it like EUR/USD"),
        (["USD/JPY", "EUR/EUR"], "pairs a currency with itself"),
        ("USD/JPY", "list"),
    ],
)
async def test_what_is_no_list_of_pairs_is_refused_whole(symbols: object, reason: str) -> None:
    answer = await called("get_quotes", symbols=symbols, as_of="2026-10-31T00:00:00Z")
    assert answer.is_error
    assert reason in answer.content[0].text


async def test_sixty_quotes_stay_small() -> None:
    symbols = ["GBP/USD", "USD/TWD", "USD/RUB"] * 20
    answer = await called("get_quotes", symbols=symbols, as_of="2026-10-31T00:00:00Z")
    assert len(json.dumps(answer.structured_content)) < 12_000


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, 'symbol: it is missing; right is, for example, "USD/JPY".'),
        (
            {"symbol": ["yen"]},
            'symbol: it should be a valid string; right is, for example, "USD/JPY".',
        ),
        (
            {"symbol": "USD/JPY", "start": "May"},
            "start: write it as an ISO 8601 day, such as 2026-10-30.",
        ),
    ],
)
async def test_wrong_arguments_are_told_in_a_plain_sentence_each(
    arguments: dict[str, Any], told: str
) -> None:
    given = {"as_of": "2026-10-31T00:00:00Z", "start": "2026-10-26", **arguments}
    refused = await called("get_historical", **given)
    assert refused.is_error
    (part,) = refused.content
    assert part.text == told


async def test_every_tool_needs_the_instant_and_promises_to_read_only() -> None:
    async with Client(build_server()) as client:
        tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == {
        "get_quote",
        "get_quotes",
        "get_historical",
        "search_symbols",
        "get_coverage",
    }
    for tool in tools:
        assert "as_of" in tool.input_schema["required"]
        assert tool.output_schema is not None
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.annotations.idempotent_hint
