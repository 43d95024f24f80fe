"""The server keeps its rates current by itself, asks seldom and answers whatever happens."""

import asyncio
import logging
import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from mcp import Client

from desk.sources.ecb.rates import read_rates
from desk.sources.ecb.server import build_server
from desk.sources.ecb.store import cached_file, rates_file
from desk.sources.serving.kept_file import FAILURE_CACHE_SECONDS
from desk.sources.serving.upkeep import LOGGED_FAILURES, Upkeep
from tests.support.addresses.rates import serving
from tests.support.files.rates_files import rates_csv, write_rates, zipped

FRIDAY, MONDAY, TUESDAY = date(2026, 10, 30), date(2026, 11, 2), date(2026, 11, 3)
HOUR = timedelta(hours=1)
LONG_AGO = 1_000_000_000
"""Seconds since 1970: a copy of that age is always due."""


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


def history(*days: date) -> bytes:
    return zipped(rates_csv({day: {"USD": "1.1172"} for day in days}))


@pytest.fixture
def packaged(tmp_path: Path) -> Path:
    return write_rates(tmp_path / "package.zip", {FRIDAY: {"USD": "1.1172"}})


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def cached(cache: Path, content: bytes, written: int | None = None) -> None:
    cache.mkdir(exist_ok=True)
    cached_file(cache).write_bytes(content)
    if written is not None:
        os.utime(cached_file(cache), (written, written))


def age(cache: Path) -> None:
    os.utime(cached_file(cache), (LONG_AGO, LONG_AGO))


def upkeep_of(
    cache: Path,
    packaged: Path,
    url: str,
    *,
    refresh_every: timedelta = HOUR,
    clock: Callable[[], float] = time.monotonic,
    timeout_seconds: float = 5,
) -> Upkeep:
    file = replace(rates_file(url, packaged), timeout_seconds=timeout_seconds)
    return Upkeep((file,), cache, refresh_every, clock=clock)


def age_the_note_of_a_failure(cache: Path) -> None:
    (note,) = cache.glob(".*.failed")
    os.utime(note, (LONG_AGO, LONG_AGO))


async def last_days(cache: Path, packaged: Path, url: str, calls: int) -> list[str]:
    """What so many calls at once of a server of ours say the last day is."""
    server = build_server(cache, refresh_every=HOUR, packaged=packaged, url=url)
    async with Client(server) as client:
        asked = {"as_of": "2026-11-30T00:00:00Z"}
        answers = await asyncio.gather(
            *(client.call_tool("get_coverage", asked) for _ in range(calls))
        )
    return [(answer.structured_content or {})["last_day"] for answer in answers]


async def test_many_calls_at_once_are_one_fetch_and_see_what_it_brought(
    cache: Path, packaged: Path
) -> None:
    asked: list[str] = []
    with serving(history(FRIDAY, MONDAY), asked=asked) as url:
        days = await last_days(cache, packaged, url, calls=20)
    assert days == ["2026-11-02"] * 20
    assert len(asked) == 1


async def test_the_server_begins_to_fetch_as_it_starts(cache: Path, packaged: Path) -> None:
    with serving(history(FRIDAY, MONDAY)) as url:
        server = build_server(cache, refresh_every=HOUR, packaged=packaged, url=url)
        async with Client(server) as client, asyncio.timeout(30):
            assert (await client.list_tools()).tools
            while not cached_file(cache).exists():
                await asyncio.sleep(0.01)


async def test_a_server_that_is_not_told_to_refresh_fetches_nothing(
    cache: Path, packaged: Path
) -> None:
    asked: list[str] = []
    with serving(history(FRIDAY, MONDAY), asked=asked) as url:
        for server in (
            build_server(cache, packaged=packaged, url=url),
            build_server(refresh_every=HOUR, packaged=packaged, url=url),
        ):
            async with Client(server) as client:
                await client.call_tool("get_coverage", {"as_of": "2026-11-30T00:00:00Z"})
    assert asked == []


async def test_it_is_fetched_again_only_when_the_time_has_passed(
    cache: Path, packaged: Path
) -> None:
    clock, asked = Clock(), list[str]()
    with serving(history(FRIDAY, MONDAY), asked=asked) as url:
        upkeep = upkeep_of(cache, packaged, url, clock=clock)
        fetches = []
        for seconds in (0, 1, 3_598, 1, 1):
            clock.seconds += seconds
            await upkeep.ensure_fresh()
            fetches.append(len(asked))
            age(cache)
    assert fetches == [1, 1, 1, 2, 2]


async def test_a_young_copy_is_not_fetched_until_it_has_aged(cache: Path, packaged: Path) -> None:
    cached(cache, history(FRIDAY, MONDAY))
    clock, asked = Clock(), list[str]()
    with serving(history(FRIDAY, MONDAY, TUESDAY), asked=asked) as url:
        upkeep = upkeep_of(cache, packaged, url, clock=clock)
        await upkeep.ensure_fresh()
        assert asked == []
        clock.seconds += 3_600
        age(cache)
        await upkeep.ensure_fresh()
    assert read_rates(cached_file(cache)).last_day == TUESDAY


