"""How long a command waits for a server that went away, and what it says of it."""

from pathlib import Path
from typing import cast

import pytest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from desk.platform.settings import Settings
from desk.platform.temporal.client import ServerUnreachable
from starters.session import (
    FIRST_PAUSE_SECONDS,
    LONGEST_PAUSE_SECONDS,
    QUIET_SECONDS,
    SERVER_PATIENCE_SECONDS,
    SETTLING_SECONDS,
    Desk,
    ServerOutage,
    Work,
    with_desk,
)
from tests.support.processes.homes import home_settings

AWAY = ServerUnreachable("nobody there")
UNAVAILABLE = RPCError("nobody there", RPCStatusCode.UNAVAILABLE, b"")
NO_NAMESPACE = RPCError("no such namespace", RPCStatusCode.NOT_FOUND, b"")
OTHERS = home_settings(Path("unused"), TEMPORAL_ADDRESS="temporal:7233")


class Waiting:
    """A patience, at a time that the test sets, and what it has said."""

    def __init__(self, limit: float | None = SERVER_PATIENCE_SECONDS, *, at_first: bool = True):
        self.now = 0.0
        self.said: list[str | None] = []
        self.patience = ServerOutage(
            OTHERS, self.said.append, limit=limit, at_first=at_first, clock=lambda: self.now
        )

    def bear(self, error: Exception, at: float) -> float:
        """The pause after an error at a time."""
        self.now = at
        return self.patience.bear(error)

    def answered(self, at: float) -> None:
        """The server answers at a time."""
        self.now = at
        self.patience.answered()


@pytest.mark.parametrize("error", [AWAY, UNAVAILABLE])
def test_a_server_is_given_up_for_that_has_been_away_since_it_was_last_seen(
    error: Exception,
) -> None:
    waiting = Waiting()
    waiting.answered(at=600.0)
    waiting.bear(error, at=600.0 + SERVER_PATIENCE_SECONDS - 0.1)
    with pytest.raises(ServerUnreachable, match=r"at temporal:7233 has been away for 300 s"):
        waiting.bear(error, at=600.0 + SERVER_PATIENCE_SECONDS)


def test_a_wait_without_a_limit_goes_on() -> None:
    waiting = Waiting(limit=None)
    assert waiting.bear(AWAY, at=1e9)


def test_a_wait_is_said_once_when_it_begins_and_once_when_it_is_over() -> None:
    waiting = Waiting()
    for tenth in range(40):
        waiting.bear(AWAY, at=tenth * 0.1)
    begun = "the Temporal server at temporal:7233 does not answer; waiting for it"
    assert waiting.said == [begun]
    waiting.answered(at=5.0)
    waiting.answered(at=6.0)
    assert waiting.said == [begun, None]


def test_a_server_that_is_away_for_a_moment_is_not_told_of() -> None:
    waiting = Waiting()
    waiting.bear(AWAY, at=QUIET_SECONDS / 2)
    waiting.answered(at=QUIET_SECONDS)
    assert waiting.said == []


def test_pauses_grow_and_begin_anew_once_the_server_has_answered() -> None:
    waiting = Waiting()
    pauses = [waiting.bear(AWAY, at=0.0) for _ in range(8)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
    waiting.answered(at=1.0)
    assert waiting.bear(AWAY, at=1.0) == FIRST_PAUSE_SECONDS


def test_what_a_server_refuses_is_not_waited_out_unless_it_has_just_come_back() -> None:
    waiting = Waiting()
    for refused in (NO_NAMESPACE, ValueError("a bug")):
        with pytest.raises(type(refused)):
            waiting.bear(refused, at=0.0)
    waiting.bear(AWAY, at=1.0)
    assert waiting.bear(NO_NAMESPACE, at=2.0)
    with pytest.raises(ValueError, match="a bug"):
        waiting.bear(ValueError("a bug"), at=2.0)
    with pytest.raises(RPCError):
        waiting.bear(NO_NAMESPACE, at=1.0 + SETTLING_SECONDS)


def test_a_server_that_has_never_answered_is_not_waited_for_unless_it_is_to_be() -> None:
    waiting = Waiting(at_first=False)
    with pytest.raises(ServerUnreachable):
        waiting.bear(AWAY, at=0.0)
    waiting.answered(at=1.0)
    assert waiting.bear(AWAY, at=2.0)


async def test_work_is_done_again_where_a_server_that_this_process_hosts_was_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = home_settings(tmp_path)
    silent = [RPCError("Timeout expired", RPCStatusCode.DEADLINE_EXCEEDED, b"")]

    async def hosting(_settings: Settings, work: Work[str], _roles: object, *, finish: bool) -> str:
        return await work(Desk(cast(Client, None), settings, hosting=True))

    async def work(_desk: Desk) -> str:
        if silent:
            raise silent.pop()
        return "done"

    monkeypatch.setattr("starters.session.host", hosting)
    assert await with_desk(settings, work) == "done"
