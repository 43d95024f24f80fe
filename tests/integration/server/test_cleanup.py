"""`desk cleanup`: what is past its time goes, and nothing else does."""

import asyncio
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from temporalio.client import Client, Schedule, ScheduleActionStartWorkflow, ScheduleSpec

from desk.contracts.names import WorkflowType, week_run_id
from desk.platform.effects.journal import EFFECT_RETENTION, EffectJournal
from desk.platform.payloads.codec import INLINE_LIMIT
from desk.platform.server.embedded import RETENTION
from desk.platform.temporal.client import connect
from desk.programs.week.archive.retention import KEPT, RetainedRecord, week_of_report, weeks_needed
from desk.programs.week.document.publishing import publish
from starters.operations.cleanup import (
    Cleanup,
    CleanupLine,
    cleaned,
    cleanup_lines,
    old_drafts,
    old_lines,
    old_reports,
)
from starters.runs.week_runs import attributes_of
from starters.session import Desk
from tests.support.documents.reports import sample_report
from tests.support.processes.namespaces import Namespace

NOW = datetime.now(UTC)
REPORT = sample_report()


@pytest.fixture
async def desk(namespace: Namespace, tmp_path: Path) -> Desk:
    settings = namespace.settings(tmp_path)
    return Desk(await connect(settings), settings, hosting=False)


def line_of(done: Cleanup, record: RetainedRecord) -> CleanupLine:
    return next(line for line in done.lines if line.record is record)


def aged(path: Path, age: timedelta) -> Path:
    at = (NOW - age).timestamp()
    os.utime(path, (at, at))
    return path


def payloads(desk: Desk) -> list[Path]:
    return [path for path in desk.settings.payload_dir.rglob("*") if path.is_file()]


