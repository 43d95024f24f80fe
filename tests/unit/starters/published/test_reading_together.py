"""A document is read whole while another revision of it is published."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from desk.documents.publishing.files import write_all
from desk.programs.week.document.publishing import publish
from desk.trust.seals import sealed
from starters.published import read_together as reading
from starters.published.read_together import read_together
from starters.terminal.exit_status import ExitStatus
from tests.support.documents.published import auditing, copied_week, week

SUFFIXES = ("md", "html", "json", "sig")


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@contextmanager
def publishing(*revisions: dict[Path, str | None], folder: Path) -> Iterator[None]:
    """One revision after another is published, again and again, until the block ends."""
    ended = Event()

    def publish_all() -> None:
        while not ended.is_set():
            for revision in revisions:
                write_all(revision, folder)
                ended.wait(0.03)

    publisher = Thread(target=publish_all)
    publisher.start()
    try:
        yield
    finally:
        ended.set()
        publisher.join()


def test_all_files_are_of_one_revision_while_others_are_published(tmp_path: Path) -> None:
    paths = [tmp_path / f"week.{suffix}" for suffix in SUFFIXES]
    revisions: list[dict[Path, str | None]] = [
        dict.fromkeys(paths, str(number)) for number in range(4)
    ]
    write_all(revisions[0], tmp_path)
    with publishing(*revisions, folder=tmp_path):
        for _ in range(60):
            texts = read_together(paths, text_of)
            assert len(texts) == len(paths)
            assert len(set(texts.values())) == 1


def test_a_revision_that_comes_between_two_files_is_read_whole(tmp_path: Path) -> None:
    paths = [tmp_path / f"week.{suffix}" for suffix in SUFFIXES]
    write_all(dict.fromkeys(paths, "1"), tmp_path)
    read: list[Path] = []

    def read_slowly(path: Path) -> str:
        read.append(path)
        if len(read) == 2:
            write_all(dict.fromkeys(paths, "2"), tmp_path)
        return text_of(path)

    assert read_together(paths, read_slowly) == dict.fromkeys(paths, "2")


def test_what_a_killed_publisher_left_is_read_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "WAIT_SECONDS", 0.05)
    page = tmp_path / "week.html"
    page.write_text("half")
    (tmp_path / ".week.json.0a1b2c3d.new").write_text("the other half")
    paths = [page, tmp_path / "week.json"]
    assert read_together(paths, text_of) == {page: "half"}


def test_an_audit_verifies_a_week_while_it_is_published_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = copied_week(tmp_path)
    timings = week().timings.model_copy(update={"run_id": "another"})
    again = tmp_path / "again"
    publish(sealed(week().model_copy(update={"timings": timings})), again)
    paths = [report.with_suffix(f".{suffix}") for suffix in SUFFIXES[:3]]
    revisions: list[dict[Path, str | None]] = [
        {path: text_of(folder / path.name) for path in paths}
        for folder in (report.parent, again / "weekly")
    ]
    assert all(revisions[0][path] != revisions[1][path] for path in paths)
    audit = auditing(capsys)
    with publishing(*revisions, folder=report.parent):
        for _ in range(3):
            status, shown = audit(report)
            assert status == ExitStatus.COMPLETE, shown
