"""`desk worker` when the server goes away while it starts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

from starters.operations.up import serve
from starters.terminal.exit_status import ExitStatus
from workers.hosting import Role

LOST = "Worker validation failed: failed to get namespace info: connection refused"
"""The SDK's words for a server that was killed between the connection and the first poll."""


def fail_to_start(times: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Has a worker of this process fail to start so many times; returns the list of its starts."""
    starts: list[int] = []

    async def connect(*_: object, **__: object) -> SimpleNamespace:
        config = SimpleNamespace(target_host="127.0.0.1:7233")
        return SimpleNamespace(service_client=SimpleNamespace(config=config))

    @asynccontextmanager
    async def hosted(*_: object) -> AsyncIterator[SimpleNamespace]:
        starts.append(len(starts))
        if len(starts) <= times:
            raise RuntimeError(LOST)
        yield SimpleNamespace(finish=finished)

    async def finished(*_: object) -> None:
        return None

    async def stopped() -> ExitStatus:
        return ExitStatus.COMPLETE

    monkeypatch.setattr(serve, "connect", connect)
    monkeypatch.setattr(serve, "hosted", hosted)
    monkeypatch.setattr(serve, "until_stop_signal", stopped)
    monkeypatch.setattr(serve, "FIRST_PAUSE_SECONDS", 0)
    monkeypatch.setattr(serve, "freeze_loaded_objects", lambda: None)
    return starts


def test_a_worker_starts_again_if_the_server_was_killed_meanwhile_and_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    starts = fail_to_start(2, monkeypatch)
    assert serve.stay_as(Role.RESEARCH) is ExitStatus.COMPLETE
    assert len(starts) == 3


def test_a_worker_that_never_starts_ends_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = fail_to_start(serve.MOST_FAILED_STARTS, monkeypatch)
    with pytest.raises(RuntimeError, match="Worker validation failed"):
        serve.stay_as(Role.RESEARCH)
    assert len(starts) == serve.MOST_FAILED_STARTS
