"""Whole reports, by a real desk: a planted future changes no letter of them.

In the world with a future, the reports of later weeks lie in the reports folder as well, and the
desk's own record knows what became of later runs, of hypotheses that were due later, and of the
forecasts of weeks before that were still open at the instant.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy

from activities.publishing import week_before as memory
from desk.analytics.weeks import as_of_of
from desk.contracts.learning.lessons import Advice, Lesson, MadeForecast, Scorecard, SourceRecord
from desk.contracts.learning.record import LearnedView, LearningRequest, RecordQuery
from desk.contracts.names import LEARNING_SYSTEM_ID, AgentId, Message, Queue, WorkflowType
from desk.contracts.week.report import ResearchReport
from desk.contracts.weeks import next_week, week_of
from desk.programs.week.document.audit.report import audit
from desk.programs.week.document.json_form import apart_from_the_run
from desk.programs.week.document.publishing import publish
from desk.trust.seals import sealed
from starters.session import Desk
from tests.leak.answers import desk as configured
from tests.leak.planted_sources import SOURCES, WORLD
from tests.leak.worlds import LEVEL, MARKERS, WORD, write_world
from tests.support.processes.namespaces import Namespace, new_namespace
from tests.support.processes.real_desk import real_desk, researched
from tests.support.runs.hypotheses import hypothesis, scored_hypothesis
from tests.support.runs.learning import HORIZON, lesson, unavailable, use

MARKETS = ("USD/JPY", "USD/IDR", "JP")
WEEK = "2026-W30"
"""Tools are asked at instants of earlier years by `test_tools_do_not_look_ahead`."""

LESSONS, LATER_LESSONS = range(-32, 0), range(1, 13)
"""The weeks that the record knows of, counted from the one of the report."""

DUE = len(LESSONS) - HORIZON + 1
"""So many of the known weeks' forecasts have come due, enough for a weight; the others are open."""

HYPOTHESES, LATER_HYPOTHESES = range(-5, 1), range(1, 7)
RECORD = "record.json"
"""What `desk scorecard --as-of` and `desk learn --week` show, but for the count of all lessons."""

FAR = Decimal("1000.00")
"""No fixing of the yen ever stood so high, and every planted one does."""

VERIFIED = SourceRecord(server="ecb", verified=30)


class World(NamedTuple):
    """What a desk came to in a world without a future: its report, and what its record showed."""

    report: ResearchReport
    record: str


@pytest.fixture(scope="module", autouse=True)
def planted_sources() -> Iterator[None]:
    """Our own servers, on the files of the world that lies in the home's cache."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name, module in SOURCES.items():
            monkeypatch.setitem(sys.modules, name, module)
        yield


@pytest.fixture(scope="module")
async def world(shared_server: Client, tmp_path_factory: pytest.TempPathFactory) -> World:
    """The world that ends with the week."""
    folder = tmp_path_factory.mktemp("known")
    report = await report_in(await new_namespace(shared_server), folder, None)
    return World(report, (folder / RECORD).read_text(encoding="utf-8"))


@pytest.fixture
def known(world: World) -> ResearchReport:
    """The report of the week in that world."""
    return world.report


async def report_in(at: Namespace, folder: Path, later: ResearchReport | None) -> ResearchReport:
    """The report that a desk of its own writes; with a later one, in a world with a future. What
    the record is told waits for the desk's workers: they read of all the weeks at once."""
    as_of = as_of_of(WEEK, configured().schedule)
    world = folder / "home" / "cache" / WORLD
    write_world(world, as_of, planted=later is not None)
    client = await at.client(folder / "home")
    await learn(client, LESSONS, as_of)
    await learn_hypotheses(client, HYPOTHESES, as_of)
    if later is not None:
        await learn(client, LATER_LESSONS, as_of)
        await learn_hypotheses(client, LATER_HYPOTHESES, as_of)
    listed = str(source_list(folder))
    async with real_desk(folder, MARKETS, at=at, DESK_MCP_CONFIG=listed) as desk:
        assert desk.settings.cache_dir == world.parent
        if later is not None:
            remember_later_weeks(desk, later)
            await scored_by(desk, as_of + timedelta(weeks=HORIZON), len(LESSONS))
        record = await scored_by(desk, as_of, DUE)
        (folder / RECORD).write_text(record.model_copy(update={"told": 0}).model_dump_json())
        return await researched(desk, WEEK, f"weekly-{WEEK}", learn=True)


async def learn(client: Client, weeks: range, as_of: datetime) -> None:
    """Tell the desk's record of so many weeks before or after the one of the report."""
    for number in weeks:
        await client.start_workflow(
            WorkflowType.LEARNING_SYSTEM,
            LearningRequest(),
            id=LEARNING_SYSTEM_ID,
            task_queue=Queue.DESK,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            start_signal=Message.LEARN,
            start_signal_args=[lesson_of(as_of + timedelta(weeks=number), planted=number > 0)],
        )


