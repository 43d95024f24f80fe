"""Sources that fail on the wire, over stdio and HTTP: how that is told, and what it spares."""

import asyncio
import resource
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import psutil
import pytest

from desk.contracts.names import CallFault
from desk.platform.mcp.circuit import FAILURES
from desk.platform.mcp.pool import McpPool
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer, ToolUnreachable
from desk.platform.settings.mcp_json import McpServerSpec
from tests.support.processes.forks import Fork
from tests.support.processes.homes import PROJECT
from tests.support.sources.faulty_source import (
    Controls,
    Fault,
    over_http,
    over_stdio,
    started_again,
)

SERVER: Final = "desk.sources.ecb.server"
AS_OF: Final = "2026-11-02T07:00:00+00:00"
LONG, SHORT = 60.0, 1.0
"""Seconds that a call waits: far more than an answer takes, and not for one that never comes."""

MOST_GROWTH: Final = 60 * 2**20
"""Bytes that a process may grow by while it turns down an answer of 50 MB."""

SAID: Final = {
    ("stdio", Fault.RESET): CallFault.RESET,
    ("stdio", Fault.HALF): CallFault.RESET,
    ("stdio", Fault.SILENT): CallFault.TIMEOUT,
    ("stdio", Fault.SLOW): CallFault.TIMEOUT,
    ("stdio", Fault.MALFORMED): CallFault.MALFORMED,
    ("stdio", Fault.GARBAGE): CallFault.TIMEOUT,
    ("stdio", Fault.HUGE): CallFault.TOO_LARGE,
    ("stdio", Fault.ERROR): CallFault.SERVER_ERROR,
    ("stdio", Fault.PACKED): CallFault.TIMEOUT,
    ("http", Fault.RESET): CallFault.RESET,
    ("http", Fault.HALF): CallFault.RESET,
    ("http", Fault.SILENT): CallFault.TIMEOUT,
    ("http", Fault.SLOW): CallFault.TIMEOUT,
    ("http", Fault.MALFORMED): CallFault.MALFORMED,
    ("http", Fault.GARBAGE): CallFault.MALFORMED,
    ("http", Fault.HUGE): CallFault.TOO_LARGE,
    ("http", Fault.ERROR): CallFault.SERVER_ERROR,
    ("http", Fault.PACKED): CallFault.MALFORMED,
}
"""Of a line that is no message nobody can say which call it answers."""

UNREADABLE: Final = (Fault.MALFORMED, Fault.HUGE)
"""Answers that cannot be read cost no connection."""


class Wired(NamedTuple):
    """The source, as its entry in `.mcp.json` and what it suffers from, and a pool that asks it."""

    entry: dict[str, Any]
    controls: Controls
    pool: McpPool


