"""Determines when a source is asked again for a fixing that it did not give."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from desk.contracts.learning.record import MOST_PAUSES, FixingPause

FIRST_PAUSE: Final = timedelta(minutes=1)
LONGEST_PAUSE: Final = timedelta(days=1)

MOST_REFUSALS: Final = 10
REFUSED_FOR: Final = timedelta(days=14)
"""A fixing is given up after `MOST_REFUSALS` refusals over at least this time."""

_Key = tuple[str, str | None, datetime | None]


class Fixed(NamedTuple):
    """A fixing by its market and instant. It scores every forecast of that market due then."""

    due: datetime
    server: str
    market: str


class FixingPauses:
    """A pause for each fixing that was not available, and one for each server that did not answer.

    Each is twice as long as the one before, up to a day, until there is an answer.
    """

    def __init__(self, carried: Iterable[FixingPause] = ()) -> None:
        self._pauses = {_key(pause): pause for pause in carried}

    def is_paused(self, fixed: Fixed) -> bool:
        """Returns whether a request for the fixing, or to its server, has failed."""
        return fixed.server in self._away() or self._of(fixed) is not None

    def until(self, fixed: Fixed, now: datetime) -> datetime:
        """Returns from when on it may be requested."""
        held = (self._of(fixed), self._pauses.get((fixed.server, None, None)))
        return max((pause.until for pause in held if pause is not None), default=now)

    def tries(self, fixed: Fixed) -> int:
        """Returns how often a request for a fixing has failed."""
        pause = self._of(fixed)
        return pause.tries if pause else 0

    def was_refused(self, fixed: Fixed) -> bool:
        """Returns whether the source has refused it."""
        pause = self._of(fixed)
        return pause is not None and pause.refused > 0

    def hold(self, fixed: Fixed, now: datetime, *, refused: bool) -> FixingPause:
        """Starts a pause for a fixing, or a longer one if it had one."""
        return self._hold((fixed.server, fixed.market, fixed.due), now, refused=refused)

    def hold_server(self, server: str, now: datetime) -> None:
        """Starts a pause for all requests to a server, or a longer one."""
        self._hold((server, None, None), now, refused=False)

    def release(self, fixed: Fixed) -> None:
        """Ends the pause of a fixing that is no longer needed."""
        self._pauses.pop((fixed.server, fixed.market, fixed.due), None)

    def release_server(self, server: str) -> None:
        """Ends the pause of a server that has answered."""
        self._pauses.pop((server, None, None), None)

    def carried(self, waiting: Sequence[Fixed]) -> tuple[FixingPause, ...]:
        """Returns the pauses that matter to the fixings that are still open, those of servers
        first."""
        servers = sorted({fixed.server for fixed in waiting} & self._away())
        kept = [self._pauses[server, None, None] for server in servers]
        kept += [pause for fixed in waiting if (pause := self._of(fixed)) is not None]
        return tuple(kept[:MOST_PAUSES])

    def _away(self) -> set[str]:
        return {server for server, market, _ in self._pauses if market is None}

    def _of(self, fixed: Fixed) -> FixingPause | None:
        return self._pauses.get((fixed.server, fixed.market, fixed.due))

    def _hold(self, key: _Key, now: datetime, *, refused: bool) -> FixingPause:
        server, market, due = key
        before = self._pauses.get(key)
        length = min(2 * before.length, LONGEST_PAUSE) if before else FIRST_PAUSE
        counts_anew = before is None or (refused and not before.refused)
        pause = FixingPause(
            server=server,
            market=market,
            due=due,
            since=now if counts_anew or before is None else before.since,
            until=now + length,
            length=length,
            tries=(before.tries if before else 0) + 1,
            refused=(before.refused if before else 0) + refused,
        )
        self._pauses[key] = pause
        return pause


def is_given_up(pause: FixingPause, now: datetime) -> bool:
    """Returns whether a source has refused often enough, and for long enough, to give the fixing
    up."""
    return pause.refused >= MOST_REFUSALS and now - pause.since >= REFUSED_FOR


def _key(pause: FixingPause) -> _Key:
    return pause.server, pause.market, pause.due