async def test_an_unchanged_copy_counts_as_young_for_the_next_process(
    cache: Path, packaged: Path
) -> None:
    same, asked = history(FRIDAY, MONDAY), list[str]()
    cached(cache, same, LONG_AGO)
    with serving(same, asked=asked) as url:
        for _ in range(2):
            await upkeep_of(cache, packaged, url).ensure_fresh()
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("content", "status"), [(b"sorry", 503), (b"<html>", 200), (history(FRIDAY), 200)]
)
async def test_a_failure_leaves_what_is_there_to_answer(
    cache: Path, packaged: Path, content: bytes, status: int
) -> None:
    kept = history(FRIDAY, MONDAY)
    cached(cache, kept, LONG_AGO)
    with serving(content, status) as url:
        assert await last_days(cache, packaged, url, calls=2) == ["2026-11-02"] * 2
    assert cached_file(cache).read_bytes() == kept


async def test_after_a_failure_the_ecb_is_left_alone_for_a_minute(
    cache: Path, packaged: Path
) -> None:
    clock, asked = Clock(), list[str]()
    with serving(b"sorry", 503, asked=asked) as url:
        upkeep = upkeep_of(cache, packaged, url, refresh_every=timedelta(seconds=1), clock=clock)
        await upkeep.ensure_fresh()
        clock.seconds += FAILURE_CACHE_SECONDS - 1
        await upkeep.ensure_fresh()
        assert len(asked) == 1
        clock.seconds += 1
        age_the_note_of_a_failure(cache)
        await upkeep.ensure_fresh()
    assert len(asked) == 2


async def test_a_failure_is_remembered_for_the_next_process(
    cache: Path, packaged: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[str] = []
    with serving(b"sorry", 503, asked=asked) as url:
        await upkeep_of(cache, packaged, url).ensure_fresh()
        LOGGED_FAILURES.clear()  # As it is in the next process.
        await upkeep_of(cache, packaged, url).ensure_fresh()
        assert len(asked) == 1
        assert caplog.text.count("503 Service Unavailable") == 2
        age_the_note_of_a_failure(cache)
        await upkeep_of(cache, packaged, url).ensure_fresh()
    assert len(asked) == 2


async def test_failures_are_one_line_in_the_log(
    cache: Path, packaged: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    with serving(b"sorry", 403) as url, caplog.at_level(logging.INFO, "desk.sources"):
        upkeep = upkeep_of(cache, packaged, url, clock=clock)
        for _ in range(3):
            await upkeep.ensure_fresh()
            clock.seconds += 3_600
            age_the_note_of_a_failure(cache)
    (line,) = (record for record in caplog.records if record.name.startswith("desk.sources"))
    assert line.levelno == logging.WARNING
    assert "403" in line.getMessage()
    assert "\n" not in line.getMessage()


async def test_files_that_fail_together_are_one_line_that_says_what_to_do(
    cache: Path, packaged: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(b"sorry", 503) as url, caplog.at_level(logging.INFO, "desk.sources"):
        rates = rates_file(url, packaged)
        files = [replace(rates, name=f"{number}.zip", source=f"S{number}") for number in range(9)]
        await Upkeep(files, cache, HOUR).ensure_fresh()
    (line,) = (record for record in caplog.records if record.name.startswith("desk.sources"))
    words = line.getMessage()
    assert " and 8 more could not be refreshed" in words
    assert "`desk refresh` tells of each" in words
    assert "DESK_OFFLINE=1" in words


async def test_files_that_there_is_nothing_of_are_told_so_and_once_in_a_process(
    cache: Path, packaged: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(b"sorry", 503) as url, caplog.at_level(logging.WARNING, "desk.sources"):
        rates = replace(rates_file(url, packaged), packaged=None)
        files = [replace(rates, name=f"{number}.zip") for number in range(2)]
        for _ in range(2):
            await Upkeep(files, cache, HOUR).ensure_fresh()
    (line,) = (record for record in caplog.records if record.name.startswith("desk.sources"))
    assert "could not be refreshed; there is nothing from before: " in line.getMessage()


async def test_one_file_of_several_that_fails_is_named_alone(
    cache: Path, packaged: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(b"sorry", 503) as failing, serving(history(FRIDAY, MONDAY)) as url:
        gone = replace(rates_file(failing, packaged), name="gone.zip", source="Gone rates")
        await Upkeep((rates_file(url, packaged), gone), cache, HOUR).ensure_fresh()
    assert "Gone rates could not be refreshed" in caplog.text
    assert "DESK_OFFLINE" not in caplog.text


async def test_a_fetch_that_drags_on_holds_no_answer_up(
    cache: Path, packaged: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stalled = history(FRIDAY, MONDAY)
    with serving(stalled[:10], promised=len(stalled), stalls=True) as url:
        upkeep = upkeep_of(cache, packaged, url, timeout_seconds=0.2)
        async with asyncio.timeout(30):
            await upkeep.ensure_fresh()
    assert "what there was before is used" in caplog.text


async def test_a_network_set_up_wrongly_is_a_failure_like_any_other(
    cache: Path,
    packaged: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://127.0.0.1:9")
    url = "http://rates.invalid/eurofxref-hist.zip"
    assert await last_days(cache, packaged, url, calls=1) == ["2026-10-30"]
    assert "nonsense" in caplog.text


async def test_a_caller_that_gives_up_takes_the_fetch_from_nobody(
    cache: Path, packaged: Path
) -> None:
    with serving(history(FRIDAY, MONDAY)) as url:
        upkeep = upkeep_of(cache, packaged, url)
        first = asyncio.create_task(upkeep.ensure_fresh())
        second = asyncio.create_task(upkeep.ensure_fresh())
        await asyncio.sleep(0)
        first.cancel()
        await second
    assert first.cancelled()
    assert read_rates(cached_file(cache)).last_day == MONDAY
