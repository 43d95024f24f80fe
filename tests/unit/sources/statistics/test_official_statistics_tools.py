"""What the tools of the `official_statistics` server answer, as of an instant."""

import shutil
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp.server.mcpserver.exceptions import ToolError

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import MonthAverages, MonthEndRates
from desk.platform.settings import load_settings
from desk.sources.central_banks.facts.policy import FACTS_DIR
from desk.sources.statistics.answers import DOLLAR, QUOTED_IN_DOLLARS
from desk.sources.statistics.server import OfficialStatisticsTools, build_server
from desk.sources.statistics.tables import AREAS, CURRENCIES
from tests.support.processes.homes import PROJECT

OURS = OfficialStatisticsTools()
INSTANTS = st.datetimes(datetime(1998, 1, 1), datetime(2028, 12, 31), timezones=st.timezones())
EVER = ("1990-01", "2030-12")
LATER = datetime(2027, 1, 1, tzinfo=UTC)
PAIRS = [
    f"{code}/{DOLLAR}" if code in QUOTED_IN_DOLLARS else f"{DOLLAR}/{code}" for code in CURRENCIES
]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def averages(symbol: str, start: str, end: str, as_of: datetime = LATER) -> dict[str, str]:
    found = OURS.get_month_averages(symbol, start, end, as_of).averages
    return {row.month: str(row.value) for row in found}


def rates(area: str, start: str, end: str, as_of: datetime = LATER) -> dict[str, str]:
    found = OURS.get_month_end_rates([area], start, end, as_of).rates
    return {row.month: str(row.rate) for row in found}


@given(INSTANTS, st.sampled_from(PAIRS))
def test_no_average_is_returned_before_it_was_released(as_of: datetime, symbol: str) -> None:
    found = OURS.get_month_averages(symbol, *EVER, as_of)
    month_of_the_instant = as_of.astimezone(UTC).strftime("%Y-%m")
    assert all(row.known_from <= as_of for row in found.averages)
    assert all(row.month < month_of_the_instant for row in found.averages)
    assert (found.missing is None) == bool(found.averages)


@given(INSTANTS)
def test_no_month_end_rate_is_returned_before_it_was_released(as_of: datetime) -> None:
    found = OURS.get_month_end_rates([*AREAS], *("2010-01", "2030-12"), as_of)
    month_of_the_instant = as_of.astimezone(UTC).strftime("%Y-%m")
    assert all(row.known_from <= as_of for row in found.rates)
    assert all(row.month < month_of_the_instant for row in found.rates)
    assert {row.area for row in found.rates} | found.missing.keys() == set(AREAS)
    assert not {row.area for row in found.rates} & found.missing.keys()


@given(INSTANTS, INSTANTS)
def test_what_was_known_stays_known(one: datetime, other: datetime) -> None:
    earlier, later = sorted((one, other))
    before = OURS.get_month_averages("USD/JPY", *EVER, earlier).averages
    assert OURS.get_month_averages("USD/JPY", *EVER, later).averages[: len(before)] == before
    then = OURS.get_month_end_rates(["US", "IN"], *EVER, earlier).rates
    now = OURS.get_month_end_rates(["US", "IN"], *EVER, later).rates
    assert set(then) <= set(now)


def test_an_average_is_known_a_week_into_the_next_month() -> None:
    assert averages("USD/JPY", "2026-05", "2026-06", at("2026-07-07T23:59:59+00:00")) == {
        "2026-05": "158.1530"
    }
    assert averages("USD/JPY", "2026-05", "2026-06", at("2026-07-08T00:00:00+00:00")) == {
        "2026-05": "158.1530",
        "2026-06": "160.7700",
    }


def test_the_average_of_december_is_known_in_january() -> None:
    assert averages("USD/CAD", "2015-12", "2015-12", at("2016-01-07T23:59:59+00:00")) == {}
    assert len(averages("USD/CAD", "2015-12", "2015-12", at("2016-01-08T00:00:00+00:00"))) == 1


def test_a_month_end_rate_is_known_after_the_twentieth_of_the_next_month() -> None:
    assert rates("US", "2019-08", "2019-08", at("2019-09-20T23:59:59+00:00")) == {}
    assert rates("US", "2019-08", "2019-08", at("2019-09-21T00:00:00+00:00")) == {
        "2019-08": "2.125"
    }


def test_india_is_known_a_month_later() -> None:
    assert rates("IN", "2025-12", "2025-12", at("2026-02-20T23:59:59+00:00")) == {}
    assert rates("IN", "2025-12", "2025-12", at("2026-02-21T00:00:00+00:00")) == {"2025-12": "5.25"}


