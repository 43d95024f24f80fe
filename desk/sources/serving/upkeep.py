"""Keeps a server's files current while it serves: one refresh for all callers, with a short wait.

Calls wait for a refresh for a while, and are then answered from the existing copy. A later download
is set aside until the next refresh is due or the next process starts, so that the answers to one
run are from one state of the file.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext

from desk.sources.serving.kept_file import (
    FAILURE_CACHE_SECONDS,
    KeptFile,
    has_copy,
    recent_failure,
    refresh,
    use_late_download,
)

PATIENCE_SECONDS = 2.2
"""How long a call waits for a refresh: most take less, and without a network none succeeds."""

REPLACING_SECONDS = 1.0
"""How long a call waits beyond that for a file that is being replaced."""

_TOOL_CALL = "tools/call"
_LOG = logging.getLogger(__name__)


LOGGED_FAILURES: set[Path] = set()
"""The files whose failure this process has logged as a warning: it may build a server several
times."""


class _Failure(NamedTuple):
    """Why the copy of a source is not current. `held` says whether there is an earlier copy."""

    source: str
    reason: str
    path: Path
    held: bool


class Upkeep:
    """Refreshes the files of a server when they are due, concurrently, once for all calls.

    A file is due when the server starts, and again at the first request after `refresh_every`,
    unless another process has refreshed it within that time, or has failed to within the last
    minute. If a refresh fails, the existing copy remains in use. Concurrent failures are logged as
    one line, a warning the first time in a process.
    """

    def __init__(
        self,
        files: Sequence[KeptFile],
        cache_dir: Path,
        refresh_every: timedelta,
        *,
        clock: Callable[[], float] = time.monotonic,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        """`clock` returns seconds that never run backwards."""
        self._files = tuple(_FileUpkeep(each, cache_dir, refresh_every, clock) for each in files)
        self._clock = clock
        self._patience_seconds = patience_seconds
        self._waited_for_until = clock()
        self._failed: list[_Failure] = []

    async def before_request(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Middleware of a server: starts due refreshes at its first request, which comes as it
        starts. Tool calls wait for them."""
        if ctx.method == _TOOL_CALL:
            await self.ensure_fresh()
        else:
            self.start()
        return await call_next(ctx)

    def start(self) -> None:
        """Starts the refreshes that are due, without waiting. Needs a running event loop."""
        until = self._clock() + self._patience_seconds
        begun = [file for file in self._files if file.start(until, self._ended)]
        if begun:
            self._waited_for_until = until

    async def ensure_fresh(self) -> None:
        """Refreshes what is due, or waits for the refresh in flight, but not for long.

        A failure raises nothing. A slow refresh ends in the background; its download is set aside,
        and calls are answered from the existing copy.
        """
        self.start()
        running = {file.running for file in self._files if file.running is not None}
        if running:
            # A cancelled caller must not cancel the refresh for the others.
            patience = max(self._waited_for_until - self._clock(), 0.0)
            _, late = await asyncio.wait(running, timeout=patience)
            if replacing := late & {file.running for file in self._files if file.replacing}:
                await asyncio.wait(replacing, timeout=REPLACING_SECONDS)

    def _ended(self, failure: _Failure | None) -> None:
        """Records the end of one file's refresh. Once all have ended, logs their failures."""
        if failure is not None:
            self._failed.append(failure)
        if self._failed and not any(file.busy for file in self._files):
            fresh = {failed.path for failed in self._failed} - LOGGED_FAILURES
            LOGGED_FAILURES.update(fresh)
            level = logging.WARNING if fresh else logging.DEBUG
            _LOG.log(level, "%s", _failure_words(self._failed, len(self._files)))
            self._failed = []


