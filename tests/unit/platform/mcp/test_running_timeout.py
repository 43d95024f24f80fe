"""Timeouts that do not count the time for which the process was stopped."""

import asyncio

import pytest

from desk.platform.mcp.running_timeout import running_timeout

STEP = 0.25
"""How far the clock of a running process goes on at a time, in seconds."""

TURNS = 4
"""How often the event loop then turns: timers are called, and the task is cancelled."""

STOPPED = 1_000.0


class Clock:
    """The time of the event loop, which goes on only when it is told to."""

    def __init__(self) -> None:
        self._now = 0.0

    def time(self) -> float:
        return self._now

    async def pass_by(self, seconds: float) -> None:
        self._now += seconds
        for _ in range(TURNS):
            await asyncio.sleep(0)

    async def run(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            await self.pass_by(STEP)


@pytest.fixture
async def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(asyncio.get_running_loop(), "time", clock.time)
    return clock


@pytest.mark.parametrize("seconds", [0.5, 1.0, 3.0, 3.5])
async def test_a_process_that_runs_has_the_seconds_of_its_timeout(
    seconds: float, clock: Clock
) -> None:
    with pytest.raises(TimeoutError):
        async with running_timeout(seconds) as timeout:
            await clock.run(seconds - STEP)
            assert not timeout.expired()
            await clock.run(STEP)
            pytest.fail("it did not expire")


@pytest.mark.parametrize(
    ("seconds", "before"), [(3.0, 0.25), (3.0, 1.5), (3.0, 2.5), (3.0, 2.75), (0.5, 0.25)]
)
async def test_a_stopped_process_gets_the_rest_of_its_timeout_afterwards(
    seconds: float, before: float, clock: Clock
) -> None:
    async with running_timeout(seconds) as timeout:
        await clock.run(before)
        await clock.pass_by(STOPPED)
        await clock.run(seconds - before - STEP)
        assert not timeout.expired()


@pytest.mark.parametrize("seconds", [0.5, 3.0])
async def test_a_timeout_expires_also_after_a_stop(seconds: float, clock: Clock) -> None:
    with pytest.raises(TimeoutError):
        async with running_timeout(seconds):
            await clock.run(seconds - STEP)
            await clock.pass_by(STOPPED)
            await clock.run(seconds)
            pytest.fail("it did not expire")


async def test_a_timeout_that_is_over_in_time_does_nothing_later(clock: Clock) -> None:
    async with running_timeout(1.0) as timeout:
        pass
    await clock.run(3.0)
    assert not timeout.expired()
