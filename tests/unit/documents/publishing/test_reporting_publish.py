"""Publishing a report: all files or none."""

import errno
import os
from pathlib import Path

import pytest

from desk.contracts.week.report import ResearchReport, Revision, RevisionKind
from desk.documents.publishing.files import PublishingError
from desk.programs.week.document.json_form import from_json
from desk.programs.week.document.publishing import publish, read_published
from tests.support.documents.report_outcomes import FINISHED_AT, WEEK
from tests.support.documents.reports import sample_report
from tests.support.documents.traced_report import traced_report

SUFFIXES = ("md", "html", "json")


def revision(number: int, *, run_id: str = "run-1", seconds: float = 7.4) -> ResearchReport:
    """The sample as its n-th revision."""
    report = sample_report()
    line = Revision(revision=number, kind=RevisionKind.RERUN, published_at=FINISHED_AT)
    timings = report.timings.model_copy(update={"run_id": run_id, "seconds": seconds})
    return report.model_copy(update={"revision": number, "revisions": (line,), "timings": timings})


def contents(directory: Path) -> dict[str, bytes]:
    """Every file below a directory."""
    return {path.name: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def names(*stems: str) -> set[str]:
    return {f"{stem}.{suffix}" for stem in stems for suffix in SUFFIXES}


def test_a_revision_is_written_under_the_weeks_name_and_its_own(tmp_path: Path) -> None:
    files = publish(revision(1), tmp_path)
    stem = f"{WEEK}-asia-g10-fx"
    assert set(contents(tmp_path)) == names(stem, f"{stem}.r1")
    assert files.markdown == str(tmp_path / "weekly" / f"{stem}.md")
    assert Path(files.html).read_text().startswith("<!doctype html>")
    assert from_json(Path(files.json_file).read_text()) == revision(1)


def test_a_subset_has_a_name_of_its_own(tmp_path: Path) -> None:
    publish(revision(1), tmp_path, "usd-jpy")
    assert f"{WEEK}-usd-jpy.md" in contents(tmp_path)


def test_a_later_revision_leaves_the_earlier_ones_own_files(tmp_path: Path) -> None:
    publish(revision(1), tmp_path)
    first = contents(tmp_path)
    publish(revision(2), tmp_path)
    both = contents(tmp_path)
    stem = f"{WEEK}-asia-g10-fx"
    assert set(both) == names(stem, f"{stem}.r1", f"{stem}.r2")
    assert all(both[name] == first[name] for name in names(f"{stem}.r1"))
    assert both[f"{stem}.html"] == both[f"{stem}.r2.html"]


def test_publishing_the_same_revision_again_changes_nothing(tmp_path: Path) -> None:
    publish(revision(1), tmp_path)
    before = contents(tmp_path)
    publish(revision(1, seconds=99.0, run_id="run-2"), tmp_path)
    assert contents(tmp_path) == before


def test_a_retry_that_finds_other_event_ids_is_the_same_revision(tmp_path: Path) -> None:
    report = traced_report()
    publish(report, tmp_path)
    before = contents(tmp_path)
    moved = tuple(
        result.model_copy(
            update={"place": result.place and result.place.model_copy(update={"event_id": 99})}
        )
        for result in report.evidence
    )
    timings = report.timings.model_copy(update={"seconds": 99.0})
    publish(traced_report(evidence=moved, timings=timings), tmp_path)
    assert contents(tmp_path) == before
    publish(traced_report(evidence=report.evidence[1:]), tmp_path)
    assert contents(tmp_path) != before


def test_publishing_again_completes_a_set_that_lost_a_file(tmp_path: Path) -> None:
    files = publish(revision(1), tmp_path)
    before = contents(tmp_path)
    Path(files.html).unlink()
    publish(revision(1), tmp_path)
    assert contents(tmp_path) == before


def test_publishing_again_replaces_a_damaged_file(tmp_path: Path) -> None:
    files = publish(revision(1), tmp_path)
    before = contents(tmp_path)
    Path(files.json_file).write_text('{"week": ')
    assert read_published(Path(files.json_file)) is None
    publish(revision(1), tmp_path)
    assert contents(tmp_path) == before


def test_a_late_attempt_does_not_take_a_later_revision_back(tmp_path: Path) -> None:
    files = publish(revision(2), tmp_path)
    publish(revision(1), tmp_path)
    latest = read_published(Path(files.json_file))
    assert latest is not None
    assert latest.revision == 2
    assert f"{WEEK}-asia-g10-fx.r1.md" in contents(tmp_path)


def test_a_new_run_of_the_week_starts_over(tmp_path: Path) -> None:
    files = publish(revision(2), tmp_path)
    publish(revision(1, run_id="another run"), tmp_path)
    latest = read_published(Path(files.json_file))
    assert latest is not None
    assert latest.revision == 1


def test_a_full_disk_leaves_the_previous_set_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(revision(1), tmp_path)
    before = contents(tmp_path)
    calls: list[int] = []

    def full(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 4:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(PublishingError, match=r"No space left.*Make room"):
        publish(revision(2), tmp_path)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("failing", range(1, 7))
def test_a_failure_between_two_files_puts_the_previous_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    publish(revision(1), tmp_path)
    before = contents(tmp_path)
    replace, calls = Path.replace, []

    def fails_once(path: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == failing:
            raise OSError(errno.EIO, "Input/output error")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", fails_once)
    with pytest.raises(PublishingError) as raised:
        publish(revision(2), tmp_path)
    assert contents(tmp_path) == before
    assert raised.value.path == tmp_path / "weekly"


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "weekly").write_text("a file in the way")
    with pytest.raises(PublishingError, match="weekly") as raised:
        publish(revision(1), tmp_path)
    assert raised.value.path == tmp_path / "weekly"
    assert contents(tmp_path) == {"weekly": b"a file in the way"}


def test_readers_other_than_the_publisher_may_read_the_files(tmp_path: Path) -> None:
    files = publish(revision(1), tmp_path)
    (tmp_path / "plain").write_text("")
    usual = (tmp_path / "plain").stat().st_mode
    assert Path(files.html).stat().st_mode == usual