@pytest.mark.parametrize(
    ("symbol", "month", "released"),
    [
        ("AUD/USD", "2010-09", "0.9398"),
        ("EUR/USD", "2010-09", "1.3103"),
        ("NZD/USD", "2010-09", "0.7288"),
        ("GBP/USD", "2010-09", "1.5591"),
        ("USD/JPY", "2010-09", "84.3571"),
        ("AUD/USD", "2019-02", "0.7136"),
        ("EUR/USD", "2019-02", "1.1349"),
        ("GBP/USD", "2019-02", "1.3016"),
        ("USD/KRW", "2019-02", "1121.8333"),
        ("NZD/USD", "2024-06", "0.6139"),
        ("EUR/USD", "2024-06", "1.0763"),
        ("GBP/USD", "2024-06", "1.2716"),
        ("USD/TWD", "2024-06", "32.3768"),
    ],
)
def test_averages_are_those_of_the_release_in_its_own_quotation(
    symbol: str, month: str, released: str
) -> None:
    """From the releases G.5 of 1 October 2010, 1 March 2019 and 1 July 2024."""
    assert averages(symbol, month, month) == {month: released}


@pytest.mark.parametrize(("month", "released"), [("2007-11", "2.0701"), ("2008-03", "2.0015")])
def test_an_average_above_one_dollar_is_off_by_two_in_its_last_digit_at_most(
    month: str, released: str
) -> None:
    found = Decimal(averages("GBP/USD", month, month)[month])
    assert abs(found - Decimal(released)) <= Decimal("0.0002")


def test_every_pair_of_the_desk_has_averages_or_a_reason() -> None:
    wanted = [m for m in load_settings(PROJECT, {}).config.market_names if "/" in m]
    found = {symbol: OURS.get_month_averages(symbol, *EVER, LATER) for symbol in wanted}
    without = {symbol for symbol, result in found.items() if not result.averages}
    assert without == {"USD/IDR", "USD/PHP"}
    assert all(found[symbol].missing for symbol in without)
    assert set(wanted) - without == set(PAIRS)


@pytest.mark.parametrize(
    ("symbol", "reason"),
    [
        ("EUR/JPY", "against the US dollar only, and no cross such as EUR/JPY"),
        ("USD/EUR", "H.10 quotes EUR/USD, not USD/EUR"),
        ("JPY/USD", "H.10 quotes USD/JPY, not JPY/USD"),
        ("USD/IDR", "IDR is not in the table"),
        ("XAU/USD", "XAU is not in the table"),
    ],
)
def test_a_pair_that_h10_does_not_quote_is_missing_with_the_reason(
    symbol: str, reason: str
) -> None:
    found = OURS.get_month_averages(symbol, "2020-01", "2020-12", LATER)
    assert found.averages == ()
    assert reason in (found.missing or "")


def test_a_range_without_an_average_is_missing_and_tells_nothing_later() -> None:
    found = OURS.get_month_averages("USD/JPY", "2020-01", "2020-02", at("2020-01-15T00:00:00Z"))
    assert found.missing == (
        "No H.10 average of USD/JPY from 2020-01 to 2020-02 was known by 2020-01-15T00:00:00+00:00."
    )


def test_months_come_oldest_first_and_both_ends_are_included() -> None:
    assert list(averages("USD/SEK", "2019-11", "2020-02")) == [
        *("2019-11", "2019-12", "2020-01", "2020-02"),
    ]
    found = OURS.get_month_end_rates(["US", "AU", "US"], "2019-12", "2020-01", LATER).rates
    assert [(row.area, row.month) for row in found] == [
        ("AU", "2019-12"),
        ("US", "2019-12"),
        ("AU", "2020-01"),
        ("US", "2020-01"),
    ]


def test_every_rate_names_the_instrument_of_its_time() -> None:
    found = OURS.get_month_end_rates(["XM"], "2024-08", "2024-09", LATER).rates
    assert [(row.month, str(row.rate), row.instrument) for row in found] == [
        ("2024-08", "4.25", "main refinancing operations rate"),
        ("2024-09", "3.5", "deposit facility rate"),
    ]


def test_areas_without_a_rate_are_missing_and_the_others_are_answered() -> None:
    found = OURS.get_month_end_rates(["SG", "JP", "GB"], "2015-01", "2015-03", LATER)
    assert {row.area for row in found.rates} == {"GB"}
    assert "SG is not in the table of BIS policy rates" in found.missing["SG"]
    assert "No BIS rate of JP from 2015-01 to 2015-03" in found.missing["JP"]


