"""What fails on the wire comes out as advice: real sources as processes, real weeks, and the lines
that `desk learn` prints."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from temporalio.client import Client

from desk.contracts.agents.capabilities import Capability, Route
from desk.contracts.agents.config import DeadlineConfig, RetryConfig, RunConfig
from desk.contracts.learning.lessons import ToolUse
from desk.contracts.learning.record import LearnedView
from desk.contracts.names import LEARNING_SYSTEM_ID, Message
from desk.learning.forecasts.probability import question_of
from desk.platform.mcp.pool import McpPool
from desk.platform.settings.mcp_json import McpServerSpec
from desk.programs.turns import builtin_turn
from starters.learning.learn import learned_lines
from tests.support.processes.homes import PROJECT
from tests.support.runs.desk import desk_config, desk_workers, pair, start_week
from tests.support.runs.scripted import ScriptedAnalyst
from tests.support.sources.faulty_source import Controls, Fault, over_stdio, started_again

SOURCE: Final = "ecb"
SERVER: Final = "desk.sources.ecb.server"
STAND_IN: Final = "second"
PAIRS: Final = ("USD/JPY", "EUR/USD", "GBP/USD", "AUD/USD")
WEEKS: Final = tuple(f"2026-W{number}" for number in range(30, 34))
LATER: Final = datetime(2027, 1, 1, tzinfo=UTC)
NEVER: Final = timedelta(days=1)
"""After which a circuit opens: each call is put to the wire."""

FIXINGS: Final = {
    Capability.QUOTE: "get_quote",
    Capability.HISTORY: "get_historical",
}


def config_of(
    *, tries: int = 1, stand_in: bool = False, pairs: int = 1, seconds: float = 30
) -> RunConfig:
    """A desk with few pairs and little patience."""
    deadlines = DeadlineConfig(
        tool_call=timedelta(seconds=seconds), open_for_reruns=timedelta(milliseconds=1)
    )
    retries = RetryConfig(
        max_attempts=tries,
        first_pause=timedelta(milliseconds=100),
        longest_pause=timedelta(seconds=1),
    )
    config = desk_config(*map(pair, PAIRS[:pairs]), deadlines=deadlines, retries=retries)
    servers = (SOURCE, STAND_IN) if stand_in else (SOURCE,)
    routes = {
        capability: tuple(Route(server=server, tool=tool) for server in servers)
        for capability, tool in FIXINGS.items()
    }
    policy = config.policy.model_copy(update={"sources": servers, "capabilities": routes})
    return config.model_copy(update={"policy": policy})


class Wired(NamedTuple):
    """Two sources as processes, and what the first suffers from."""

    pool: McpPool
    controls: Controls


@dataclass
class FaultyDesk:
    """A desk with a source that can be made to fail."""

    client: Client
    controls: Controls
    config: RunConfig
    asked_before: int
    weeks: int = 0

    @property
    def asked(self) -> int:
        """How many calls of this desk have arrived at the source."""
        return self.controls.asked - self.asked_before

    async def week(self, week: str, fault: Fault | None = None, *, recovers: bool = False) -> None:
        """A week, in which the source suffers from a fault, or did when it was asked first."""
        self.controls.suffer(fault)
        before = self.controls.asked
        run = await start_week(
            self.client, self.config, week=week, run_id=f"weekly-{week}", learn=True
        )
        while recovers and self.controls.asked == before:
            await asyncio.sleep(0.01)
        if recovers:
            self.controls.suffer(None)
        await run.result()
        self.weeks += 1

    async def learned(self) -> LearnedView:
        """All that is known."""
        asked = question_of(self.config.policy, LATER, asked_at=LATER)
        handle = self.client.get_workflow_handle(LEARNING_SYSTEM_ID)
        while True:
            view: LearnedView = await handle.query(Message.LEARNED, asked, result_type=LearnedView)
            if len(view.weeks) == self.weeks:
                return view
            await asyncio.sleep(0.1)

    async def printed(self) -> str:
        """What `desk learn` prints of it, on one line."""
        return " ".join(" ".join(learned_lines(await self.learned())).split())


@asynccontextmanager
async def faulty_pool(directory: Path, opens_after: timedelta = NEVER) -> AsyncIterator[Wired]:
    entries: dict[str, dict[str, Any]] = {
        SOURCE: over_stdio(SERVER, directory / "control"),
        STAND_IN: over_stdio(SERVER, directory / "well"),
    }
    servers = {name: McpServerSpec.model_validate(entry) for name, entry in entries.items()}
    with started_again(SERVER, directory / "control"):
        async with McpPool(
            servers,
            in_process=False,
            project_dir=PROJECT,
            cache_dir=directory,
            opens_after=opens_after,
        ) as pool:
            yield Wired(pool, Controls(directory / "control"))


@pytest.fixture(scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Wired]:
    """A source that can be made to fail, and one that does not, for one desk after the other."""
    async with faulty_pool(tmp_path_factory.mktemp("sources")) as wired:
        yield wired


@asynccontextmanager
async def faulty_desk(
    client: Client, directory: Path, config: RunConfig, wired: Wired
) -> AsyncIterator[FaultyDesk]:
    async with desk_workers(
        client,
        directory,
        analyst=ScriptedAnalyst(script=builtin_turn),
        tools=wired.pool,
        servers=(SOURCE, STAND_IN),
    ):
        yield FaultyDesk(client, wired.controls, config, wired.controls.asked)


def had_of(view: LearnedView, server: str) -> ToolUse:
    """What all agents had of a server's tools together."""
    uses = [use for use in view.tools if use.server == server]
    return ToolUse(
        agent=uses[0].agent,
        server=server,
        tool="any",
        calls=sum(use.calls for use in uses),
        failed=sum(use.failed for use in uses),
        retried=sum(use.retried for use in uses),
    )


