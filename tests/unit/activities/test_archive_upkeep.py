"""The archive follows each publication, and `desk archive` writes it anew."""

import asyncio
import json
import os
import threading
import webbrowser
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

import activities.publishing.archive_upkeep as archiving
from activities.publishing.archive_upkeep import ArchiveUpkeep, running_archive_upkeep
from activities.publishing.publishing import PublishingActivities
from desk.contracts.runs.week import Publication
from desk.programs.week.document.publishing import FOLDER
from starters.main import execute
from starters.terminal.exit_status import ExitStatus
from tests.support.documents.archives import report_of, shelve
from tests.support.processes.homes import home_environment
from tests.unit.documents.publishing.test_publishing_activity import request


async def publication(directory: Path) -> Publication:
    activity = PublishingActivities(directory)
    made: Publication = await ActivityEnvironment().run(activity.publish_report, request())
    return made


async def test_a_publication_brings_the_archive_up_to_date(tmp_path: Path) -> None:
    made = await publication(tmp_path)
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert f'href="{FOLDER}/{Path(made.files.html).name}"' in index
    assert (tmp_path / "markets" / "USD-JPY.html").is_file()


async def test_an_archive_that_cannot_be_written_fails_no_publication(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "markets").write_text("a file in the way")
    made = await publication(tmp_path)
    assert Path(made.files.html).is_file()
    assert not (tmp_path / "index.html").exists()
    (told,) = (line for line in caplog.records if line.name == archiving.__name__)
    assert "is not up to date" in told.getMessage()
    assert "`desk archive`" in told.getMessage()


async def test_publications_at_once_share_an_archive_and_none_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    go_on = threading.Event()

    def look(directory: Path) -> None:
        seen.append(len(list(directory.iterdir())))
        go_on.wait(30)

    monkeypatch.setattr(archiving, "write_archive", look)
    upkeep = ArchiveUpkeep(tmp_path)

    async def one(name: str) -> None:
        (tmp_path / name).touch()
        await upkeep.refresh()

    first = asyncio.create_task(one("first"))
    while not seen:
        await asyncio.sleep(0.01)
    others = [asyncio.create_task(one(f"{number}")) for number in range(5)]
    await asyncio.sleep(0)
    go_on.set()
    await asyncio.gather(first, *others)
    assert seen == [1, 6]


async def test_one_that_is_called_off_while_it_waits_keeps_nobody_from_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Path] = []
    go_on = threading.Event()

    def look(directory: Path) -> None:
        seen.append(directory)
        go_on.wait(30)

    monkeypatch.setattr(archiving, "write_archive", look)
    upkeep = ArchiveUpkeep(tmp_path)
    first, waiting = (asyncio.create_task(upkeep.refresh()) for _ in range(2))
    while not seen:
        await asyncio.sleep(0.01)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    go_on.set()
    await first
    await upkeep.refresh()
    assert len(seen) == 2


async def test_an_archive_that_takes_too_long_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    go_on = threading.Event()
    monkeypatch.setattr(archiving, "MAX_WAIT_SECONDS", 0.05)
    monkeypatch.setattr(archiving, "write_archive", lambda _: go_on.wait(30))
    try:
        await ArchiveUpkeep(tmp_path).refresh()
    finally:
        go_on.set()
    assert "it takes too long" in caplog.text


async def test_a_worker_goes_on_while_its_archive_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    monkeypatch.setattr(archiving, "write_archive", lambda _: go_on.wait(30))
    async with running_archive_upkeep(tmp_path) as upkeep:
        activity = PublishingActivities(tmp_path, archive=upkeep)
        made = await ActivityEnvironment().run(activity.publish_report, request())
        assert Path(made.files.html).is_file()
        assert not go_on.is_set()
        go_on.set()


async def test_what_is_published_after_an_archive_shares_the_next_which_a_worker_writes_as_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []
    monkeypatch.setattr(archiving, "PAUSE_FACTOR", 1e6)

    def look(directory: Path) -> None:
        seen.append(sorted(path.name for path in directory.iterdir()))

    monkeypatch.setattr(archiving, "write_archive", look)
    async with running_archive_upkeep(tmp_path) as upkeep:
        for name in ("first", "second", "third"):
            (tmp_path / name).touch()
            upkeep.schedule()
            while not seen:
                await asyncio.sleep(0.01)
        assert seen == [["first"]]
    assert seen == [["first"], ["first", "second", "third"]]


async def test_a_worker_begins_with_the_archive_that_a_killed_one_has_left_undone(
    tmp_path: Path,
) -> None:
    async with running_archive_upkeep(tmp_path):
        pass
    assert not (tmp_path / "index.html").exists()
    await publication(tmp_path)
    written = (tmp_path / "index.html").read_text(encoding="utf-8")
    (tmp_path / "index.html").unlink()
    async with running_archive_upkeep(tmp_path):
        pass
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == written
    (tmp_path / "search.html").unlink()
    async with running_archive_upkeep(tmp_path):
        pass
    assert not (tmp_path / "search.html").exists(), "an archive that is up to date is left alone"
    os.utime(tmp_path / "index.html", ns=(0, 0))
    async with running_archive_upkeep(tmp_path):
        pass
    assert (tmp_path / "search.html").exists()


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of which the reports directory is not there yet."""
    for name, value in home_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    return tmp_path / "reports"


def test_the_command_says_where_the_archive_is_and_what_is_in_it(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for week in ("2026-W36", "2026-W38"):
        shelve(reports, report_of(week))
    shelve(reports, report_of("2026-W38"), "usdjpy")
    shelve(reports, report_of("2026-W37")).write_text("{")
    assert execute(["archive"]) == ExitStatus.COMPLETE
    markets = len(report_of("2026-W38").markets)
    assert capsys.readouterr().out.splitlines() == [
        f"{reports / 'index.html'}",
        "weeks    2, 2026-W36 to 2026-W38; 1 of some markets",
        f"markets  {markets}",
        "left out  2026-W37-asia-g10-fx.json",
        "          damaged: it is no complete JSON",
    ]
    assert execute(["archive", "--json"]) == ExitStatus.COMPLETE
    assert json.loads(capsys.readouterr().out) == {
        "index": f"{reports / 'index.html'}",
        "weeks": ["2026-W36", "2026-W38"],
        "of_some_markets": 1,
        "markets": markets,
        "left_out": [
            {"name": "2026-W37-asia-g10-fx.json", "reason": "damaged: it is no complete JSON"}
        ],
    }


def test_the_command_opens_the_index(reports: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelve(reports, report_of("2026-W38"))
    opened: list[str] = []

    def browser(address: str) -> bool:
        opened.append(address)
        return True

    monkeypatch.setattr(webbrowser, "open", browser)
    assert execute(["archive", "--open"]) == ExitStatus.COMPLETE
    assert opened == [(reports / "index.html").resolve().as_uri()]


def test_what_cannot_be_done_is_said_with_what_to_do(
    reports: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert execute(["archive"]) == ExitStatus.FAILED
    assert "`desk run` publishes one" in capsys.readouterr().err
    shelve(reports, report_of("2026-W38"))
    assert execute(["archive", "--open", "--json"]) == ExitStatus.USAGE
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    assert execute(["archive", "--open"]) == ExitStatus.FAILED
    assert "no browser could be started" in capsys.readouterr().err
    (reports / "search.html").write_text("my own")
    assert execute(["archive"]) == ExitStatus.FAILED
    assert "move it away" in capsys.readouterr().err