def test_the_results_name_the_federal_reserve_and_the_bis_as_their_origins() -> None:
    h10 = OURS.get_month_averages("USD/JPY", "2020-01", "2020-01", LATER).source
    bis = OURS.get_month_end_rates(["US"], "2020-01", "2020-01", LATER).source
    assert (h10.name, h10.origin, h10.tier) == (
        "Federal Reserve Board, H.10 foreign exchange rates",
        "Federal Reserve Board",
        SourceTier.AUTHORITATIVE,
    )
    assert (bis.name, bis.origin, bis.tier) == (
        "BIS central bank policy rates",
        "Bank for International Settlements",
        SourceTier.AUTHORITATIVE,
    )


def test_a_range_that_runs_backwards_is_refused() -> None:
    with pytest.raises(ToolError, match="end 2020-01 lies before start 2020-02"):
        OURS.get_month_averages("USD/JPY", "2020-02", "2020-01", LATER)
    with pytest.raises(ToolError, match="lies before start"):
        OURS.get_month_end_rates(["US"], "2020-02", "2020-01", LATER)


def test_what_is_no_pair_or_no_area_is_refused_with_advice() -> None:
    with pytest.raises(ToolError, match="write it like USD/JPY"):
        OURS.get_month_averages("usdjpy", *EVER, LATER)
    with pytest.raises(ToolError, match="write it like JP or XM"):
        OURS.get_month_end_rates(["US", "Japan"], *EVER, LATER)


def test_more_rates_than_a_result_holds_are_refused_with_advice() -> None:
    with pytest.raises(ToolError, match="above 5000; ask for fewer areas or months"):
        OURS.get_month_end_rates([*AREAS], *EVER, LATER)


def test_a_damaged_table_is_a_tool_error_that_names_the_cell(tmp_path: Path) -> None:
    shutil.copytree(FACTS_DIR, tmp_path, dirs_exist_ok=True)
    table = tmp_path / "bis_month_end_rates.csv"
    table.write_text(table.read_text().replace("1999-01,4.75", "1999-01,much", 1))
    with pytest.raises(ToolError, match=r"bis_month_end_rates\.csv, line 2, column AU"):
        OfficialStatisticsTools(tmp_path).get_month_averages("USD/JPY", *EVER, LATER)


async def called(tool: str, **arguments: object) -> Any:
    async with Client(build_server()) as client:
        return await client.call_tool(tool, arguments)


async def test_structured_results_are_the_contracts_in_json() -> None:
    as_of = "2026-09-20T07:00:00+01:00"
    asked = {"start": "2026-01", "end": "2026-09"}
    found = await called("get_month_averages", symbol="EUR/USD", as_of=as_of, **asked)
    expected = OURS.get_month_averages("EUR/USD", "2026-01", "2026-09", at(as_of))
    assert MonthAverages.model_validate(found.structured_content) == expected
    assert found.structured_content["averages"][0]["value"] == "1.1744"
    found = await called("get_month_end_rates", areas=["US", "SG"], as_of=as_of, **asked)
    rates_expected = OURS.get_month_end_rates(["US", "SG"], "2026-01", "2026-09", at(as_of))
    assert MonthEndRates.model_validate(found.structured_content) == rates_expected
    assert found.structured_content["rates"][-1]["rate"] == "3.625"


@pytest.mark.parametrize("month", ["2026", "2026-13", "2026-1", "2026-01-01", "202601", 202601, ""])
async def test_a_month_must_be_written_as_one(month: object) -> None:
    as_of = "2026-03-01T00:00:00Z"
    found = await called("get_month_end_rates", areas=["US"], start=month, end=month, as_of=as_of)
    assert found.is_error
    assert "write it as a month, such as 2026-10" in found.content[0].text


@pytest.mark.parametrize("absent", ["symbol", "start", "end", "as_of"])
async def test_no_argument_can_be_left_out(absent: str) -> None:
    arguments = {
        "symbol": "USD/JPY",
        "start": "2026-01",
        "end": "2026-02",
        "as_of": "2026-03-01T00:00:00Z",
    }
    del arguments[absent]
    assert (await called("get_month_averages", **arguments)).is_error


async def test_without_an_interval_nothing_is_fetched(tmp_path: Path) -> None:
    server = build_server(cache_dir=tmp_path)
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == {
        f"get_{name}"
        for name in ("month_averages", "month_end_rates", "daily_rates", "recorded_rates")
    }


async def test_every_tool_needs_the_instant_and_promises_to_read_only() -> None:
    async with Client(build_server()) as client:
        tools = (await client.list_tools()).tools
    for tool in tools:
        assert "as_of" in tool.input_schema["required"]
        assert tool.output_schema is not None
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.annotations.idempotent_hint
