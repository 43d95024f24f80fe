"""A week watched from its start to its report, with the watcher and the server killed between."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from desk.contracts.names import week_run_id
from desk.platform.settings import Settings
from desk.platform.temporal.client import connect
from tests.support.processes.counted_worker import hold_up, let_go, read_notes
from tests.support.processes.fleet import MARKETS, WEEK, desk_at, effects, start
from tests.support.processes.forks import forked_command
from workers.hosting import Role

EVERY_MARKET = "/market/"
LAST_MARKET = "/market/USD/HKD/"
"""Parts of the keys of what is held up while watchers start, so that the week is not over first."""


class Watching:
    """A `desk watch --json` in a process of its own, whose lines go to a file."""

    def __init__(self, settings: Settings, log: Path) -> None:
        variables = {
            "DESK_HOME": str(settings.home),
            "DESK_REPORTS": str(settings.home.parent / "reports"),
            "DESK_SERVER_PORT": str(settings.server.port),
            "DESK_UI_PORT": str(settings.server.ui_port),
        }
        self._log = log
        words = ("watch", "--week", WEEK, "--json")
        self.process = forked_command(words, variables, log, log.with_suffix(".err"))

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What it has written in full so far."""
        whole = self._log.read_text().rpartition("\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    def told(self) -> str:
        """What it complained of."""
        return self._log.with_suffix(".err").read_text()


@contextmanager
def watching(settings: Settings, log: Path) -> Iterator[Watching]:
    watcher = Watching(settings, log)
    try:
        yield watcher
    finally:
        watcher.process.kill()
        watcher.process.wait()


async def until(condition: Any, what: str, seconds: float = 60) -> Any:
    """The first true value of a condition."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        await asyncio.sleep(0.05)
    raise AssertionError(f"{what} did not happen")


def done_markets(lines: list[dict[str, Any]]) -> set[str]:
    return {line["market"] for line in lines if line["kind"] == "market" and line["outcome"]}


async def test_a_killed_watcher_stops_nothing_and_the_next_goes_on_where_the_run_stands(
    tmp_path: Path,
) -> None:
    async with desk_at(tmp_path, (Role.ALL,)) as (settings, server, _, log):
        client = await connect(settings)
        hold_up(log, EVERY_MARKET)
        await start(client, settings)
        with watching(settings, tmp_path / "first.jsonl") as first:
            at_work = await until(
                lambda: [m for m in first.lines if m["kind"] == "market" and m["agents"]],
                f"an agent seen at work ({first.told()})",
            )
            first.process.send_signal(signal.SIGKILL)
            first.process.wait()
        assert {agent["agent"] for line in at_work for agent in line["agents"]} <= {
            *("research_agent_1", "research_agent_2", "validator_agent"),
        }
        assert not any(line["kind"] == "published" for line in first.lines)
        seen = sum(note["stage"] == "started" for note in read_notes(log))
        hold_up(log, LAST_MARKET)
        await effects(log, seen + 2)
        with watching(settings, tmp_path / "second.jsonl") as second:
            await until(lambda: second.lines, "the second watcher's first line")
            let_go(log)
            os.kill(server.pid, signal.SIGKILL)
            await until(lambda: second.process.poll() is not None, "the report", 90)
        assert second.process.returncode == 3, second.told()
        last = second.lines[-1]
        assert last["kind"] == "published"
        assert last["published"]["workflow_id"] == week_run_id(WEEK)
        assert not last["published_before"]
        assert Path(last["published"]["files"]["html"]).is_file()
        assert done_markets(second.lines) == set(MARKETS)
        opening = [line["market"] for line in second.lines if line["kind"] == "market"]
        assert sorted(opening[: len(MARKETS)]) == sorted(MARKETS)
