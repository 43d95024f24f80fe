"""Fetching a newer file: a whole and newer one replaces the cached copy, anything else does not."""

import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from desk.contracts.findings.sources import RefreshOutcome, RefreshStatus
from desk.sources.ecb.rates import MEMBER, read_rates
from desk.sources.ecb.store import RatesStore, cached_file, packaged_file, rates_file
from desk.sources.serving import kept_file
from tests.support.addresses.rates import serving
from tests.support.files.rates_files import rates_csv, with_a_later_day, write_rates, zipped

THURSDAY, FRIDAY, MONDAY = date(2026, 10, 29), date(2026, 10, 30), date(2026, 11, 2)
LATER = date(2030, 1, 2)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A packaged file with the newest year of the real one."""
    with zipfile.ZipFile(packaged_file()) as archive:
        header, *rows = archive.read(MEMBER).decode().splitlines()
    file = tmp_path_factory.mktemp("package") / "rates.zip"
    file.write_bytes(zipped("\n".join((header, *rows[:250])) + "\n"))
    return file


@pytest.fixture(scope="module")
def whole(package: Path) -> bytes:
    return package.read_bytes()


@pytest.fixture(scope="module")
def newer(whole: bytes) -> bytes:
    return with_a_later_day(whole, LATER)


def refresh(
    cache_dir: Path,
    *,
    url: str,
    packaged: Path | None = None,
    timeout_seconds: float = 5,
    largest: int = kept_file.LARGEST_DOWNLOAD,
) -> RefreshOutcome:
    file = rates_file(url, packaged)
    file = replace(file, timeout_seconds=timeout_seconds, largest=largest)
    return kept_file.refresh(file, cache_dir)


def files_in(folder: Path) -> list[str]:
    """What lies there but the note of a failure."""
    names = [file.name for file in folder.iterdir()] if folder.is_dir() else []
    return [name for name in names if not name.endswith(".failed")]


def test_a_newer_file_replaces_the_cached_copy_and_is_read(
    tmp_path: Path, package: Path, newer: bytes
) -> None:
    with serving(newer) as url:
        outcome = refresh(tmp_path / "cache", url=url, packaged=package)
    assert (outcome.status, outcome.last_day) == (RefreshStatus.REPLACED, LATER)
    assert cached_file(tmp_path / "cache").read_bytes() == newer
    assert files_in(tmp_path / "cache") == ["eurofxref-hist.zip"]
    assert RatesStore(tmp_path / "cache").current().last_day == LATER


def test_the_same_file_again_changes_nothing(tmp_path: Path, package: Path, newer: bytes) -> None:
    with serving(newer) as url:
        refresh(tmp_path, url=url, packaged=package)
        outcome = refresh(tmp_path, url=url, packaged=package)
    assert (outcome.status, outcome.succeeded) == (RefreshStatus.UNCHANGED, True)


@pytest.mark.parametrize(
    "damage",
    [
        lambda newer: newer[: len(newer) // 2],
        lambda newer: newer[:-10],
        lambda newer: b"<!DOCTYPE html><html><body>Maintenance</body></html>",
        lambda newer: b"",
        lambda newer: zipped("Date,USD,\n2030-01-02,1.1,\n"),
        lambda newer: zipped("Date,USD,\n2030-01-02,<b>,\n"),
    ],
    ids=["half", "without its end", "html", "empty", "too few days", "no figures"],
)
def test_what_is_not_the_whole_history_leaves_the_cached_copy_alone(
    tmp_path: Path,
    package: Path,
    whole: bytes,
    newer: bytes,
    damage: Callable[[bytes], bytes],
) -> None:
    cached_file(tmp_path).write_bytes(whole)
    with serving(damage(newer)) as url:
        outcome = refresh(tmp_path, url=url, packaged=package)
    assert outcome.status is RefreshStatus.REJECTED
    assert outcome.reason
    assert outcome.reason.startswith(urlsplit(url).netloc)
    assert cached_file(tmp_path).read_bytes() == whole
    assert files_in(tmp_path) == ["eurofxref-hist.zip"]


def test_an_older_file_than_the_cached_one_is_rejected(
    tmp_path: Path, package: Path, whole: bytes, newer: bytes
) -> None:
    cached_file(tmp_path).write_bytes(newer)
    with serving(whole) as url:
        assert refresh(tmp_path, url=url, packaged=package).status is RefreshStatus.REJECTED
    assert read_rates(cached_file(tmp_path)).last_day == LATER


def test_a_damaged_cached_copy_is_replaced(tmp_path: Path, package: Path, newer: bytes) -> None:
    cached_file(tmp_path).write_bytes(b"half a fi")
    with serving(newer) as url:
        assert refresh(tmp_path, url=url, packaged=package).status is RefreshStatus.REPLACED
    assert read_rates(cached_file(tmp_path)).last_day == LATER


@pytest.mark.parametrize("status", [403, 404, 500, 503])
def test_an_error_answer_is_an_outcome(tmp_path: Path, status: int) -> None:
    with serving(b"sorry", status) as url:
        outcome = refresh(tmp_path, url=url)
    assert (outcome.status, outcome.succeeded) == (RefreshStatus.UNREACHABLE, False)
    assert str(status) in (outcome.reason or "")
    assert files_in(tmp_path) == []


def test_an_address_where_nobody_answers_is_an_outcome(tmp_path: Path) -> None:
    with serving(b"") as url:
        pass
    assert refresh(tmp_path, url=url).status is RefreshStatus.UNREACHABLE
    assert refresh(tmp_path, url="not an address").status is RefreshStatus.UNREACHABLE


def test_a_download_that_stalls_is_given_up(tmp_path: Path, newer: bytes) -> None:
    with serving(newer[:1_000], promised=len(newer), stalls=True) as url:
        outcome = refresh(tmp_path, url=url, timeout_seconds=0.2)
    assert outcome.status is RefreshStatus.UNREACHABLE


def test_a_download_that_drips_is_given_up(tmp_path: Path, newer: bytes) -> None:
    with serving(newer, pause_seconds=0.05) as url:
        outcome = refresh(tmp_path, url=url, timeout_seconds=0.3)
    assert outcome.status is RefreshStatus.UNREACHABLE
    assert "did not answer within 0.3 seconds" in (outcome.reason or "")


def test_a_download_without_an_end_is_given_up(tmp_path: Path, newer: bytes) -> None:
    with serving(newer) as url:
        outcome = refresh(tmp_path, url=url, largest=len(newer) - 1)
    assert outcome.status is RefreshStatus.UNREACHABLE
    assert "is above" in (outcome.reason or "")


def test_a_write_that_fails_leaves_the_cached_copy_and_nothing_else(
    tmp_path: Path, package: Path, whole: bytes, newer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    cached_file(tmp_path).write_bytes(whole)
    monkeypatch.setattr(Path, "replace", full_disk)
    with serving(newer) as url:
        outcome = refresh(tmp_path, url=url, packaged=package)
    assert outcome.status is RefreshStatus.NOT_WRITTEN
    assert "No space left" in (outcome.reason or "")
    assert files_in(tmp_path) == ["eurofxref-hist.zip"]
    assert cached_file(tmp_path).read_bytes() == whole


def test_a_connection_that_breaks_off_is_an_outcome(tmp_path: Path, newer: bytes) -> None:
    with serving(newer[:1_000], promised=len(newer)) as url:
        assert refresh(tmp_path, url=url).status is RefreshStatus.UNREACHABLE


def test_a_folder_that_cannot_be_written_is_an_outcome(
    tmp_path: Path, package: Path, newer: bytes
) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    with serving(newer) as url:
        outcome = refresh(tmp_path / "cache", url=url, packaged=package)
    assert outcome.status is RefreshStatus.NOT_WRITTEN
    assert str(tmp_path / "cache") in (outcome.reason or "")


def test_a_file_with_as_many_days_as_the_packaged_one_is_enough(tmp_path: Path) -> None:
    rows = {day: {"USD": "1.1172"} for day in (FRIDAY, MONDAY)}
    packaged = write_rates(tmp_path / "package.zip", {FRIDAY: {"USD": "1.1172"}})
    with serving(zipped(rates_csv(rows))) as url:
        outcome = refresh(tmp_path / "cache", url=url, packaged=packaged)
    assert outcome.last_day == MONDAY


def test_what_changed_is_told_by_the_days_that_were_added_revised_and_withdrawn(
    tmp_path: Path,
) -> None:
    packaged = write_rates(
        tmp_path / "package.zip", {THURSDAY: {"USD": "1.1"}, FRIDAY: {"USD": "1.1172"}}
    )
    now = {day: {"USD": "1.1173", "JPY": "160.1"} for day in (FRIDAY, MONDAY)}
    with serving(zipped(rates_csv(now))) as url:
        outcome = refresh(tmp_path / "cache", url=url, packaged=packaged)
        again = refresh(tmp_path / "cache", url=url, packaged=packaged)
    assert outcome.changed == "1 added, 1 revised, 1 withdrawn"
    assert (outcome.source, again.changed) == ("ECB reference rates", "nothing")


def test_a_currency_that_is_new_revises_no_day_before_it(tmp_path: Path) -> None:
    packaged = write_rates(tmp_path / "package.zip", {FRIDAY: {"USD": "1.1172"}})
    now = {FRIDAY: {"USD": "1.1172"}, MONDAY: {"USD": "1.1173", "JPY": "160.1"}}
    with serving(zipped(rates_csv(now))) as url:
        outcome = refresh(tmp_path / "cache", url=url, packaged=packaged)
    assert outcome.changed == "1 added"
