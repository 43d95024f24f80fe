"""A past week that is run twice gives the same JSON, apart from the run's own times and ids."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desk.contracts.week.report import ResearchReport
from desk.programs.week.document.json_form import apart_from_the_run, to_json
from tests.support.real_desk import real_desk, researched

WEEK = "2022-W43"
MARKETS = ("USD/JPY", "EUR/USD", "USD/KRW", "USD/TWD", "XM", "US", "JP")


async def test_a_past_week_run_on_two_desks_is_byte_for_byte_the_same(tmp_path: Path) -> None:
    reports = []
    for number, name in enumerate(("first", "second")):
        async with real_desk(tmp_path / name) as desk:
            reports.append(await researched(desk, WEEK, f"run-{number}"))
    first, second = reports
    assert to_json(first) != to_json(second)
    assert apart_from_the_run(first) == apart_from_the_run(second)
    assert (first.coverage.expected, first.coverage.researched) == (38, 36)


async def test_the_same_desk_finds_the_same_again(tmp_path: Path) -> None:
    """The second revision says that it is one, and is otherwise the first."""
    async with real_desk(tmp_path, MARKETS) as desk:
        first = await researched(desk, WEEK, "run-1")
        second = await researched(desk, WEEK, "run-2")
    assert (first.revision, second.revision) == (1, 2)
    as_first = second.model_copy(update={"revision": 1, "revisions": first.revisions})
    assert apart_from_the_run(as_first) == apart_from_the_run(first)


@pytest.fixture
async def report(tmp_path: Path) -> ResearchReport:
    async with real_desk(tmp_path, ("USD/JPY",)) as desk:
        return await researched(desk, WEEK, "run-1")


async def test_only_the_run_itself_is_left_out_of_the_comparison(report: ResearchReport) -> None:
    later = datetime(2030, 1, 1, tzinfo=UTC)
    timings = report.timings.model_copy(update={"started_at": later, "workflow_id": "other"})
    moved = report.model_copy(update={"timings": timings, "seal": ""})
    assert apart_from_the_run(moved) == apart_from_the_run(report)
    market = report.markets[0]
    claim = market.claims[0].model_copy(update={"as_of": market.claims[0].as_of + timedelta(1)})
    changed = market.model_copy(update={"claims": (claim, *market.claims[1:])})
    other = report.model_copy(update={"markets": (changed,)})
    assert apart_from_the_run(other) != apart_from_the_run(report)
