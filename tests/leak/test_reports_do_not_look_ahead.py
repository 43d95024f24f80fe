"""Whole reports, by a real desk: a planted future changes no letter of them.

In the world with a future, the reports of later weeks lie in the reports folder as well, and the
desk's own record knows what became of later runs.
"""

import json
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy

from activities import previous_report as memory
from contracts.learning import Advice, Lesson, SourceRecord
from contracts.learning_record import LearningRequest, Question
from contracts.names import LEARNING_SYSTEM_ID, Message, Queue, WorkflowType
from contracts.report import ResearchReport
from contracts.weeks import next_week, week_of
from domain.seal import sealed
from domain.weeks import as_of_of
from reporting.json_form import apart_from_the_run
from reporting.publish import publish
from starters.desk_session import Desk
from tests.leak.answers import desk as configured
from tests.leak.planted_sources import SOURCES, WORLD
from tests.leak.worlds import LEVEL, MARKERS, WORD, write_world
from tests.support.learning import lesson, unavailable, use
from tests.support.real_desk import real_desk, researched

MARKETS = ("EUR/USD", "USD/JPY", "USD/IDR", "US", "XM", "JP", "GB", "IN")
WEEKS = ("2008-W40", "2015-W03", "2022-W43", "2026-W30")
LESSONS, LATER_LESSONS = range(-6, 0), range(1, 13)
"""The weeks that the record knows of, counted from the one of the report."""

VERIFIED = SourceRecord(server="ecb", verified=30)


@pytest.fixture(autouse=True)
def planted_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own servers, on the files of the world that lies in the home's cache."""
    for name, module in SOURCES.items():
        monkeypatch.setitem(sys.modules, name, module)


async def report_in(folder: Path, week: str, later: ResearchReport | None) -> ResearchReport:
    """The report that a desk of its own writes; with a later one, in a world with a future."""
    as_of = as_of_of(week, configured().schedule)
    world = folder / "home" / "cache" / WORLD
    write_world(world, as_of, planted=later is not None)
    async with real_desk(folder, MARKETS, DESK_MCP_CONFIG=str(source_list(folder))) as desk:
        assert desk.settings.cache_dir == world.parent
        await learn(desk, LESSONS, as_of)
        if later is not None:
            remember_later_weeks(desk, later)
            await learn(desk, LATER_LESSONS, as_of)
        return await researched(desk, week, f"weekly-{week}", learn=True)


async def learn(desk: Desk, weeks: range, as_of: datetime) -> None:
    """Tell the desk's record of so many weeks before or after the one of the report."""
    for number in weeks:
        await desk.client.start_workflow(
            WorkflowType.LEARNING_SYSTEM,
            LearningRequest(),
            id=LEARNING_SYSTEM_ID,
            task_queue=Queue.DESK,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            start_signal=Message.LEARN,
            start_signal_args=[lesson_of(as_of + timedelta(weeks=number), planted=number > 0)],
        )


def lesson_of(at: datetime, *, planted: bool) -> Lesson:
    """A week in which the ECB's rates stood; a planted one in which they were away and wrong."""
    week = week_of(at.date() - timedelta(days=7))
    trouble = unavailable("ecb", at, f"{WORD} outage")
    return lesson(
        0,
        workflow_id=f"weekly-{week}-told",
        week=week,
        as_of=at,
        told_at=at + timedelta(hours=1),
        forecasts=(),
        tools=(use("ecb", failed=9 if planted else 0),),
        sources=(SourceRecord(server="ecb", rejected=90) if planted else VERIFIED,),
        troubles=(trouble,) if planted else (),
    )


def source_list(folder: Path) -> Path:
    file = folder / "mcp.json"
    servers = {name.rpartition(".")[2]: {"inProcess": name} for name in SOURCES}
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    return file


def remember_later_weeks(desk: Desk, report: ResearchReport) -> None:
    """Publish reports of the next weeks, and of a week far ahead, that nobody could mistake."""
    week = report.week
    for number in range(4):
        week = next_week(week) if number < 3 else "2026-W44"
        publish(planted(report, week), desk.settings.reports_dir)


def planted(report: ResearchReport, week: str) -> ResearchReport:
    markets = tuple(
        market.model_copy(
            update={
                "claims": tuple(
                    claim.model_copy(update={"value": type(claim.value)(LEVEL)})
                    for claim in market.claims
                )
            }
        )
        for market in report.markets
    )
    changed = {"week": week, "title": f"{WORD} week", "markets": markets}
    return sealed(report.model_copy(update=changed))


def forms(folder: Path, week: str) -> dict[str, str]:
    """Every file that stands under a week's name."""
    found = (folder / "reports" / "weekly").glob(f"{week}-*")
    return {path.name: path.read_text(encoding="utf-8") for path in found}


def marked(texts: dict[str, str]) -> dict[str, list[str]]:
    found = {name: [mark for mark in MARKERS if mark in text] for name, text in texts.items()}
    return {name: marks for name, marks in found.items() if marks}


@pytest.mark.parametrize("week", WEEKS)
async def test_a_report_is_the_same_whatever_came_after_it(tmp_path: Path, week: str) -> None:
    known = await report_in(tmp_path / "known", week, None)
    seen = await report_in(tmp_path / "planted", week, known)
    assert known.coverage.researched > 0
    assert known.advice is not None and known.advice.weeks == len(LESSONS)
    assert apart_from_the_run(seen) == apart_from_the_run(known)
    files = forms(tmp_path / "planted", week)
    assert len(files) == 6
    assert marked(files) == {}


async def test_a_record_that_tells_of_the_weeks_after_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    week = WEEKS[1]
    known = await report_in(tmp_path / "known", week, None)
    real = Client.execute_update_with_start_workflow

    async def asked(client: Client, update: Message, question: Question, **options: Any) -> Advice:
        later = question.model_copy(update={"as_of": question.as_of + timedelta(weeks=13)})
        advice: Advice = await real(client, update, later, **options)
        return advice.model_copy(update={"as_of": question.as_of})

    monkeypatch.setattr(Client, "execute_update_with_start_workflow", asked)
    seen = await report_in(tmp_path / "planted", week, known)
    assert known.advice is not None and seen.advice is not None
    assert (known.advice.weeks, seen.advice.weeks) == (len(LESSONS), 18)
    assert apart_from_the_run(seen) != apart_from_the_run(known)


async def test_a_desk_that_remembers_the_week_after_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    week = WEEKS[1]
    known = await report_in(tmp_path / "known", week, None)
    two_weeks = timedelta(days=14)
    monkeypatch.setattr(memory, "week_of", lambda day: week_of(day + two_weeks), raising=True)
    seen = await report_in(tmp_path / "planted", week, known)
    assert apart_from_the_run(seen) != apart_from_the_run(known)
    # The comparison itself refuses a later week as well: no figure of it gets in even so.
    assert marked(forms(tmp_path / "planted", week)) == {}
