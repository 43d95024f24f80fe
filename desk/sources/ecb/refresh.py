"""Fetching a newer file of reference rates from the ECB into the cache."""

import asyncio
import logging
import os
import secrets
import time
from collections.abc import Callable
from datetime import date, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

import httpx2
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from desk.contracts.base import Contract, Text
from desk.sources.ecb.rates import DamagedRatesFile, EuroRates, parse_rates, read_rates
from desk.sources.ecb.store import cached_file, packaged_file
from desk.sources.serving.downloads import NotDownloaded, download, status_of

ECB_URL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip"
TIMEOUT_SECONDS = 5.0
LARGEST_DOWNLOAD = 16 * 1024 * 1024
"""Bytes. The zip is below one mebibyte."""


class RefreshStatus(StrEnum):
    """How a refresh ended. In every case but `replaced` the cache is as it was before."""

    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    UNREACHABLE = "unreachable"
    REJECTED = "rejected"
    NOT_WRITTEN = "not_written"


class RefreshOutcome(Contract):
    """What a refresh did. `last_day` is the last day of what was downloaded, if it was usable;
    `reason` says why nothing was replaced."""

    status: RefreshStatus
    file: str
    last_day: date | None = None
    reason: Text | None = None

    @property
    def succeeded(self) -> bool:
        """Whether the cache now holds what the ECB publishes."""
        return self.status in (RefreshStatus.REPLACED, RefreshStatus.UNCHANGED)


def refresh(
    cache_dir: Path,
    *,
    url: str = ECB_URL,
    timeout_seconds: float = TIMEOUT_SECONDS,
    packaged: Path | None = None,
) -> RefreshOutcome:
    """Download the file, check the whole of it and only then replace the cached copy.

    Never raises for what can go wrong with a network, a file or a folder: that is in the
    outcome. `timeout_seconds` bounds each wait and, between waits, the whole download.
    """
    target = cached_file(cache_dir)
    try:
        content = download(
            url, _require_success, timeout_seconds=timeout_seconds, largest=LARGEST_DOWNLOAD
        )
        rates = parse_rates(content, Path(url))
        _require_as_much_as(rates, _known(target, packaged))
        status = _replace(target, content)
    except NotDownloaded as error:
        return _failure(RefreshStatus.UNREACHABLE, target, f"{url}: {error}")
    except DamagedRatesFile as error:
        return _failure(RefreshStatus.REJECTED, target, f"{url}: {error.reason}")
    except OSError as error:
        return _failure(RefreshStatus.NOT_WRITTEN, target, f"{target}: {error}")
    return RefreshOutcome(status=status, file=str(target), last_day=rates.last_day)


def _failure(status: RefreshStatus, target: Path, reason: str) -> RefreshOutcome:
    return RefreshOutcome(status=status, file=str(target), reason=reason[:4_000])


def _require_success(answer: httpx2.Response) -> None:
    if not answer.is_success:
        raise NotDownloaded(f"it answered {status_of(answer)}")


def _known(target: Path, packaged: Path | None) -> tuple[EuroRates, ...]:
    """The usable files there already are."""
    usable = []
    for file in (target, packaged):
        try:
            usable.append(read_rates(file or packaged_file()))
        except DamagedRatesFile:
            continue
    return tuple(usable)


def _require_as_much_as(rates: EuroRates, known: tuple[EuroRates, ...]) -> None:
    for other in known:
        if rates.day_count < other.day_count or rates.last_day < other.last_day:
            raise DamagedRatesFile(
                rates.file,
                f"it has {rates.day_count} days up to {rates.last_day}, fewer than the "
                f"{other.day_count} up to {other.last_day} in {other.file}",
            )


def _replace(target: Path, content: bytes) -> RefreshStatus:
    if target.exists() and target.read_bytes() == content:
        return RefreshStatus.UNCHANGED
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with unfinished.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return RefreshStatus.REPLACED