def _failure_words(failed: Sequence[_Failure], of: int) -> str:
    """One line on the files that could not be refreshed, of so many: the first, how many more, and
    what to do."""
    first, *others = failed
    more = f" and {len(others)} more" if others else ""
    absent = sum(not each.held for each in failed)
    if not absent:
        answers = "what there was before is used"
    elif absent == len(failed):
        answers = "there is nothing from before"
    else:
        answers = f"of {absent} there is nothing from before"
    hints = ["`desk refresh` tells of each"] if others else []
    if len(failed) == of:
        hints.append("where there is no network, DESK_OFFLINE=1 keeps the desk from trying")
    what_to_do = f" ({'; '.join(hints)})" if hints else ""
    return (
        f"{first.source}{more} could not be refreshed; {answers}:"
        f" {' '.join(first.reason.split())}{what_to_do}"
    )


class _FileUpkeep:
    """The upkeep of one file."""

    def __init__(
        self,
        kept: KeptFile,
        cache_dir: Path,
        refresh_every: timedelta,
        clock: Callable[[], float],
    ) -> None:
        self._kept = kept
        self._cache_dir = cache_dir
        self._every_seconds = refresh_every.total_seconds()
        self._clock = clock
        self._not_before = clock()
        self._until = clock()
        self.busy = False
        self.running: asyncio.Task[None] | None = None
        self.replacing = False

    def start(self, until: float, ended: Callable[[_Failure | None], None]) -> bool:
        """Starts a refresh if it is due and none is in flight. Returns whether it did. It may
        replace the file until an instant of the clock; `ended` is called with its failure, if
        any."""
        if self.busy or self._clock() < self._not_before:
            return False
        self._until = until
        self.busy = True
        self.running = asyncio.create_task(self._keep_up(ended))
        return True

    def _in_time(self) -> bool:
        self.replacing = self._clock() < self._until
        return self.replacing

    async def _keep_up(self, ended: Callable[[_Failure | None], None]) -> None:
        reason: str | None = None
        try:
            reason = await self._kept_up()
        finally:
            self.busy = False
            ended(self._failure(reason) if reason else None)

    def _failure(self, reason: str) -> _Failure:
        kept = self._kept
        held = has_copy(kept, self._cache_dir)
        return _Failure(kept.source, reason, kept.path(self._cache_dir), held)

    async def _kept_up(self) -> str | None:
        """Why the copy is not current. None if it is, or if it is recent."""
        self.replacing = True
        await asyncio.to_thread(use_late_download, self._kept, self._cache_dir)
        self.replacing = False
        failed = recent_failure(self._kept, self._cache_dir)
        if failed is not None:
            ago, reason = failed
            self._not_before = self._clock() + FAILURE_CACHE_SECONDS - ago
            return reason
        pause, failure = self._seconds_left(), None
        if pause <= 0:
            failure = await self._refresh()
            pause = max(self._every_seconds, FAILURE_CACHE_SECONDS if failure else 0.0)
        self._not_before = self._clock() + pause
        return failure

    def _seconds_left(self) -> float:
        """How long the cached copy remains valid, by its modification time."""
        try:
            written = self._kept.path(self._cache_dir).stat().st_mtime
        except OSError:
            return 0.0
        age = time.time() - written
        return self._every_seconds - age if age >= 0 else 0.0

    async def _refresh(self) -> str | None:
        """Why the copy is not current. None if it is."""
        kept = self._kept
        try:
            async with asyncio.timeout(kept.timeout_seconds):
                outcome = await asyncio.to_thread(
                    refresh, kept, self._cache_dir, in_time=self._in_time
                )
        except TimeoutError:
            return f"{kept.url}: not done within {kept.timeout_seconds:g} seconds"
        except Exception as error:
            # Such as a proxy setting that the client refuses, which must not prevent an answer.
            return f"{kept.url}: {error!r}"
        return None if outcome.succeeded else outcome.reason


def upkeep_of(
    files: Sequence[KeptFile], cache_dir: Path | None, refresh_every: timedelta | None
) -> list[ServerMiddleware[Any]]:
    """The middleware of a server that caches files. Empty if it has no folder for them, or is not
    to refresh them."""
    if cache_dir is None or refresh_every is None or not files:
        return []
    return [
        Upkeep(files, cache_dir, refresh_every, patience_seconds=PATIENCE_SECONDS).before_request
    ]
