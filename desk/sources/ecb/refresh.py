"""Fetching a newer file of reference rates from the ECB into the cache."""

import os
import secrets
from datetime import date
from enum import StrEnum
from pathlib import Path

import httpx2

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