async def learn_hypotheses(client: Client, weeks: range, as_of: datetime) -> None:
    """Tell of hypotheses that were due so many weeks before or after; those of later were wrong."""
    learning = client.get_workflow_handle(LEARNING_SYSTEM_ID)
    for number in weeks:
        due, planted = as_of + timedelta(weeks=number), number > 0
        made = due - timedelta(weeks=12)
        about = hypothesis(
            due=due, level_on=made.date(), statement=WORD if planted else "It is up."
        )
        told = scored_hypothesis(number, held=not planted, hypothesis=about, made_as_of=made)
        await learning.signal(Message.LEARN_HYPOTHESIS, told)


async def scored_by(desk: Desk, instant: datetime, count: int) -> LearnedView:
    """What the record knew by an instant, once it has looked up so many forecasts due by then."""
    learning = desk.client.get_workflow_handle(LEARNING_SYSTEM_ID)
    question = RecordQuery(as_of=instant)
    while True:
        view: LearnedView = await learning.query(Message.LEARNED, question, result_type=LearnedView)
        if len(view.scored) >= count:
            return view
        await asyncio.sleep(0.1)


def lesson_of(at: datetime, *, planted: bool) -> Lesson:
    """A week in which the ECB's rates stood; a planted one in which they were away and wrong."""
    week = week_of(at.date() - timedelta(days=7))
    trouble = unavailable("ecb", at, words=f"{WORD} outage")
    return lesson(
        0,
        workflow_id=f"weekly-{week}-told",
        week=week,
        as_of=at,
        told_at=at + timedelta(hours=1),
        forecasts=(forecast_of(at, week),),
        tools=(use("ecb", failed=9 if planted else 0),),
        sources=(SourceRecord(server="ecb", rejected=90) if planted else VERIFIED,),
        troubles=(trouble,) if planted else (),
    )


def forecast_of(at: datetime, week: str) -> MadeForecast:
    """The yen is far below a level: right by every fixing that was known, wrong by every planted
    one."""
    return MadeForecast(
        market="USD/JPY",
        agent=AgentId.RESEARCH_AGENT_1,
        week=week,
        due=at + timedelta(weeks=HORIZON),
        probability=0.2,
        level=FAR,
        level_on=at.date() - timedelta(days=4),
        server="ecb",
    )


def scored_well(card: Scorecard | None) -> bool:
    """Whether a scorecard has what was due by the instant, none of it wrong, and nothing more."""
    if card is None or card.hypotheses is None:
        return False
    (row, *_), hypotheses = card.rows, card.hypotheses
    return (
        (row.scored, row.hits, card.void) == (DUE, DUE, 0)
        and card.open == len(LESSONS) - DUE
        and (hypotheses.scored, hypotheses.hits) == (len(HYPOTHESES), len(HYPOTHESES))
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


def forms(folder: Path) -> dict[str, str]:
    """Every file that stands under the week's name."""
    found = (folder / "reports" / "weekly").glob(f"{WEEK}-*")
    return {path.name: path.read_text(encoding="utf-8") for path in found}


def marked(texts: dict[str, str]) -> dict[str, list[str]]:
    found = {name: [mark for mark in MARKERS if mark in text] for name, text in texts.items()}
    return {name: marks for name, marks in found.items() if marks}


async def test_a_report_is_the_same_whatever_came_after_it(
    tmp_path: Path, namespace: Namespace, world: World
) -> None:
    known, record = world
    seen = await report_in(namespace, tmp_path / "planted", known)
    assert known.coverage.researched > 0
    assert known.advice is not None and known.advice.weeks == len(LESSONS)
    assert scored_well(known.advice.scorecard)
    assert any(weight.factor > 1 for weight in known.advice.weights)
    assert audit(known) == ()
    assert apart_from_the_run(seen) == apart_from_the_run(known)
    shown = (tmp_path / "planted" / RECORD).read_text(encoding="utf-8")
    assert shown == record
    files = {**forms(tmp_path / "planted"), RECORD: shown}
    assert len(files) == 7
    assert marked(files) == {}


async def test_a_record_and_a_memory_that_tell_of_the_weeks_after_are_noticed_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, namespace: Namespace, known: ResearchReport
) -> None:
    """The record in what the week was advised, the memory in what has changed since."""
    real = Client.execute_update_with_start_workflow

    async def asked(
        client: Client, update: Message, question: RecordQuery, **options: Any
    ) -> Advice:
        later = question.model_copy(update={"as_of": question.as_of + timedelta(weeks=13)})
        advice: Advice = await real(client, update, later, **options)
        return advice.model_copy(update={"as_of": question.as_of})

    monkeypatch.setattr(Client, "execute_update_with_start_workflow", asked)
    monkeypatch.setattr(memory, "previous_week", next_week, raising=True)
    seen = await report_in(namespace, tmp_path / "planted", known)
    assert known.advice is not None and seen.advice is not None
    every = len(LESSONS) + len(LATER_LESSONS)
    assert (known.advice.weeks, seen.advice.weeks) == (len(LESSONS), every)
    assert scored_well(known.advice.scorecard) and not scored_well(seen.advice.scorecard)
    assert seen.advice.weights != known.advice.weights
    assert apart_from_the_run(seen) != apart_from_the_run(known)
    assert seen.changes != known.changes
    # The comparison itself refuses a later week as well: no figure of it gets in even so.
    assert marked({"changes": seen.changes.model_dump_json()}) == {}
