"""A source that keeps failing is not asked, and is asked again once it answers."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

import pytest

from desk.contracts.agents.config import RetryConfig
from desk.contracts.names import CallFault
from desk.platform.mcp.circuit import FAILURES, FIRST_PAUSE, LONGEST_PAUSE, Circuit, outlasting
from desk.platform.mcp.tool_calling import ToolUnreachable

OPENS_AFTER = 6.0
PAUSE = FIRST_PAUSE.total_seconds()


@dataclass
class Clock:
    """A clock that is set by hand."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def circuit(clock: Clock) -> Circuit:
    return Circuit("ecb", timedelta(seconds=OPENS_AFTER), clock)


async def answered(circuit: Circuit) -> None:
    async with circuit.call():
        pass


async def fail(
    circuit: Circuit, fault: CallFault = CallFault.RESET, after: timedelta | None = None
) -> ToolUnreachable:
    """What comes of a call that fails, or is not made."""
    with pytest.raises(ToolUnreachable) as caught:
        async with circuit.call():
            raise ToolUnreachable("no answer", fault=fault, after=after)
    return caught.value


async def is_open(circuit: Circuit) -> bool:
    try:
        await answered(circuit)
    except ToolUnreachable as error:
        return error.fault is CallFault.CIRCUIT_OPEN
    return False


async def opened(circuit: Circuit, clock: Clock) -> None:
    for _ in range(FAILURES):
        await fail(circuit)
        clock.now += OPENS_AFTER / (FAILURES - 1)
    clock.now -= OPENS_AFTER / (FAILURES - 1)


async def test_after_failures_in_a_row_for_a_time_calls_fail_at_once(
    circuit: Circuit, clock: Clock
) -> None:
    await opened(circuit, clock)
    refused = await fail(circuit)
    assert refused.fault is CallFault.CIRCUIT_OPEN
    assert refused.lasting
    assert refused.circuit is not None
    assert (refused.circuit.server, refused.circuit.fault) == ("ecb", CallFault.RESET)
    assert refused.circuit.next_try - refused.circuit.since >= FIRST_PAUSE - timedelta(seconds=1)
    assert "circuit open since" in str(refused)
    assert "the last: no answer;" in str(refused)
    assert "next try at" in str(refused)


async def test_failures_within_a_moment_are_those_of_a_restart(circuit: Circuit) -> None:
    for _ in range(10 * FAILURES):
        await fail(circuit)
    assert not await is_open(circuit)


async def test_an_answer_among_them_begins_the_count_anew(circuit: Circuit, clock: Clock) -> None:
    await fail(circuit)
    await fail(circuit)
    clock.now += OPENS_AFTER
    await answered(circuit)
    await fail(circuit)
    assert not await is_open(circuit)


async def test_calls_that_began_together_and_were_long_in_failing_are_enough(
    circuit: Circuit, clock: Clock
) -> None:
    silent = asyncio.Event()

    async def slow() -> None:
        async with circuit.call():
            await silent.wait()
            raise ToolUnreachable("no answer", fault=CallFault.TIMEOUT)

    calls = [asyncio.create_task(slow()) for _ in range(FAILURES)]
    await asyncio.sleep(0)
    clock.now += OPENS_AFTER
    silent.set()
    await asyncio.gather(*calls, return_exceptions=True)
    assert await is_open(circuit)


async def test_a_source_that_says_when_to_ask_again_is_there(
    circuit: Circuit, clock: Clock
) -> None:
    for _ in range(FAILURES):
        await fail(circuit, CallFault.SERVER_ERROR, timedelta(seconds=2))
        clock.now += OPENS_AFTER
    assert not await is_open(circuit)


async def test_what_cannot_be_built_is_told_each_time_as_what_it_is(
    circuit: Circuit, clock: Clock
) -> None:
    for _ in range(2 * FAILURES):
        failed = await fail(circuit, CallFault.MISCONFIGURED)
        assert failed.lasting
        clock.now += OPENS_AFTER
    assert not await is_open(circuit)


async def test_after_its_pause_one_call_tries_and_an_answer_closes_it(
    circuit: Circuit, clock: Clock
) -> None:
    await opened(circuit, clock)
    clock.now += PAUSE
    assert not await is_open(circuit)
    for _ in range(FAILURES):
        await answered(circuit)


async def test_while_it_fails_each_pause_is_twice_the_last_up_to_a_bound(
    circuit: Circuit, clock: Clock
) -> None:
    await opened(circuit, clock)
    pause = PAUSE
    for _ in range(8):
        clock.now += pause - 0.01
        assert (await fail(circuit)).fault is CallFault.CIRCUIT_OPEN
        clock.now += 0.01
        assert (await fail(circuit)).fault is CallFault.RESET
        pause = min(2 * pause, LONGEST_PAUSE.total_seconds())


async def test_one_call_tries_and_those_beside_it_take_its_answer_for_theirs(
    circuit: Circuit, clock: Clock
) -> None:
    await opened(circuit, clock)
    clock.now += PAUSE
    began, answer = asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        async with circuit.call():
            began.set()
            await answer.wait()

    first = asyncio.create_task(slow())
    await began.wait()
    beside = [asyncio.create_task(answered(circuit)) for _ in range(5)]
    await asyncio.sleep(0)
    assert not any(call.done() for call in beside)
    answer.set()
    assert await asyncio.gather(first, *beside, return_exceptions=True) == [None] * 6


async def test_a_call_that_tries_and_is_cancelled_leaves_the_next_to_try(
    circuit: Circuit, clock: Clock
) -> None:
    await opened(circuit, clock)
    clock.now += PAUSE
    began = asyncio.Event()

    async def endless() -> None:
        async with circuit.call():
            began.set()
            await asyncio.Event().wait()

    trying = asyncio.create_task(endless())
    await began.wait()
    trying.cancel()
    await asyncio.gather(trying, return_exceptions=True)
    assert not await is_open(circuit)


async def test_those_that_wait_for_a_silent_source_do_not_wait_long(
    circuit: Circuit, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desk.platform.mcp.circuit.WAIT_SECONDS", 0.01)
    await opened(circuit, clock)
    clock.now += PAUSE
    began = asyncio.Event()

    async def silent() -> None:
        async with circuit.call():
            began.set()
            await asyncio.Event().wait()

    trying = asyncio.create_task(silent())
    await began.wait()
    assert await is_open(circuit)
    trying.cancel()


def test_a_circuit_outlasts_the_tries_of_one_call() -> None:
    retries = RetryConfig(max_attempts=6, first_pause=timedelta(milliseconds=200))
    assert outlasting(retries, timedelta(minutes=1)) == timedelta(seconds=6.2)
    patient = retries.model_copy(update={"max_attempts": 20})
    assert outlasting(patient, timedelta(minutes=1)) == timedelta(minutes=1)