@pytest.fixture(scope="module", params=["stdio", "http"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
async def shared(way: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Wired]:
    control = tmp_path_factory.mktemp(way) / "control"
    with ExitStack() as stack:
        if way == "stdio":
            stack.enter_context(started_again(SERVER, control))
            entry = over_stdio(SERVER, control)
        else:
            entry = stack.enter_context(over_http(SERVER, control))
        async with pool_of(entry) as pool:
            yield Wired(entry, Controls(control), pool)


@pytest.fixture
def wired(shared: Wired) -> Wired:
    """One source and one pool for all tests; each finds the source well."""
    shared.controls.suffer(None)
    return shared


@asynccontextmanager
async def pool_of(
    entry: dict[str, Any], opens_after: timedelta = timedelta(hours=1), **more: Any
) -> AsyncIterator[McpPool]:
    async with McpPool(
        {"ecb": McpServerSpec.model_validate(entry | more)},
        in_process=False,
        project_dir=PROJECT,
        cache_dir=PROJECT,
        opens_after=opens_after,
    ) as pool:
        yield pool


async def ask(pool: McpPool, seconds: float = LONG) -> ToolAnswer:
    arguments = {"symbol": "USD/JPY", "as_of": AS_OF}
    return await pool.call(ServerCall("ecb", "get_quote", arguments, "test", seconds))


@pytest.mark.parametrize("fault", list(Fault))
async def test_each_fault_is_told_by_its_kind_and_the_source_is_used_again_after_it(
    way: str, fault: Fault, wired: Wired
) -> None:
    expected = SAID[way, fault]
    sound = await ask(wired.pool)
    before = children()
    wired.controls.suffer(fault)
    with pytest.raises(ToolUnreachable) as caught:
        await ask(wired.pool, SHORT if expected is CallFault.TIMEOUT else LONG)
    assert caught.value.fault is expected
    assert caught.value.lasting == (expected is CallFault.TOO_LARGE)
    wired.controls.suffer(None)
    assert await ask(wired.pool) == sound
    assert not (fault in UNREADABLE and children() - before), "the connection was given up"


async def test_a_call_beside_one_whose_answer_is_too_large_is_answered(wired: Wired) -> None:
    pool, controls = wired.pool, wired.controls
    await ask(pool)
    before = controls.asked
    controls.suffer(Fault.HUGE)
    large = asyncio.create_task(ask(pool))
    async with asyncio.timeout(LONG):
        while controls.asked == before:
            await asyncio.sleep(0.01)
    controls.suffer(None)
    assert (await ask(pool)).content
    with pytest.raises(ToolUnreachable, match="bytes"):
        await large


async def test_a_source_that_keeps_failing_is_not_asked_until_it_answers_again(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desk.platform.mcp.circuit.FIRST_PAUSE", timedelta(seconds=2))
    controls = wired.controls
    async with pool_of(wired.entry, opens_after=timedelta(0)) as pool:
        sound = await ask(pool)
        controls.suffer(Fault.MALFORMED)
        for _ in range(FAILURES):
            with pytest.raises(ToolUnreachable) as caught:
                await ask(pool)
            assert caught.value.fault is CallFault.MALFORMED
        asked = controls.asked
        with pytest.raises(ToolUnreachable, match="circuit open since") as caught:
            await ask(pool)
        assert caught.value.fault is CallFault.CIRCUIT_OPEN
        with pytest.raises(ToolUnreachable, match="circuit open since"):
            await pool.tools("ecb", timeout_seconds=LONG)
        assert controls.asked == asked
        controls.suffer(None)
        assert await answered_again(pool) == sound


async def answered_again(pool: McpPool) -> ToolAnswer:
    """The first answer after the circuit let a call through."""
    async with asyncio.timeout(LONG):
        while True:
            try:
                return await ask(pool)
            except ToolUnreachable as error:
                assert error.fault is CallFault.CIRCUIT_OPEN
                await asyncio.sleep(0.05)


async def test_how_much_is_read_of_an_answer_stands_in_its_entry(wired: Wired) -> None:
    async with pool_of(wired.entry, maxAnswerBytes=1_024) as pool:
        with pytest.raises(ToolUnreachable, match="1024") as caught:
            await ask(pool)
        assert caught.value.fault is CallFault.TOO_LARGE


async def test_an_answer_that_is_too_large_takes_no_memory(wired: Wired, tmp_path: Path) -> None:
    grown = tmp_path / "grown"
    process = Fork(_measure, wired.entry, wired.controls.path, grown)
    assert await asyncio.to_thread(process.wait, LONG) == 0
    assert int(grown.read_text()) < MOST_GROWTH


def children() -> set[int]:
    """The processes of stdio servers, which are this one's."""
    return {child.pid for child in psutil.Process().children()}


def _measure(entry: dict[str, Any], controls: Path, grown: Path) -> None:
    """In a process of its own, write down by how much it grew."""
    grown.write_text(str(asyncio.run(_growth(entry, Controls(controls)))))


async def _growth(entry: dict[str, Any], controls: Controls) -> int:
    """The bytes by which this process grows over calls whose answers are too large."""
    async with pool_of(entry) as pool:
        await ask(pool)
        before = _peak()
        controls.suffer(Fault.HUGE)
        for _ in range(2):
            with pytest.raises(ToolUnreachable, match="bytes"):
                await ask(pool)
    return _peak() - before


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1_024