async def with_payload(client: Client, workflow_id: str) -> None:
    """A run that nobody works on, with an argument that is too large for its history."""
    content = "".join(f"{(n * 2_654_435_761) % 2**32:08x}" for n in range(INLINE_LIMIT // 4))
    await client.start_workflow(
        "Anything", f"{workflow_id} {content}", id=workflow_id, task_queue="nobody"
    )


async def test_a_payload_stays_while_a_history_or_a_schedule_names_it(desk: Desk) -> None:
    await with_payload(desk.client, "open")
    await with_payload(desk.client, "closed")
    await desk.client.get_workflow_handle("closed").terminate()
    content = "".join(f"{(n * 2_654_435_761) % 2**32:08x}" for n in range(INLINE_LIMIT // 3))
    await desk.client.create_schedule(
        "later",
        Schedule(
            action=ScheduleActionStartWorkflow(
                "Anything", content, id="later", task_queue="nobody"
            ),
            spec=ScheduleSpec(),
        ),
    )
    while (await desk.client.count_workflows()).count < 2:
        await asyncio.sleep(0.02)
    while not [listed async for listed in await desk.client.list_schedules()]:
        await asyncio.sleep(0.02)
    needed = payloads(desk)
    assert len(needed) == 3
    forgotten = desk.settings.payload_dir / "ab" / ("ab" * 32)
    forgotten.parent.mkdir(exist_ok=True)
    forgotten.write_bytes(b"of a run that the server has forgotten")
    for path in (*needed, forgotten):
        aged(path, KEPT[RetainedRecord.PAYLOADS] + timedelta(days=1))
    looked = await cleaned(desk, NOW, dry_run=True)
    assert forgotten.exists()
    done = await cleaned(desk, NOW, dry_run=False)
    assert sorted(payloads(desk)) == sorted(needed)
    for told in (line_of(looked, RetainedRecord.PAYLOADS), line_of(done, RetainedRecord.PAYLOADS)):
        assert (told.items, told.size, told.held) == (1, 38, 3)


async def test_a_payload_that_was_used_lately_stays(desk: Desk) -> None:
    young = desk.settings.payload_dir / "cd" / ("cd" * 32)
    young.parent.mkdir(parents=True)
    young.write_bytes(b"x")
    aged(young, KEPT[RetainedRecord.PAYLOADS] - timedelta(hours=1))
    await cleaned(desk, NOW, dry_run=False)
    assert young.exists()


async def test_reports_go_after_a_year_unless_a_run_is_open(desk: Desk) -> None:
    reports = desk.settings.reports_dir
    publish(REPORT, reports)
    folder = reports / "weekly"
    files = sorted(folder.iterdir())
    other = folder / "notes.md"
    other.write_text("somebody's own")
    for path in (*files, other):
        aged(path, KEPT[RetainedRecord.REPORTS] + timedelta(days=1))
    run = await desk.client.start_workflow(
        WorkflowType.WEEKLY_RESEARCH,
        id=week_run_id(REPORT.week),
        task_queue="nobody",
        search_attributes=attributes_of(REPORT.week),
    )
    await _visible(desk.client)
    assert line_of(await cleaned(desk, NOW, dry_run=False), RetainedRecord.REPORTS).items == 0
    await run.terminate()
    while await _visible(desk.client, least=0):
        await asyncio.sleep(0.02)
    looked = line_of(await cleaned(desk, NOW, dry_run=True), RetainedRecord.REPORTS)
    assert (looked.items, looked.size) == (6, sum(path.stat().st_size for path in files))
    await cleaned(desk, NOW, dry_run=False)
    assert not any(path.exists() for path in files)
    assert other.exists()


def test_answers_go_after_a_year_and_what_is_somebodys_own_stays(tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    folder.mkdir()
    names = ("ask-0a1b2c3d4e5f.md", "ask-ffffffffffff.json", "mine.md")
    old, young, own = (folder / name for name in names)
    for path in (old, young, own):
        path.write_text("an answer")
    for path in (old, own):
        aged(path, KEPT[RetainedRecord.REPORTS] + timedelta(days=1))
    assert [file.path for file in old_reports(tmp_path, frozenset(), NOW)] == [old]


async def _visible(client: Client, least: int = 1) -> int:
    """How many runs visibility has as open, once there are that many."""
    query = f'WorkflowType = "{WorkflowType.WEEKLY_RESEARCH}" AND ExecutionStatus = "Running"'
    while (found := (await client.count_workflows(query)).count) < least:
        await asyncio.sleep(0.02)
    return found


async def test_drafts_and_old_results_go(desk: Desk) -> None:
    settings = desk.settings
    journal = EffectJournal(settings.journal_path)
    journal.close()
    with closing(sqlite3.connect(settings.journal_path)) as file:
        file.execute("INSERT INTO effects VALUES ('old', '{}', datetime('now', '-15 days'))")
        file.execute("INSERT INTO effects VALUES ('new', '{}', datetime('now', '-13 days'))")
        file.commit()
    draft = settings.reports_dir / "weekly" / f".{REPORT.week}-asia-g10-fx.md.0a1b2c3d.new"
    incoming = settings.payload_dir / "ab" / ".incoming-x1"
    for path in (draft, incoming):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half of it")
        aged(path, KEPT[RetainedRecord.DRAFTS] + timedelta(hours=1))
    fresh = incoming.with_name(".incoming-x2")
    fresh.write_text("being written")
    looked = await cleaned(desk, NOW, dry_run=True)
    assert draft.exists()
    assert line_of(looked, RetainedRecord.DRAFTS).items == 2
    assert line_of(looked, RetainedRecord.EFFECTS).items == 1
    await cleaned(desk, NOW, dry_run=False)
    assert not draft.exists()
    assert not incoming.exists()
    assert fresh.exists()
    with closing(sqlite3.connect(settings.journal_path)) as file:
        assert file.execute("SELECT key FROM effects").fetchall() == [("new",)]


def test_pages_that_a_killed_writer_of_the_archive_left_are_drafts(tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    names = (".index.html.0a1b2c3d.new", "markets/.usd-jpy.html.ffffffff.new")
    others = (
        "index.html",
        ".index.html.new",
        ".notes.md.0a1b2c3d.new",
        "mine/.index.html.0a1b2c3d.new",
        "markets/mine/.jp.html.0a1b2c3d.new",
    )
    for name in (*names, *others):
        path = reports / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half of it")
        aged(path, KEPT[RetainedRecord.DRAFTS] + timedelta(hours=1))
    assert not old_drafts(tmp_path, tmp_path / "elsewhere", NOW)
    found = [file.path for file in old_drafts(tmp_path, reports, NOW)]
    assert found == [reports / name for name in names]
    aged(reports / names[0], KEPT[RetainedRecord.DRAFTS] - timedelta(hours=1))
    assert [file.path for file in old_drafts(tmp_path, reports, NOW)] == found[1:]


async def test_the_older_lines_of_a_log_go_while_it_is_written_to(desk: Desk) -> None:
    path = desk.settings.home / "logs" / "desk.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    old, young = (NOW - timedelta(days=age) for age in (91, 89))
    kept = f"{young:%Y-%m-%dT%H:%M:%S}.5Z [error] 2020-01-01T00:00:00 of another kind\n  detail\n"
    as_json = f'{{"event": "x", "timestamp": "{NOW:%Y-%m-%dT%H:%M:%S}Z"}}\n'
    path.write_text(f"{old:%Y-%m-%dT%H:%M:%S}.1Z [info] first\n  its detail\n{kept}{as_json}")
    with path.open("a") as open_elsewhere:
        looked = line_of(await cleaned(desk, NOW, dry_run=True), RetainedRecord.LOGS)
        assert path.read_text().endswith(kept + as_json)
        done = line_of(await cleaned(desk, NOW, dry_run=False), RetainedRecord.LOGS)
        open_elsewhere.write("and on\n")
    assert path.read_text() == f"{kept}{as_json}and on\n"
    assert looked.size == done.size > 0


def test_a_log_that_begins_without_a_time_stays(tmp_path: Path) -> None:
    stamped = f"time={NOW:%Y-%m-%dT%H:%M:%S} level=X"
    (tmp_path / "temporal.log").write_text(f"Temporal CLI\n\n{stamped}\n")
    (tmp_path / "bare.log").write_text("no times at all\n")
    assert old_lines(tmp_path, NOW) == []


@pytest.mark.usefixtures("terminal")
async def test_what_is_printed_fits_a_screen(desk: Desk) -> None:
    done = await cleaned(desk, NOW, dry_run=True)
    lines = list(cleanup_lines(done))
    assert max(map(len, lines)) <= 80
    assert lines[-1] == "would delete 0 items, 0 B; nothing was changed"
    assert {line.record for line in done.lines} == set(RetainedRecord)
    assert Cleanup.model_validate_json(done.model_dump_json()) == done


def test_the_periods_are_those_that_are_enforced_elsewhere() -> None:
    assert KEPT[RetainedRecord.HISTORIES] == RETENTION
    assert f"-{KEPT[RetainedRecord.EFFECTS].days} days" == EFFECT_RETENTION
    assert KEPT[RetainedRecord.PAYLOADS] >= RETENTION


def test_an_open_week_reads_the_report_before_it() -> None:
    assert weeks_needed(frozenset({"2027-W01"})) == {"2027-W01", "2026-W53"}
    assert week_of_report("2026-W44-asia-g10-fx.r2.html") == "2026-W44"
    assert week_of_report("2026-W44-asia-g10-fx.sig") == "2026-W44"
    assert week_of_report("index.html") is None
