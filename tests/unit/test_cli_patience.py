"""How long a command waits for a server that went away, and what it says when it is stopped."""

import pytest
from temporalio.service import RPCError, RPCStatusCode

from infra.temporal import ServerUnreachable
from starters.desk_session import HOST_PATIENCE_SECONDS, HostPatience

AWAY = ServerUnreachable("nobody there")
UNAVAILABLE = RPCError("nobody there", RPCStatusCode.UNAVAILABLE, b"")


@pytest.mark.parametrize("error", [AWAY, UNAVAILABLE])
def test_a_host_that_never_answers_is_waited_for_and_then_given_up(error: Exception) -> None:
    patience = HostPatience(100.0)
    assert patience.left(error, 100.0 + HOST_PATIENCE_SECONDS - 0.1)
    assert not patience.left(error, 100.0 + HOST_PATIENCE_SECONDS)


@pytest.mark.parametrize("error", [AWAY, UNAVAILABLE])
def test_the_wait_starts_when_the_server_was_last_seen(error: Exception) -> None:
    patience = HostPatience(0.0)
    patience.attempted(connected_at=1.0, ended_at=600.0)
    assert patience.left(error, 600.0)
    assert patience.left(error, 600.0 + HOST_PATIENCE_SECONDS - 0.1)
    assert not patience.left(error, 600.0 + HOST_PATIENCE_SECONDS)


def test_connections_that_are_lost_at_once_do_not_prolong_the_wait() -> None:
    patience = HostPatience(0.0)
    for second in range(20):
        patience.attempted(connected_at=second, ended_at=second + 0.1)
    assert not patience.left(AWAY, 20.0)


def test_an_error_that_is_not_about_the_server_is_not_waited_out() -> None:
    refused = RPCError("no such namespace", RPCStatusCode.NOT_FOUND, b"")
    assert not HostPatience(0.0).left(refused, 0.0)
    assert not HostPatience(0.0).left(ValueError("a bug"), 0.0)
