"""What a slow provider brings after calls were answered without it waits for the next process."""

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from activities.tool_calls import ToolActivities
from desk.platform.effects.journal import EffectJournal
from desk.platform.mcp.attribution import HIGHEST
from desk.platform.mcp.kept_files import servers_caching_files
from desk.platform.mcp.pool import McpPool
from desk.platform.settings.mcp_json import CACHING_SERVERS, McpServerSpec, read_mcp_config
from desk.sources.ecb.rates import read_rates
from desk.sources.ecb.store import cached_file, rates_file
from desk.sources.serving.upkeep import Upkeep
from tests.standins.configuration import write_configuration
from tests.standins.provider import Failure
from tests.standins.providers.ecb import PATH
from tests.standins.serving import Standins
from tests.support.processes.homes import PROJECT

LATER = date(2026, 11, 12)
HOUR = timedelta(hours=1)
PLANNING = timedelta(seconds=2.8)
"""The time of the attempt that asks whether a source can be reached."""


@pytest.fixture
def slow(standins: Standins) -> Standins:
    """An ECB that answers only when it is released."""
    standins.until = LATER
    standins.fail("ecb", Failure.SLOW)
    return standins


def upkeep(standins: Standins, cache: Path, patience_seconds: float = 30) -> Upkeep:
    file = replace(rates_file(f"{standins.address('ecb')}/{PATH}"), timeout_seconds=30)
    return Upkeep((file,), cache, HOUR, patience_seconds=patience_seconds)


async def until_it_is_there(path: Path) -> None:
    async with asyncio.timeout(30):
        while not path.exists():
            await asyncio.sleep(0.01)


async def test_what_comes_late_is_seen_by_the_next_process_only(
    slow: Standins, tmp_path: Path
) -> None:
    first = upkeep(slow, tmp_path, patience_seconds=0.2)
    await first.ensure_fresh()
    slow.released.set()
    await until_it_is_there(tmp_path / f".{cached_file(tmp_path).name}.late")
    await first.ensure_fresh()
    assert not cached_file(tmp_path).exists(), "calls were answered without it"
    await upkeep(slow, tmp_path).ensure_fresh()
    assert read_rates(cached_file(tmp_path)).last_day == LATER
    assert slow.asked["ecb"] == 1, "what had come was not fetched again"


async def test_a_damaged_file_that_came_late_is_passed_over(
    standins: Standins, tmp_path: Path
) -> None:
    standins.until = LATER
    (tmp_path / f".{cached_file(tmp_path).name}.late").write_bytes(b"half of a fi")
    await upkeep(standins, tmp_path).ensure_fresh()
    assert read_rates(cached_file(tmp_path)).last_day == LATER
    assert standins.asked["ecb"] == 1


def servers(slow: Standins, folder: Path) -> Mapping[str, McpServerSpec]:
    named = read_mcp_config(write_configuration(slow, folder))
    return {name: named[name] for name in ("ecb", "google_news")}


async def test_a_run_begins_when_the_files_are_there_that_it_reads(
    slow: Standins, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # How fast a machine under load reads a file is no part of the promise.
    for bound in ("tool_calls.FRESH_SECONDS", "tool_calls.SETTLING_SECONDS"):
        monkeypatch.setattr(f"activities.{bound}", 60.0)
    monkeypatch.setattr("desk.sources.serving.upkeep.PATIENCE_SECONDS", 60.0)
    known, journal = servers(slow, tmp_path), EffectJournal(tmp_path / "effects.db")
    cache = tmp_path / "cache"
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, start_to_close_timeout=PLANNING)
    pool = McpPool(known, in_process=True, project_dir=PROJECT, cache_dir=cache, refresh_every=HOUR)
    release = threading.Timer(0.5, slow.released.set)
    async with pool:
        activities = ToolActivities(pool, journal, servers_caching_files(known))
        release.start()
        told = await environment.run(activities.reach, "google_news")
    journal.close()
    assert told.reachable
    assert read_rates(cached_file(cache)).last_day == LATER


def test_those_that_keep_files_are_all_waited_for() -> None:
    texts = {module: (PROJECT / f"{module.replace('.', '/')}.py").read_text() for module in HIGHEST}
    assert {
        module for module, text in texts.items() if "\ndef kept_files(" in text
    } == CACHING_SERVERS