async def test_a_source_that_is_late_and_then_in_time_needs_more_time(
    server: Client, tmp_path: Path, shared: Wired
) -> None:
    """Every market is researched: only the tries before the last tell of it. A source that was
    silent is started again: its first answer, on a busy machine, takes more than a second."""
    async with faulty_desk(server, tmp_path, config_of(tries=20, seconds=4), shared) as desk:
        for week in WEEKS[:3]:
            await desk.week(week, Fault.SILENT, recovers=True)
        view, printed = await desk.learned(), await desk.printed()
    had = had_of(view, SOURCE)
    assert (had.failed, {week.researched for week in view.weeks}) == (0, {1})
    assert had.retried >= 3
    assert "tool_retried" in printed and "what went wrong: nothing" not in printed
    assert "raise_timeout:ecb: give every call 8 s" in printed


async def test_a_source_that_hardly_answers_is_avoided_and_comes_second_once_it_answers_more(
    server: Client, tmp_path: Path, shared: Wired
) -> None:
    config = config_of(stand_in=True, pairs=4)
    async with faulty_desk(server, tmp_path, config, shared) as desk:
        for week in WEEKS[1:]:
            await desk.week(week, Fault.ERROR)
        had, printed = had_of(await desk.learned(), SOURCE), await desk.printed()
        asked = desk.asked
        await desk.week(WEEKS[0])
        then = await desk.printed()
    assert had.failed == had.calls == asked >= 20
    assert "avoid_source:ecb: ask ecb after the others for everything" in printed
    assert f"{had.failed} of {had.calls} calls of ecb got no answer" in printed
    assert "raise_timeout" not in printed
    assert "avoid_source" not in then
    assert "prefer_fallback:ecb:quote" in then
    assert "prefer_fallback:ecb:history" in then
    assert "calls of ecb got no answer in the newest 4 weeks, in 3 of them" in then


async def test_a_silent_source_needs_more_time_and_another_beside_it_where_it_is_not_even_asked_too(
    server: Client, tmp_path: Path
) -> None:
    """Nobody could do its tasks: all calls are those of dead letters. A week in which it was not
    asked counts as one that it was late in."""
    config = config_of(seconds=1, pairs=2)
    async with (
        faulty_pool(tmp_path, opens_after=timedelta(0)) as wired,
        faulty_desk(server, tmp_path, config, wired) as desk,
    ):
        for week in WEEKS[:3]:
            await desk.week(week, Fault.SILENT)
        had, printed = had_of(await desk.learned(), SOURCE), await desk.printed()
    assert had.failed == had.calls == 12 > desk.asked
    assert "raise_timeout:ecb: give every call 2 s" in printed
    assert "not answered when the desk stopped waiting in 3 of the newest 3 weeks" in printed
    assert "add_source:ecb: name another source besides ecb" in printed
    assert "12 of 12 calls of ecb got no answer in the newest 3 weeks" in printed
    assert "no other source has quote, history" in printed
    assert "avoid_source" not in printed
