"""The daily policy rates over a socket: fetched, kept, and what every failure of one leaves."""

import json
import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from mcp import Client

from desk.contracts.findings.source_results import PolicyRates, RateDecisions
from desk.contracts.findings.sources import RefreshStatus
from desk.sources.central_banks.current_facts import files_from
from desk.sources.central_banks.recorded import (
    BIS_DAILY,
    RATE_SOURCES,
    month_end_rates,
)
from desk.sources.central_banks.recorded.sources import BIS_AREAS
from desk.sources.central_banks.server import CentralBankTools, build_server, kept_files
from desk.sources.serving.daily_series import files_of
from desk.sources.serving.kept_file import KeptFile, refresh
from tests.standins.provider import Failure
from tests.standins.providers.policy_rates import addresses
from tests.standins.serving import Standins
from tests.support.files.failed_refreshes import REFUSED

AFTER_W44 = datetime(2026, 11, 2, 7, tzinfo=UTC)
WEEK = (date(2026, 10, 26), date(2026, 11, 1))
LATER = date(2026, 11, 24)
AREAS = list(BIS_AREAS)
MEETINGS = {"CA": 0, "JP": 25, "NZ": -25, "US": -25, "XM": 0}
OUTCOMES = {**MEETINGS, "HK": -25}
"""Hong Kong follows the Federal Reserve without a meeting."""
EACH = pytest.mark.parametrize("at", range(len(RATE_SOURCES)), ids=[s.key for s in RATE_SOURCES])


@pytest.fixture
def files(standins: Standins) -> tuple[KeptFile, ...]:
    standins.until = LATER
    return files_of(RATE_SOURCES, addresses(standins.address("policy_rates")))


def asking(cache: Path) -> CentralBankTools:
    return CentralBankTools(cache_dir=cache)


def of_the_week(tools: CentralBankTools) -> dict[str, Decimal]:
    found = tools.get_rate_decisions(AREAS, *WEEK, AFTER_W44).decisions
    return {row.area: row.change for row in found}


def test_a_week_after_the_tables_end_has_the_outcome_of_every_meeting(
    files: tuple[KeptFile, ...], tmp_path: Path
) -> None:
    tools = asking(tmp_path)
    scheduled = tools.get_decision_calendar(AREAS, *WEEK, AFTER_W44).scheduled
    assert {row.area for row in scheduled} == MEETINGS.keys()
    assert of_the_week(tools) == {}
    assert all(refresh(kept, tmp_path).status is RefreshStatus.REPLACED for kept in files)
    assert of_the_week(tools) == OUTCOMES


def test_the_bis_alone_has_the_outcomes_too(files: tuple[KeptFile, ...], tmp_path: Path) -> None:
    refresh(files[-1], tmp_path)
    assert of_the_week(asking(tmp_path)) == OUTCOMES


def test_rates_are_current_and_say_whose_they_are(
    files: tuple[KeptFile, ...], tmp_path: Path
) -> None:
    tools = asking(tmp_path)
    assert any(row.stale for row in tools.get_policy_rate(AREAS, AFTER_W44).rates)
    for kept in files:
        refresh(kept, tmp_path)
    rates = {row.area: row for row in tools.get_policy_rate(AREAS, AFTER_W44).rates}
    assert not any(row.stale for row in rates.values())
    us = rates["US"]
    assert (us.origin, us.since) == ("Federal Reserve", date(2026, 10, 28))
    assert (us.low, us.high) == (Decimal("3.5"), Decimal("3.75"))
    assert rates["JP"].origin == "Bank for International Settlements"
    assert rates["GB"].origin == "Bank of England"


def test_nothing_is_known_before_its_announcement(
    files: tuple[KeptFile, ...], tmp_path: Path
) -> None:
    for kept in files:
        refresh(kept, tmp_path)
    tools = asking(tmp_path)
    announced = datetime(2026, 10, 28, 18, tzinfo=UTC)
    before = tools.get_rate_decisions(["US"], *WEEK, announced - timedelta(seconds=1))
    assert before.decisions == ()
    assert before.covered_until == {"US": date(2026, 10, 28)}
    assert len(tools.get_rate_decisions(["US"], *WEEK, announced).decisions) == 1


REASONS = {
    Failure.TOO_MANY: "429 Too Many Requests",
    Failure.ERROR: "500 Internal Server Error",
    Failure.REDIRECT_LOOP: "redirects in a circle",
    Failure.CLOSED: "connection ended",
    Failure.SLOW: "did not answer within 0.2 seconds",
    Failure.HTML: "a page of HTML|not the JSON expected",
    Failure.TRUNCATED: "cells|within a line|EOF",
    Failure.RENAMED: "no column|not the JSON expected",
    Failure.LATE: "fewer than the",
}