LEAST_PAUSE_SECONDS = 60.0
"""How long the ECB is left alone after a refresh that failed, at the least."""

PATIENCE_SECONDS = 1.5
"""How long a call waits for a refresh: most take less, and without a network none comes."""

_TOOL_CALL = "tools/call"
_LOG = logging.getLogger(__name__)


class RatesUpkeep:
    """Refreshes the cached copy when it is due, once for all calls that wait for it.

    Due at the first call, and again at the first one after `refresh_every`, unless another
    process has refreshed the copy within that time. A failure is logged as a warning once; the
    copy there is stays in use.
    """

    def __init__(
        self,
        cache_dir: Path,
        refresh_every: timedelta,
        *,
        url: str = ECB_URL,
        packaged: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
        timeout_seconds: float = TIMEOUT_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        """`clock` gives seconds that never run backwards; `timeout_seconds` bounds a refresh."""
        self._cache_dir = cache_dir
        self._every_seconds = refresh_every.total_seconds()
        self._url = url
        self._packaged = packaged
        self._clock = clock
        self._timeout_seconds = timeout_seconds
        self._patience_seconds = patience_seconds
        self._waited_for_until = clock()
        self._not_before = clock()
        self._running: asyncio.Task[None] | None = None
        self._has_warned = False

    async def before_tool_call(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Middleware of a server: what is due is fetched before a tool is called."""
        if ctx.method == _TOOL_CALL:
            await self.ensure_fresh()
        return await call_next(ctx)

    async def ensure_fresh(self) -> None:
        """Refresh if that is due, or wait for the refresh under way, but not for long.

        A failure raises nothing. One that takes its time ends in the background, and calls are
        answered from what is there.
        """
        if self._running is None or self._running.done():
            if self._clock() < self._not_before:
                return
            self._running = asyncio.create_task(self._keep_up())
            self._waited_for_until = self._clock() + self._patience_seconds
        # A caller that is cancelled must not take the refresh away from the others.
        patience = max(self._waited_for_until - self._clock(), 0.0)
        await asyncio.wait({self._running}, timeout=patience)

    async def _keep_up(self) -> None:
        pause = self._seconds_left()
        if pause <= 0:
            pause = self._every_seconds
            failure = await self._refresh()
            if failure is not None:
                pause = max(pause, LEAST_PAUSE_SECONDS)
                self._report(failure)
        self._not_before = self._clock() + pause

    def _seconds_left(self) -> float:
        """How long the cached copy is still good for, by when it was written."""
        try:
            written = cached_file(self._cache_dir).stat().st_mtime
        except OSError:
            return 0.0
        age = time.time() - written
        return self._every_seconds - age if age >= 0 else 0.0

    async def _refresh(self) -> str | None:
        """Why the cache does not hold what the ECB publishes; None when it does."""
        try:
            async with asyncio.timeout(self._timeout_seconds):
                outcome = await asyncio.to_thread(self._fetch)
        except TimeoutError:
            return f"{self._url}: not done within {self._timeout_seconds:g} seconds"
        except Exception as error:
            # Such as a proxy setting that the client refuses: no reason not to answer.
            return f"{self._url}: {error!r}"
        return None if outcome.succeeded else outcome.reason

    def _fetch(self) -> RefreshOutcome:
        outcome = refresh(
            self._cache_dir,
            url=self._url,
            timeout_seconds=self._timeout_seconds,
            packaged=self._packaged,
        )
        if outcome.status is RefreshStatus.UNCHANGED:
            # Its age is how other processes see that it has been looked at.
            os.utime(cached_file(self._cache_dir))
        return outcome

    def _report(self, failure: str) -> None:
        level = logging.DEBUG if self._has_warned else logging.WARNING
        self._has_warned = True
        _LOG.log(
            level,
            "the reference rates could not be refreshed and are used as they are: %s",
            " ".join(failure.split()),
        )
