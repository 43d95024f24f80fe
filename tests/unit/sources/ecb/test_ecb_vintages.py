"""A fixing that is revised or comes late: an earlier instant is answered as it was then."""

import os
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from desk.sources.ecb.server import EcbTools
from desk.sources.ecb.store import RatesStore, cached_file, rates_file
from desk.sources.serving.kept_file import refresh
from desk.sources.serving.vintages import revisions_path
from tests.support.addresses.rates import serving
from tests.support.files.rates_files import rates_csv, write_rates, zipped

FRIDAY, MONDAY = date(2026, 10, 30), date(2026, 11, 2)
YESTERDAY, NOW = (datetime.now(UTC) - timedelta(days=days) for days in (1, 0))
LATER = NOW + timedelta(hours=1)

Rows = Mapping[date, Mapping[str, str]]


@pytest.fixture
def packaged(tmp_path: Path) -> Path:
    return write_rates(tmp_path / "package.zip", {FRIDAY: {"USD": "1.1000", "JPY": "160.10"}})


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def fetch(cache: Path, packaged: Path, rows: Rows) -> None:
    with serving(zipped(rates_csv(rows))) as url:
        assert refresh(rates_file(url, packaged), cache).succeeded


def euro(cache: Path, packaged: Path, as_of: datetime) -> tuple[date | None, Decimal | None]:
    quote = EcbTools(RatesStore(cache, packaged)).get_quote("EUR/USD", as_of)
    return quote.fixed_on, quote.value


def test_a_revised_fixing_is_known_from_when_it_was_seen(cache: Path, packaged: Path) -> None:
    fetch(cache, packaged, {FRIDAY: {"USD": "1.1500", "JPY": "160.10"}})
    assert euro(cache, packaged, datetime(2026, 11, 1, tzinfo=UTC)) == (FRIDAY, Decimal("1.1000"))
    late = datetime.now(UTC)
    history = EcbTools(RatesStore(cache, packaged)).get_historical("EUR/USD", FRIDAY, late)
    assert history.values == (Decimal("1.1500"),)


def test_revisions_of_one_day_follow_each_other(cache: Path, packaged: Path) -> None:
    store = RatesStore(cache, packaged)
    seen = []
    for value in ("1.1500", "1.2000"):
        fetch(cache, packaged, {FRIDAY: {"USD": value, "JPY": "160.10"}})
        seen.append(datetime.now(UTC))
    told = [store.as_of(at).last_fixing("EUR", "USD", MONDAY) for at in (YESTERDAY, *seen)]
    assert [fixing and fixing[1] for fixing in told] == [
        Decimal("1.1000"),
        Decimal("1.1500"),
        Decimal("1.2000"),
    ]


def test_a_day_that_is_new_is_told_beside_what_was_revised(cache: Path, packaged: Path) -> None:
    store, revised = RatesStore(cache, packaged), {"USD": "1.1500", "JPY": "160.10"}
    fetch(cache, packaged, {FRIDAY: revised})
    assert store.as_of(YESTERDAY).last_day == FRIDAY
    due_later = NOW.date() + timedelta(days=1)
    fetch(cache, packaged, {FRIDAY: revised, due_later: {"USD": "1.1600", "JPY": "160.10"}})
    told = store.as_of(YESTERDAY)
    assert told.last_fixing("EUR", "USD", FRIDAY) == (FRIDAY, Decimal("1.1000"))
    assert told.last_day == due_later


def test_a_fixing_that_came_late_was_not_there_before(cache: Path, packaged: Path) -> None:
    fetch(cache, packaged, {FRIDAY: {"USD": "1.1000", "JPY": "160.10"}})
    looked = datetime(2026, 11, 3, tzinfo=UTC).timestamp()
    cached_file(cache).touch()
    os.utime(cached_file(cache), (looked, looked))
    fetch(
        cache,
        packaged,
        {FRIDAY: {"USD": "1.1000", "JPY": "160.10"}, MONDAY: {"USD": "1.1200"}},
    )
    assert euro(cache, packaged, datetime(2026, 11, 3, tzinfo=UTC)) == (FRIDAY, Decimal("1.1000"))


def test_a_file_without_revisions_is_read_as_it_is(cache: Path, packaged: Path) -> None:
    fetch(cache, packaged, {FRIDAY: {"USD": "1.1000", "JPY": "160.10"}, MONDAY: {"USD": "1.1"}})
    assert not revisions_path("eurofxref-hist.zip", cache).exists()
    store = RatesStore(cache, packaged)
    assert store.as_of(YESTERDAY) is store.current()


def test_a_note_that_was_cut_off_does_not_hide_the_others(cache: Path, packaged: Path) -> None:
    fetch(cache, packaged, {FRIDAY: {"USD": "1.1500", "JPY": "160.10"}})
    with revisions_path("eurofxref-hist.zip", cache).open("a") as file:
        file.write('{"name": "2026-')
    assert euro(cache, packaged, datetime(2026, 11, 1, tzinfo=UTC)) == (FRIDAY, Decimal("1.1000"))
