"""The BIS's series over a socket: fetched, kept, and what every failure of the provider leaves."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from mcp import Client

from desk.contracts.findings.source_results import PolicyRates, RateDecisions
from desk.contracts.findings.sources import RefreshStatus
from desk.sources.central_banks.bis.files import AREAS, policy_rates_file, recorded
from desk.sources.central_banks.bis.sdmx_csv import Frequency
from desk.sources.central_banks.current_facts import RecordedFile
from desk.sources.central_banks.server import CentralBankTools, build_server, kept_files
from desk.sources.serving.kept_file import KeptFile, refresh
from tests.standins.provider import Failure
from tests.standins.serving import Standins

AFTER_W44 = datetime(2026, 11, 2, 7, tzinfo=UTC)
WEEK = (date(2026, 10, 26), date(2026, 11, 1))
LATER = date(2026, 11, 24)


@pytest.fixture
def daily(standins: Standins) -> KeptFile:
    standins.until = LATER
    return policy_rates_file(Frequency.DAILY, standins.address("bis"))


def asking(kept: KeptFile, cache: Path) -> CentralBankTools:
    return CentralBankTools(cache_dir=cache, recorded_in=(RecordedFile(kept, recorded),))


def of_the_week(tools: CentralBankTools) -> dict[str, Decimal]:
    found = tools.get_rate_decisions(list(AREAS), *WEEK, AFTER_W44).decisions
    return {row.area: row.change for row in found}


def test_a_week_after_the_tables_end_has_the_outcome_of_every_meeting(
    daily: KeptFile, tmp_path: Path
) -> None:
    tools = asking(daily, tmp_path)
    scheduled = tools.get_decision_calendar(list(AREAS), *WEEK, AFTER_W44).scheduled
    assert {row.area for row in scheduled} == {"CA", "JP", "NZ", "US", "XM"}
    assert of_the_week(tools) == {}
    assert refresh(daily, tmp_path).status is RefreshStatus.REPLACED
    assert of_the_week(tools) == {"CA": 0, "JP": 25, "NZ": -25, "US": -25, "XM": 0}


def test_rates_are_current_and_say_whose_they_are(daily: KeptFile, tmp_path: Path) -> None:
    assert all(
        row.stale for row in asking(daily, tmp_path).get_policy_rate([*AREAS], AFTER_W44).rates
    )
    refresh(daily, tmp_path)
    rates = asking(daily, tmp_path).get_policy_rate([*AREAS], AFTER_W44).rates
    assert not any(row.stale for row in rates)
    by_area = {row.area: row for row in rates}
    assert by_area["US"].origin == "Bank for International Settlements"
    assert by_area["US"].since == date(2026, 10, 28)
    assert by_area["GB"].origin == "Bank of England"


def test_nothing_is_known_before_its_announcement(daily: KeptFile, tmp_path: Path) -> None:
    refresh(daily, tmp_path)
    tools = asking(daily, tmp_path)
    us = (["US"], *WEEK)
    announced = datetime(2026, 10, 28, 18, tzinfo=UTC)
    before = tools.get_rate_decisions(*us, announced - timedelta(seconds=1))
    assert before.decisions == ()
    assert before.covered_until == {"US": date(2026, 10, 28)}
    assert len(tools.get_rate_decisions(*us, announced).decisions) == 1


@pytest.mark.parametrize(
    ("failure", "status", "reason"),
    [
        (Failure.TOO_MANY, RefreshStatus.UNREACHABLE, "429 Too Many Requests"),
        (Failure.ERROR, RefreshStatus.UNREACHABLE, "500 Internal Server Error"),
        (Failure.REDIRECT_LOOP, RefreshStatus.UNREACHABLE, "TooManyRedirects"),
        (Failure.CLOSED, RefreshStatus.UNREACHABLE, "could not be reached"),
        (Failure.SLOW, RefreshStatus.UNREACHABLE, "did not answer within 0.2 seconds"),
        (Failure.HTML, RefreshStatus.REJECTED, "no column FREQ; its first line is '<!DOCTYPE"),
        (Failure.TRUNCATED, RefreshStatus.REJECTED, "(cells where|within a line)"),
        (Failure.RENAMED, RefreshStatus.REJECTED, "no column OBS_VALUE"),
        (Failure.LATE, RefreshStatus.REJECTED, "fewer than the"),
    ],
)
def test_a_failure_is_told_and_leaves_what_was_known(
    standins: Standins,
    daily: KeptFile,
    tmp_path: Path,
    failure: Failure,
    status: RefreshStatus,
    reason: str,
) -> None:
    kept = replace(daily, timeout_seconds=0.2) if failure is Failure.SLOW else daily
    refresh(daily, tmp_path)
    tools = asking(daily, tmp_path)
    before = of_the_week(tools)
    standins.fail("bis", failure)
    outcome = refresh(kept, tmp_path)
    assert outcome.status is status
    assert re.search(reason, outcome.reason or "")
    assert of_the_week(tools) == before != {}


def test_a_redirect_is_followed(standins: Standins, daily: KeptFile, tmp_path: Path) -> None:
    standins.fail("bis", Failure.REDIRECT)
    assert refresh(daily, tmp_path).succeeded


def test_a_revised_figure_is_counted_and_taken_over(
    standins: Standins, daily: KeptFile, tmp_path: Path
) -> None:
    refresh(daily, tmp_path)
    standins.fail("bis", Failure.REVISED)
    outcome = refresh(daily, tmp_path)
    assert (outcome.status, outcome.changed) == (RefreshStatus.REPLACED, "14 revised")


def test_the_monthly_series_is_read_in_the_same_way(standins: Standins, tmp_path: Path) -> None:
    standins.until = LATER
    monthly = policy_rates_file(Frequency.MONTHLY, standins.address("bis"))
    outcome = refresh(monthly, tmp_path)
    assert (outcome.last_day, outcome.succeeded) == (date(2026, 10, 1), True)


def test_a_kept_copy_that_is_damaged_is_ignored(daily: KeptFile, tmp_path: Path) -> None:
    daily.path(tmp_path).write_bytes(b"<html>")
    assert of_the_week(asking(daily, tmp_path)) == {}


async def test_the_server_keeps_itself_current(standins: Standins, tmp_path: Path) -> None:
    standins.until = LATER
    server = build_server(
        tmp_path, refresh_every=timedelta(hours=1), bis_url=standins.address("bis")
    )
    as_of = AFTER_W44.isoformat()
    async with Client(server) as client:
        rates = await client.call_tool("get_policy_rate", {"areas": ["US"], "as_of": as_of})
        week = {"areas": ["US"], "start": "2026-10-26", "end": "2026-11-01", "as_of": as_of}
        decided = await client.call_tool("get_rate_decisions", week)
    assert not PolicyRates.model_validate(rates.structured_content).rates[0].stale
    (decision,) = RateDecisions.model_validate(decided.structured_content).decisions
    assert decision.change == -25
    assert standins.asked["bis"] == 1


def test_the_address_of_the_bis_is_an_argument() -> None:
    (kept,) = kept_files(["--bis-url", "http://127.0.0.1:1/api/"])
    assert kept.url.startswith("http://127.0.0.1:1/api/data/dataflow/BIS/WS_CBPOL/1.0/D.AU+CA+")
    (usual,) = kept_files()
    assert usual.url.startswith("https://stats.bis.org/api/v2/data/dataflow/BIS/WS_CBPOL/1.0/D.")
