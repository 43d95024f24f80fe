"""How long a command or a worker waits for a Temporal server that is away, and what it says."""

import time
from collections.abc import Callable
from typing import Final

from desk.platform.settings import Settings

SERVER_PATIENCE_SECONDS: Final = 300.0
"""How long a command waits for a server that went away."""

QUIET_SECONDS: Final = 1.0
"""A server that is away for less is not worth a line."""

SETTLING_SECONDS: Final = 30.0
"""So long a server that has come back may refuse what it will allow: its namespace comes last."""

FIRST_PAUSE_SECONDS: Final = 0.1
LONGEST_PAUSE_SECONDS: Final = 2.0


class ServerPatience:
    """Counts how long a server has been away since it answered last. Times are in seconds.

    `tell` hears a sentence when a wait begins, and None when it is over. Without a `limit` the wait
    has no end. `at_first` says that a server is waited for that has never answered yet.
    """

    def __init__(
        self,
        settings: Settings,
        tell: Callable[[str | None], None],
        *,
        limit: float | None = SERVER_PATIENCE_SECONDS,
        at_first: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._tell = tell
        self._limit = limit
        self._clock = clock
        self._seen_at = clock() if at_first else None
        self._away_at: float | None = None
        self._pause = FIRST_PAUSE_SECONDS
        self._told = False

    def answered(self) -> None:
        """The server answers."""
        self._seen_at, self._away_at = self._clock(), None
        self._pause = FIRST_PAUSE_SECONDS
        if self._told:
            self._told = False
            self._tell(None)

    def bear(self, error: Exception) -> float:
        """How long to pause before the next try, longer from try to try.

        Raises:
            ServerUnreachable: the server has been away for too long.
            Exception: the error itself, which does not say that the server is away.
        """
        # Imported when there is an error: it takes as long as a server takes to start.
        from desk.platform.temporal.client import ServerUnreachable, server_name

        now, server = self._clock(), server_name(self._settings)
        if self._seen_at is None or not self._is_away(error, now):
            raise error
        waited = now - self._seen_at
        if self._limit is not None and waited >= self._limit:
            raise ServerUnreachable(
                f"{server} has been away for {waited:.0f} s ({error}); what is under way goes "
                "on when it is back, and the same command comes back to it"
            ) from None
        if not self._told and waited >= QUIET_SECONDS:
            self._told = True
            self._tell(f"{server} does not answer; waiting for it")
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST_PAUSE_SECONDS)
        return pause

    def _is_away(self, error: Exception, now: float) -> bool:
        from temporalio.service import RPCError

        if _server_is_away(error):
            self._away_at = now
            return True
        settling = self._away_at is not None and now - self._away_at < SETTLING_SECONDS
        return settling and isinstance(error, RPCError)


def _server_is_away(error: Exception) -> bool:
    from temporalio.service import RPCError, RPCStatusCode

    from desk.platform.temporal.client import ServerUnreachable

    if isinstance(error, RPCError):
        return error.status in (
            RPCStatusCode.UNAVAILABLE,
            RPCStatusCode.DEADLINE_EXCEEDED,
            RPCStatusCode.CANCELLED,
            RPCStatusCode.RESOURCE_EXHAUSTED,
        )
    return isinstance(error, ServerUnreachable)
