"""Whether the hosts of a live source can be reached, recorded in the cache folder for a minute.

A run asks once, when it is planned (`REACH_TOOL`); an unreachable source is then not offered to any
agent. Every fetch records its outcome, so that neither this process nor the next waits repeatedly
for a host that has stopped answering.
"""

import json
import secrets
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
from mcp.server import MCPServer

from desk.contracts.agents.tools import REACH_TOOL, Reachability
from desk.sources.serving.command_line import READS_THE_WEB
from desk.sources.serving.downloads import download_tls_context, status_of

PROBE_SECONDS: Final = 2.0
"""The longest time of `check`, including name lookups."""

FAILURE_CACHE_SECONDS: Final = 60.0
"""How long a host that did not answer is not asked again."""

OFFLINE: Final = "this desk fetches nothing (DESK_OFFLINE)"

_NOTED_AGAIN_SECONDS: Final = 60.0
"""How old a recorded success must be before another is recorded."""

_GATEWAY_FAILED: Final = frozenset({502, 503, 504})
"""The statuses of a proxy that cannot reach the host."""

_LONGEST_REASON: Final = 300


@dataclass(frozen=True, slots=True)
class HostRecord:
    """The record of one host. Instants are seconds since 1970, 0 if there was none.

    `since` is the first failure after the last answer, `failed_at` the latest one.
    """

    answered_at: float = 0.0
    since: float = 0.0
    failed_at: float = 0.0
    reason: str = ""


class NotReachable(Exception):
    """A host failed a moment ago, and is not asked. `since` is the first failure."""

    def __init__(self, record: HostRecord) -> None:
        super().__init__(record.reason)
        self.since = datetime.fromtimestamp(record.since, UTC)


class Reach:
    """The hosts behind one server, with their records. Thread-safe."""

    def __init__(
        self,
        server: str,
        urls: Iterable[str],
        cache_dir: Path | None = None,
        *,
        offline: bool = False,
        lacks: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`urls` are the addresses that the server fetches from. Without `cache_dir` the records
        end with the process. With `offline` nothing is fetched; `lacks` names a missing
        requirement without which nothing can be fetched."""
        self._urls = tuple(dict.fromkeys(urls))
        self._path = cache_dir / f"reach-{server}.json" if cache_dir is not None else None
        self._refusal = OFFLINE if offline else lacks
        self._clock = clock
        self._lock = threading.Lock()
        self._hosts = _read(self._path)

    def require(self, url: str) -> None:
        """Checks that a host has not failed within the last minute.

        Raises:
            NotReachable: it has, or nothing is fetched here.
        """
        if self._refusal is not None:
            now = self._clock()
            raise NotReachable(HostRecord(since=now, failed_at=now, reason=self._refusal))
        record = self._known(url)
        if self._has_just_failed(record):
            raise NotReachable(record)

    def note_failure(self, url: str, reason: str) -> datetime:
        """Records that a host did not answer. Returns since when."""
        now = self._clock()
        known = self._known(url)
        since = known.since if known.since > known.answered_at else now
        failed = replace(known, since=since, failed_at=now, reason=reason[:_LONGEST_REASON])
        self._note(url, failed)
        return _instant(since)

    def note_success(self, url: str) -> None:
        """Records that a host answered."""
        now, known = self._clock(), self._known(url)
        if known.failed_at > known.answered_at or now - known.answered_at > _NOTED_AGAIN_SECONDS:
            self._note(url, HostRecord(answered_at=now))

    def check(self) -> Reachability:
        """Whether any of the hosts answers. Asks those that have not failed within the last minute
        concurrently, for at most `PROBE_SECONDS`."""
        if self._refusal is not None:
            return self._unreachable(self._refusal)
        with self._lock:
            # Another process may have recorded an outcome meanwhile.
            self._hosts = {**self._hosts, **_read(self._path)}
        asked = [url for url in self._urls if not self._has_just_failed(self._known(url))]
        for url, reason in _probed(asked).items():
            if reason is None:
                self.note_success(url)
            else:
                self.note_failure(url, reason)
        if any(not self._has_just_failed(self._known(url)) for url in self._urls):
            return Reachability(reachable=True, answered_at=self._last_answer())
        return self._unreachable()

    def _unreachable(self, reason: str | None = None) -> Reachability:
        records = [self._known(url) for url in self._urls]
        failed = [record for record in records if record.since]
        first = min(failed, key=lambda record: record.since, default=None)
        return Reachability(
            reachable=False,
            since=_instant(first.since) if first and not reason else None,
            reason=reason or (first.reason if first else "no address is configured"),
            answered_at=self._last_answer(),
        )

    def _last_answer(self) -> datetime | None:
        latest = max((self._known(url).answered_at for url in self._urls), default=0.0)
        return _instant(latest) if latest else None

    def _has_just_failed(self, record: HostRecord) -> bool:
        return 0 <= self._clock() - record.failed_at < FAILURE_CACHE_SECONDS

    def _known(self, url: str) -> HostRecord:
        with self._lock:
            return self._hosts.get(self._key(url), HostRecord())

    def _key(self, url: str) -> str:
        """The configured address that a URL lies below, as the key of its record; else its host."""
        below = (each for each in self._urls if url.startswith(each))
        return max(below, key=len, default=urlsplit(url).netloc)

    def _note(self, url: str, record: HostRecord) -> None:
        with self._lock:
            self._hosts[self._key(url)] = record
            _write(self._path, self._hosts)


def add_reach_tool(server: MCPServer[Any], reach: Reach) -> None:
    """Gives a server the tool by which a run finds out whether its sources are reachable."""

    def check_reachable() -> Reachability:
        """Whether what this server fetches from can be reached now. Takes two seconds at most."""
        return reach.check()

    server.add_tool(
        check_reachable, name=REACH_TOOL, annotations=READS_THE_WEB, structured_output=True
    )


def _probed(asked: Sequence[str]) -> dict[str, str | None]:
    """Why each address could not be reached, None for one that answered. A name lookup has no
    timeout of its own, so each address is asked in a thread that may be abandoned."""
    found: dict[str, str | None] = {}
    authorities = download_tls_context()
    threads = [
        threading.Thread(target=_probe, args=(url, authorities, found), daemon=True)
        for url in asked
    ]
    for thread in threads:
        thread.start()
    until = time.monotonic() + PROBE_SECONDS
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    late = f"it did not answer within {PROBE_SECONDS:g} seconds"
    return {url: found.get(url, late) for url in asked}


def _probe(url: str, authorities: ssl.SSLContext, found: dict[str, str | None]) -> None:
    """Any answer counts, whatever its status, except that of a proxy that could not reach the host.
    The body is not read. Uses GET, because some hosts do not answer HEAD."""
    try:
        with httpx2.stream(
            "GET", url, timeout=PROBE_SECONDS, follow_redirects=False, verify=authorities
        ) as answer:
            failed = answer.status_code in _GATEWAY_FAILED
            found[url] = f"it answered {status_of(answer)}" if failed else None
    except httpx2.TimeoutException:
        return
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        found[url] = f"it could not be reached ({type(error).__name__})"


def _instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _read(path: Path | None) -> dict[str, HostRecord]:
    """The records of an earlier process. Empty if the file is absent or has another form."""
    if path is None:
        return {}
    try:
        return {host: HostRecord(**read) for host, read in json.loads(path.read_text()).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _write(path: Path | None, hosts: Mapping[str, HostRecord]) -> None:
    """Replaces the file atomically. A failed write only costs a second probe."""
    if path is None:
        return
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(json.dumps({host: asdict(record) for host, record in hosts.items()}))
        unfinished.replace(path)
