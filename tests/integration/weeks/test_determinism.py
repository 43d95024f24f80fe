"""A past week that is run twice gives the same JSON, apart from the run's own times and ids."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desk.contracts.week.report import ResearchReport
from desk.programs.week.document.json_form import apart_from_the_run, to_json
from tests.support.processes.namespaces import Namespace
from tests.support.processes.real_desk import real_desk, researched

WEEK = "2022-W43"
MARKETS = ("USD/JPY", "USD/HKD", "USD/TWD", "US", "JP")
"""Pairs of both groups, one of them pegged, one that no source has; banks that decided and not."""


@pytest.fixture(scope="module")
async def twice(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[ResearchReport, ResearchReport]:
    """A week, and the same week researched again on the same desk."""
    async with real_desk(tmp_path_factory.mktemp("twice"), MARKETS) as desk:
        return await researched(desk, WEEK, "run-1"), await researched(desk, WEEK, "run-2")


async def test_a_past_week_run_on_two_desks_is_byte_for_byte_the_same(
    tmp_path: Path, namespace: Namespace, twice: tuple[ResearchReport, ResearchReport]
) -> None:
    first, _ = twice
    async with real_desk(tmp_path, MARKETS, at=namespace) as desk:
        second = await researched(desk, WEEK, "another-run")
    assert to_json(first) != to_json(second)
    assert apart_from_the_run(first) == apart_from_the_run(second)
    assert (first.coverage.expected, first.coverage.researched) == (5, 4)


def test_the_same_desk_finds_the_same_again(twice: tuple[ResearchReport, ResearchReport]) -> None:
    """The second revision says that it is one, and is otherwise the first."""
    first, second = twice
    assert (first.revision, second.revision) == (1, 2)
    as_first = second.model_copy(update={"revision": 1, "revisions": first.revisions})
    assert apart_from_the_run(as_first) == apart_from_the_run(first)


@pytest.fixture
def report(twice: tuple[ResearchReport, ResearchReport]) -> ResearchReport:
    return twice[0]


def test_only_the_run_itself_is_left_out_of_the_comparison(report: ResearchReport) -> None:
    later = datetime(2030, 1, 1, tzinfo=UTC)
    timings = report.timings.model_copy(update={"started_at": later, "workflow_id": "other"})
    moved = report.model_copy(update={"timings": timings, "seal": ""})
    assert apart_from_the_run(moved) == apart_from_the_run(report)
    market = report.markets[0]
    claim = market.claims[0].model_copy(update={"as_of": market.claims[0].as_of + timedelta(1)})
    changed = market.model_copy(update={"claims": (claim, *market.claims[1:])})
    other = report.model_copy(update={"markets": (changed,)})
    assert apart_from_the_run(other) != apart_from_the_run(report)
