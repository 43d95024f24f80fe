"""What the tools of the `central_banks` server answer, as of an instant."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp.server.mcpserver.exceptions import ToolError

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import DatePrecision, PolicyRate, PolicyRates
from desk.sources.central_banks.facts.policy import read_facts
from desk.sources.central_banks.server import CentralBankTools, build_server
from tests.support.files.facts_files import DECISIONS, write_facts

OURS = CentralBankTools()
FACTS = read_facts()
INSTANTS = st.datetimes(datetime(2014, 6, 1), datetime(2027, 12, 31), timezones=st.timezones())
ALL_AREAS = sorted(FACTS.areas)
EVER = (date(2010, 1, 1), date(2030, 1, 1))


@pytest.fixture
def tools(tmp_path: Path) -> CentralBankTools:
    return CentralBankTools(write_facts(tmp_path / "facts"))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def rate(tools: CentralBankTools, area: str, as_of: str) -> PolicyRate:
    return tools.get_policy_rate([area], at(as_of)).rates[0]


@given(INSTANTS)
def test_no_tool_returns_what_was_not_public(as_of: datetime) -> None:
    decisions = OURS.get_rate_decisions(ALL_AREAS, *EVER, as_of).decisions
    assert all(decision.known_from <= as_of for decision in decisions)
    local_days = {code: area.local_day(as_of) for code, area in FACTS.areas.items()}
    assert all(decision.decided_on <= local_days[decision.area] for decision in decisions)
    for known in OURS.get_policy_rate(ALL_AREAS, as_of).rates:
        assert known.since is None or known.since <= local_days[known.area]
    announced = {
        (row.area.code, row.day)
        for rows in FACTS.meetings.values()
        for row in rows
        if row.stood_at(as_of)
    }
    scheduled = OURS.get_decision_calendar(ALL_AREAS, *EVER, as_of).scheduled
    assert {(meeting.area, meeting.day) for meeting in scheduled} == announced


@given(INSTANTS)
def test_a_policy_rate_is_a_value_or_a_reason(as_of: datetime) -> None:
    for known in OURS.get_policy_rate(ALL_AREAS, as_of).rates:
        assert (known.rate is None) == (known.missing is not None)


@given(INSTANTS)
def test_the_rate_in_force_is_that_of_the_last_decision(as_of: datetime) -> None:
    known = OURS.get_policy_rate(["US"], as_of).rates[0]
    decisions = OURS.get_rate_decisions(["US"], *EVER, as_of).decisions
    if known.rate is not None and decisions:
        assert decisions[-1].rate == known.rate


def test_a_scheduled_decision_is_known_at_its_hour_in_its_own_zone(tools: CentralBankTools) -> None:
    assert rate(tools, "US", "2026-07-29T17:59:59+00:00").rate == Decimal("0.125")
    assert rate(tools, "US", "2026-07-29T18:00:00+00:00").rate == Decimal("3.625")


def test_an_unscheduled_decision_is_known_at_the_end_of_its_day(tools: CentralBankTools) -> None:
    assert rate(tools, "US", "2020-03-15T20:00:00-04:00").rate == Decimal("1.125")
    assert rate(tools, "US", "2020-03-15T23:59:00-04:00").rate == Decimal("0.125")


def test_a_decision_known_by_its_month_is_known_at_the_end_of_the_month(
    tools: CentralBankTools,
) -> None:
    assert rate(tools, "SE", "2026-05-31T23:00:00+02:00").rate == Decimal("1.75")
    assert rate(tools, "SE", "2026-05-31T23:59:00+02:00").rate == Decimal("2.00")


def test_a_target_range_comes_with_its_midpoint(tools: CentralBankTools) -> None:
    known = rate(tools, "US", "2026-08-01T00:00:00+00:00")
    assert (known.rate, known.low, known.high) == (
        Decimal("3.625"),
        Decimal("3.50"),
        Decimal("3.75"),
    )


def test_a_rate_is_in_force_since_the_decision_that_set_it(tools: CentralBankTools) -> None:
    assert rate(tools, "US", "2026-09-20T00:00:00+00:00").since == date(2026, 7, 29)
    assert rate(tools, "JP", "2020-01-01T00:00:00+00:00").since is None
    assert rate(tools, "US", "2020-03-04T12:00:00-05:00").since == date(2020, 3, 3)


def test_a_rate_says_how_well_the_day_of_its_last_change_is_known() -> None:
    norway, america = OURS.get_policy_rate(["NO", "US"], at("2026-11-02T07:00:00+00:00")).rates
    assert (norway.since, norway.since_precision) == (date(2026, 5, 31), DatePrecision.MONTH)
    assert america.since_precision is DatePrecision.DAY
    # Answers of earlier versions said nothing of it, and most have nothing to say.
    assert "since_precision" not in america.model_dump()
    assert PolicyRate.model_validate(norway.model_dump()) == norway


def test_a_rate_names_the_instrument_of_its_time(tools: CentralBankTools) -> None:
    assert rate(tools, "JP", "2020-01-01T00:00:00+00:00").instrument == "excess reserves"
    assert rate(tools, "JP", "2025-01-01T00:00:00+00:00").instrument == "call rate"


def test_a_rates_origin_is_that_of_the_row_which_set_its_level(tools: CentralBankTools) -> None:
    # set by the ECB's own decision of June 2025; the holds of 2026 rest on the BIS
    held = OURS.get_rate_decisions(
        ["XM"], date(2026, 3, 1), date(2026, 3, 31), at("2026-04-01T00:00:00+00:00")
    )
    assert [decision.origin for decision in held.decisions] == [
        "Bank for International Settlements"
    ]
    assert rate(OURS, "XM", "2026-04-01T00:00:00+00:00").origin == "European Central Bank"
    assert rate(tools, "US", "2026-09-20T00:00:00+00:00").origin == "Federal Reserve"
    assert rate(tools, "JP", "2025-01-01T00:00:00+00:00").origin == "Bank of Japan"
    assert (
        rate(tools, "SE", "2026-06-30T00:00:00+02:00").origin
        == "Bank for International Settlements"
    )
    assert rate(tools, "SG", "2026-06-30T00:00:00+02:00").origin is None


def test_words_that_name_nobody_give_no_origin(tools: CentralBankTools) -> None:
    assert rate(tools, "JP", "2020-01-01T00:00:00+00:00").origin is None


def test_a_decision_names_the_origin_of_its_level(tools: CentralBankTools) -> None:
    found = tools.get_rate_decisions(["SE"], *EVER, at("2026-12-01T00:00:00+00:00")).decisions
    assert [decision.origin for decision in found] == [
        "Sveriges Riksbank",
        "Bank for International Settlements",
    ]


def test_a_rate_after_the_cover_is_stale(tools: CentralBankTools) -> None:
    assert not rate(tools, "US", "2026-10-01T03:59:59+00:00").stale
    after = rate(tools, "US", "2026-10-01T04:00:00+00:00")
    assert (after.stale, after.covered_until) == (True, date(2026, 9, 30))


@given(INSTANTS)
def test_nothing_is_covered_beyond_the_day_of_the_instant(as_of: datetime) -> None:
    today = {code: area.local_day(as_of) for code, area in FACTS.areas.items()}
    for known in OURS.get_policy_rate(ALL_AREAS, as_of).rates:
        assert known.covered_until is None or known.covered_until <= today[known.area]
    covered = OURS.get_rate_decisions(ALL_AREAS, *EVER, as_of).covered_until
    assert all(day <= today[code] for code, day in covered.items())


def test_a_rate_within_the_cover_is_covered_until_the_local_day(tools: CentralBankTools) -> None:
    # 07:30 on 1 May in Tokyo, still 30 April in New York
    instant = "2026-04-30T22:30:00+00:00"
    known = rate(tools, "JP", instant)
    assert (known.stale, known.covered_until) == (False, date(2026, 5, 1))
    decisions = tools.get_rate_decisions(["JP", "US"], *EVER, at(instant))
    assert decisions.covered_until == {"JP": date(2026, 5, 1), "US": date(2026, 4, 30)}


def test_before_the_cover_begins_nothing_is_covered(tools: CentralBankTools) -> None:
    found = tools.get_rate_decisions(["JP", "SG"], *EVER, at("2014-12-31T14:59:59+00:00"))
    assert found.covered_until == {}


def test_a_rate_before_the_cover_is_missing(tools: CentralBankTools) -> None:
    known = rate(tools, "JP", "2014-12-31T14:59:59+00:00")
    assert known.rate is None
    assert "from 2015-01-01 on" in (known.missing or "")
    assert rate(tools, "JP", "2014-12-31T15:00:00+00:00").rate == Decimal("0.10")


def test_an_area_without_a_level_yet_is_missing(tools: CentralBankTools) -> None:
    assert "no level of Federal Reserve" in (
        rate(tools, "US", "2016-01-01T00:00:00Z").missing or ""
    )


def test_areas_without_a_policy_rate_are_missing_with_the_note(tools: CentralBankTools) -> None:
    assert rate(tools, "SG", "2026-08-01T00:00:00+00:00").missing == "No policy rate."
    assert "exchange rate" in (rate(OURS, "SG", "2026-08-01T00:00:00+00:00").missing or "")
    assert "Taiwan" in (rate(OURS, "TW", "2026-08-01T00:00:00+00:00").missing or "")


def test_an_area_outside_the_table_is_missing_and_the_others_are_answered(
    tools: CentralBankTools,
) -> None:
    rates = tools.get_policy_rate(["ZA", "US"], at("2026-08-01T00:00:00+00:00")).rates
    assert [known.area for known in rates] == ["ZA", "US"]
    assert "not among the areas of the table: JP, SE, SG, US" in (rates[0].missing or "")
    assert rates[1].rate == Decimal("3.625")


def test_decisions_come_oldest_first_each_with_its_source(tools: CentralBankTools) -> None:
    found = tools.get_rate_decisions(
        ["US", "SE"], date(2026, 3, 24), date(2026, 9, 16), at("2026-10-01T00:00:00+00:00")
    )
    assert [(d.area, d.decided_on, d.change) for d in found.decisions] == [
        ("SE", date(2026, 3, 24), Decimal(-25)),
        ("SE", date(2026, 5, 31), Decimal(25)),
        ("US", date(2026, 7, 29), Decimal(350)),
        ("US", date(2026, 9, 16), Decimal(0)),
    ]
    assert found.decisions[0].precision is DatePrecision.EFFECTIVE
    assert found.decisions[0].source == "Riksbank March 2026"
    assert found.covered_until == {"US": date(2026, 9, 30), "SE": date(2026, 8, 31)}
    assert found.missing == {}
    assert found.source.tier is SourceTier.PRIMARY
    assert found.source.name == "Project table of central-bank decisions"


def test_an_opening_level_is_not_a_decision(tools: CentralBankTools) -> None:
    found = tools.get_rate_decisions(["JP"], *EVER, at("2023-01-01T00:00:00+00:00"))
    assert found.decisions == ()


def test_an_area_asked_for_twice_is_listed_once(tools: CentralBankTools) -> None:
    found = tools.get_rate_decisions(["JP", "JP"], *EVER, at("2026-01-01T00:00:00+00:00"))
    assert len(found.decisions) == 2


def test_decisions_that_the_table_cannot_have_are_named(tools: CentralBankTools) -> None:
    found = tools.get_rate_decisions(["US", "SG", "ZA"], *EVER, at("2026-01-01T00:00:00+00:00"))
    assert found.missing.keys() == {"US", "SG", "ZA"}
    assert "from 2015-01-01 on, not from 2010-01-01" in found.missing["US"]


def test_a_decision_day_is_hidden_until_it_was_announced(tools: CentralBankTools) -> None:
    def january(as_of: str) -> list[date]:
        calendar = tools.get_decision_calendar(
            ["US"], date(2027, 1, 1), date(2027, 1, 31), at(as_of)
        )
        return [meeting.day for meeting in calendar.scheduled]

    assert january("2026-08-10T03:59:59+00:00") == []
    assert january("2026-08-10T04:00:00+00:00") == [date(2027, 1, 27)]


def test_a_decision_day_comes_with_its_local_hour_if_there_is_one(tools: CentralBankTools) -> None:
    calendar = tools.get_decision_calendar(
        ["US", "JP"], date(2024, 7, 1), date(2026, 8, 1), at("2026-07-01T00:00:00+00:00")
    )
    assert [(m.area, m.announced_at_local, m.time_zone) for m in calendar.scheduled] == [
        ("JP", None, "Asia/Tokyo"),
        ("US", time(14), "America/New_York"),
    ]


def test_a_calendar_that_ends_before_the_range_is_missing(tools: CentralBankTools) -> None:
    calendar = tools.get_decision_calendar(
        ["US", "JP", "SE", "ZA"],
        date(2026, 8, 1),
        date(2026, 8, 31),
        at("2026-07-01T00:00:00+00:00"),
    )
    assert calendar.missing.keys() == {"JP", "SE", "ZA"}
    assert "end on 2024-07-31" in calendar.missing["JP"]


@pytest.mark.parametrize("area", ["us", "USA", "", "U/", "JP\n"])
def test_a_malformed_area_is_refused_with_advice(tools: CentralBankTools, area: str) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    with pytest.raises(ToolError, match="write it like JP or XM"):
        tools.get_policy_rate(["US", area], now)


def test_a_range_that_runs_backwards_is_refused(tools: CentralBankTools) -> None:
    day, now = date(2026, 1, 2), datetime(2026, 1, 1, tzinfo=UTC)
    for tool in (tools.get_rate_decisions, tools.get_decision_calendar):
        with pytest.raises(ToolError, match="lies before start"):
            tool(["US"], day, day - timedelta(days=1), now)


def test_more_rows_than_a_result_holds_are_refused_with_advice(tmp_path: Path) -> None:
    days = (date(2015, 1, 1) + timedelta(days=number) for number in range(2_001))
    rows = "".join(f"US,{day},day,,1,0,,,rate,made up\n" for day in days)
    header = DECISIONS.splitlines(keepends=True)[0]
    tools = CentralBankTools(write_facts(tmp_path, decisions=header + rows))
    with pytest.raises(ToolError, match="ask for fewer areas or days"):
        tools.get_rate_decisions(["US"], *EVER, datetime(2026, 1, 1, tzinfo=UTC))


def test_a_damaged_table_is_a_tool_error_that_names_the_cell(tmp_path: Path) -> None:
    folder = write_facts(tmp_path, decisions=DECISIONS.replace("3.625,350", "n/a,350"))
    tools = CentralBankTools(folder)
    with pytest.raises(ToolError, match=r"rate_decisions\.csv, line 9, column rate_pct"):
        tools.get_policy_rate(["US"], datetime(2026, 1, 1, tzinfo=UTC))


async def called(tool: str, **arguments: object) -> Any:
    async with Client(build_server()) as client:
        return await client.call_tool(tool, arguments)


async def test_structured_results_are_the_contracts_in_json() -> None:
    as_of = "2026-09-20T07:00:00+01:00"
    answer = await called("get_policy_rate", areas=["US", "SG"], as_of=as_of)
    expected = OURS.get_policy_rate(["US", "SG"], at(as_of))
    assert PolicyRates.model_validate(answer.structured_content) == expected
    assert answer.structured_content["rates"][0]["rate"] == "3.875"


@pytest.mark.parametrize(
    "arguments",
    [
        {"areas": [], "as_of": "2026-01-01T00:00:00Z"},
        {"areas": ["US"] * 41, "as_of": "2026-01-01T00:00:00Z"},
        {"areas": "US", "as_of": "2026-01-01T00:00:00Z"},
        {"areas": ["US"], "as_of": "2026-01-01T00:00:00"},
        {"areas": ["US"]},
    ],
)
async def test_arguments_outside_the_schema_are_refused(arguments: dict[str, object]) -> None:
    assert (await called("get_policy_rate", **arguments)).is_error


async def test_without_an_interval_nothing_is_fetched(tmp_path: Path) -> None:
    server = build_server(cache_dir=tmp_path)
    async with Client(server) as client:
        answer = await client.call_tool(
            "get_policy_rate", {"areas": ["US"], "as_of": "2026-09-20T07:00:00Z"}
        )
    assert not answer.is_error
    assert list(tmp_path.iterdir()) == []


async def test_every_tool_needs_the_instant_and_promises_to_read_only() -> None:
    async with Client(build_server(cache_dir=None)) as client:
        tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == {
        "get_policy_rate",
        "get_rate_decisions",
        "get_decision_calendar",
    }
    for tool in tools:
        assert "as_of" in tool.input_schema["required"]
        assert tool.output_schema is not None
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.annotations.idempotent_hint


def test_the_meetings_before_a_decision_reach_back_to_one_that_decided_otherwise() -> None:
    found = OURS.get_rate_decisions(
        ["CH", "NO"], date(2024, 12, 9), date(2024, 12, 20), at("2024-12-20T12:00:00+00:00")
    )
    assert {d.area for d in found.decisions} == {"CH", "NO"}
    assert [(d.area, d.decided_on.isoformat(), str(d.change)) for d in found.before] == [
        ("CH", "2023-12-14", "0"),
        ("CH", "2024-03-21", "-25"),
        ("CH", "2024-06-20", "-25"),
        ("CH", "2024-09-26", "-25"),
    ]


def test_a_week_without_a_decision_has_no_meetings_before_it() -> None:
    found = OURS.get_rate_decisions(
        ["CH"], date(2024, 12, 16), date(2024, 12, 20), at("2024-12-20T12:00:00+00:00")
    )
    assert (found.decisions, found.before) == ((), ())