@EACH
def test_a_failure_is_told_and_leaves_what_was_known(
    standins: Standins, files: tuple[KeptFile, ...], tmp_path: Path, at: int
) -> None:
    kept = files[at]
    refresh(kept, tmp_path)
    before = kept.path(tmp_path).read_bytes()
    for failure, status in REFUSED.items():
        standins.fail("policy_rates", failure)
        slow = failure is Failure.SLOW
        outcome = refresh(replace(kept, timeout_seconds=0.2) if slow else kept, tmp_path)
        assert outcome.status is status, failure
        assert re.search(REASONS[failure], outcome.reason or ""), (failure, outcome.reason)
        assert kept.path(tmp_path).read_bytes() == before


def hong_kong(last: date, *, without: date) -> bytes:
    """A thousand days of the HKMA's file up to a day, one of them without interbank rates."""
    days = (last - timedelta(days=n) for n in range(1_000))
    records = [
        {
            "end_of_date": f"{day}",
            "disc_win_base_rate": 4.0,
            "hibor_overnight": None if day == without else 3.1,
            "hibor_fixing_1m": None if day == without else 3.2,
        }
        for day in days
    ]
    return json.dumps({"result": {"records": records}}).encode()


def test_a_file_of_the_newest_days_may_have_fewer_rates_and_no_older_days(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hkma = next(each for each in RATE_SOURCES if each.key == "hkma_base_rate").kept_file()
    empty = date(2026, 11, 23)
    for last, status in (
        (date(2026, 11, 22), RefreshStatus.REPLACED),
        (empty, RefreshStatus.REPLACED),
        (date(2026, 11, 22), RefreshStatus.REJECTED),
        (date(2026, 11, 24), RefreshStatus.REPLACED),
    ):
        content = hong_kong(last, without=empty)
        monkeypatch.setattr(
            "desk.sources.serving.kept_file.download", lambda *_, told=content, **__: told
        )
        assert refresh(hkma, tmp_path).status is status, last


@EACH
def test_a_redirect_is_followed(
    standins: Standins, files: tuple[KeptFile, ...], tmp_path: Path, at: int
) -> None:
    standins.fail("policy_rates", Failure.REDIRECT)
    assert refresh(files[at], tmp_path).succeeded


def test_a_revised_figure_is_told_from_when_it_was_seen(
    standins: Standins, files: tuple[KeptFile, ...], tmp_path: Path
) -> None:
    for kept in files:
        refresh(kept, tmp_path)
    standins.fail("policy_rates", Failure.REVISED)
    before = datetime.now(UTC)
    outcomes = [refresh(kept, tmp_path) for kept in files]
    assert {outcome.changed for outcome in outcomes} >= {"18 revised", "nothing"}
    tools = asking(tmp_path)

    def canada(as_of: datetime) -> list[Decimal]:
        found = tools.get_rate_decisions(["CA"], *WEEK, as_of).decisions
        return [row.change for row in found]

    assert canada(AFTER_W44) == canada(before) == [0]
    assert canada(datetime.now(UTC)) == [-25]


def test_the_ends_of_whole_months_are_those_of_the_daily_series(
    files: tuple[KeptFile, ...], tmp_path: Path
) -> None:
    refresh(files[-1], tmp_path)
    told = BIS_DAILY.read(files[-1].path(tmp_path).read_bytes())
    us = month_end_rates(told)["US"]
    assert list(us)[-2:] == ["2026-09", "2026-10"]
    assert (us["2026-09"], us["2026-10"]) == (Decimal("3.875"), Decimal("3.625"))


def test_a_kept_copy_that_is_damaged_is_ignored(
    files: tuple[KeptFile, ...], tmp_path: Path
) -> None:
    files[-1].path(tmp_path).write_bytes(b"<html>")
    assert of_the_week(asking(tmp_path)) == {}


async def test_the_server_keeps_itself_current(standins: Standins, tmp_path: Path) -> None:
    standins.until = LATER
    server = build_server(
        tmp_path,
        refresh_every=timedelta(hours=1),
        addresses=addresses(standins.address("policy_rates")),
    )
    as_of = AFTER_W44.isoformat()
    async with Client(server) as client:
        rates = await client.call_tool("get_policy_rate", {"areas": ["US"], "as_of": as_of})
        week = {"areas": ["US"], "start": "2026-10-26", "end": "2026-11-01", "as_of": as_of}
        decided = await client.call_tool("get_rate_decisions", week)
    assert not PolicyRates.model_validate(rates.structured_content).rates[0].stale
    (decision,) = RateDecisions.model_validate(decided.structured_content).decisions
    assert (str(decision.change), decision.origin) == ("-25", "Federal Reserve")
    assert standins.asked["policy_rates"] == len(files_from())


def test_the_addresses_are_arguments() -> None:
    asked = kept_files(["--url", "bis=http://127.0.0.1:1/api/", "--url", "ecb=http://127.0.0.1:2"])
    by_name = {kept.source: kept.url for kept in asked}
    assert by_name["BIS CBPOL daily"].startswith("http://127.0.0.1:1/api/api/v2/data/dataflow/BIS/")
    assert by_name["ECB deposit facility rate, daily"].startswith("http://127.0.0.1:2/service/")
    assert by_name["Bank of Canada V39079, daily"].startswith("https://www.bankofcanada.ca/valet/")
