"""How long what was told of a desk at rest holds."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desk.contracts.agents.search_attributes import Phase
from desk.platform.server import embedded
from desk.platform.server.record import ServerRecord
from desk.platform.settings import Settings
from desk.platform.settings.payload_keys import read_keys
from starters.monitoring.cached_status import (
    PrintedStatus,
    cache_seen_status,
    cache_status,
    cached_status,
)
from starters.monitoring.week_status import SeenProgress
from starters.runs.progress import CollectedNotes
from tests.support.processes.homes import home_settings
from tests.unit.starters.monitoring.test_watch import look

NOW = datetime.now(UTC)
TOLD = PrintedStatus("2026-W44", "open for reruns", "{}", lasts=True, until=NOW + timedelta(days=1))


@pytest.fixture
def resting(tmp_path: Path) -> Settings:
    """A home whose desk was up and is not any more."""
    settings = home_settings(tmp_path)
    settings.home.mkdir(parents=True, exist_ok=True)
    with changing(settings) as database:
        database.execute(
            "create table executions "
            "(workflow_id text, run_id blob, next_event_id int, db_record_version int)"
        )
        database.execute("insert into executions values ('weekly-2026-W44', x'01', 9, 4)")
        database.execute("insert into executions values ('temporal-sys-deployment', x'02', 8, 4)")
    return settings


@contextlib.contextmanager
def changing(settings: Settings) -> Iterator[sqlite3.Connection]:
    """The database of the server, as the parts of it that are read have been since 1.20."""
    with contextlib.closing(sqlite3.connect(settings.home / "temporal.db")) as database:
        yield database
        database.commit()


@pytest.mark.parametrize("week", [None, "2026-W44"])
def test_what_was_told_holds_while_nothing_changes(resting: Settings, week: str | None) -> None:
    cache_status(resting, TOLD)
    assert cached_status(resting, week) == TOLD


def test_it_says_nothing_of_another_week(resting: Settings) -> None:
    cache_status(resting, TOLD)
    assert cached_status(resting, "2026-W43") is None


def a_run_progressed(settings: Settings) -> None:
    with changing(settings) as database:
        database.execute(
            "update executions set db_record_version = 5 where workflow_id like 'weekly-%'"
        )


def a_run_was_started(settings: Settings) -> None:
    with changing(settings) as database:
        database.execute("insert into executions values ('weekly-2026-W45', x'03', 2, 1)")


def the_database_is_not_as_expected(settings: Settings) -> None:
    with changing(settings) as database:
        database.execute("alter table executions rename column db_record_version to version")


def a_server_runs(settings: Settings) -> None:
    ServerRecord(pid=1, port=7233, ui_port=8233).save(settings.home)


def a_server_was_killed(settings: Settings) -> None:
    (settings.home / "temporal.db-wal").write_text("what is not in the database yet")


def it_cannot_be_read(settings: Settings) -> None:
    (settings.home / "at-rest.json").write_text("{")


@pytest.mark.parametrize(
    "happens",
    [
        a_run_progressed,
        a_run_was_started,
        the_database_is_not_as_expected,
        a_server_runs,
        a_server_was_killed,
        it_cannot_be_read,
    ],
)
def test_it_no_longer_holds_when(resting: Settings, happens: Callable[[Settings], None]) -> None:
    cache_status(resting, TOLD)
    happens(resting)
    assert cached_status(resting, None) is None


def test_it_holds_after_a_server_that_only_answered(resting: Settings) -> None:
    cache_status(resting, TOLD)
    with changing(resting) as database:
        database.execute(
            "update executions set db_record_version = 9 where workflow_id like 'temporal-sys-%'"
        )
        database.execute("create table cluster_metadata_info (last_heartbeat text)")
    assert cached_status(resting, None) == TOLD


@pytest.mark.parametrize(
    "told", [TOLD._replace(lasts=False), TOLD._replace(until=NOW - timedelta(seconds=1))]
)
def test_what_goes_on_by_itself_or_is_over_is_asked_for_again(
    resting: Settings, told: PrintedStatus
) -> None:
    cache_status(resting, told)
    assert cached_status(resting, None) is None


def test_nothing_is_kept_in_clear_where_histories_are_encrypted(resting: Settings) -> None:
    keys = read_keys("key-1:" + "A" * 43 + "=")
    cache_status(resting.model_copy(update={"payload_keys": keys}), TOLD)
    assert not (resting.home / "at-rest.json").exists()


def test_what_a_killed_host_saw_last_holds(resting: Settings) -> None:
    status = look(markets=("USD/JPY",), phase=Phase.RESEARCHING).status
    assert status is not None
    SeenProgress(CollectedNotes(), resting).update(status)
    a_server_was_killed(resting)
    ServerRecord(pid=2**22 + 1, port=7233, ui_port=8233).save(resting.home)
    told = cached_status(resting, None)
    assert told is not None
    assert "researching" in told.text
    assert "goes on with the run; last seen" in told.text


async def test_what_a_host_saw_last_no_longer_holds_once_a_server_was_started(
    resting: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def started(*_: object) -> None:
        """Nothing: what a server does is not what this is about."""

    monkeypatch.setattr(embedded, "_started_at_free_ports", started)
    cache_seen_status(resting, TOLD)
    assert cached_status(resting, None) == TOLD
    async with embedded.embedded_server(resting.home, resting.server):
        assert cached_status(resting, None) is None


def test_a_status_that_cannot_be_written_leaves_no_earlier_one(
    resting: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache_seen_status(resting, TOLD)
    monkeypatch.setattr(Path, "replace", fails)
    cache_seen_status(resting, TOLD._replace(text="later"))
    assert cached_status(resting, None) is None
    assert not list(resting.home.glob("last-seen*"))


def fails(*_: object) -> None:
    raise OSError(28, "No space left on device")
