"""`desk refresh`, and the age of the sources' cached data."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from typing import Final

from desk.analytics.figures import print_full_day
from desk.analytics.prices.fixings import covered_to
from desk.analytics.weeks import latest_complete_week
from desk.contracts.base import Contract, ShortText, Text
from desk.contracts.findings.sources import KeptFileState, RefreshOutcome, RefreshStatus
from desk.contracts.weeks import monday_of
from desk.platform.mcp.kept_files import CachedFilesUnknown, FileOfServer, kept_files
from desk.platform.settings import McpTransport, Settings, load_settings
from desk.platform.settings.mcp_json import servers_to_serve
from starters.terminal.exit_status import ExitStatus, UsageError
from starters.terminal.options import AsJson
from starters.terminal.tables import table_lines

EXAMPLE = "Example: desk refresh"

MOST_AT_ONCE: Final = 16
COLUMNS: Final = ("source", "server", "newest", "age", "changed", "failure")


def refresh(as_json: AsJson = False) -> ExitStatus:
    """Fetch the data that the sources of .mcp.json store, and say how far each reaches now.

    Exit status 1 if a source could not be fetched: its stored data stays in use.
    """
    return refresh_sources(as_json=as_json)


class Refreshed(Contract):
    """The result for one cached file. `last_day` is the day of its newest datum, `age_days` how
    many days ago that is."""

    server: ShortText
    source: ShortText
    status: RefreshStatus
    last_day: date | None = None
    age_days: int | None = None
    changed: Text | None = None
    reason: Text | None = None


def cached_files(settings: Settings) -> list[FileOfServer | CachedFilesUnknown]:
    """Returns the files that the servers of `.mcp.json` cache.

    Raises:
        McpConfigError: the file cannot be used.
    """
    in_process = settings.mcp_transport is McpTransport.IN_PROCESS
    servers = servers_to_serve(settings.mcp_config, settings.variables, in_process=in_process)
    return list(
        kept_files(
            servers,
            in_process=in_process,
            project_dir=settings.project_dir,
            cache_dir=settings.cache_dir,
        )
    )


def ages(settings: Settings) -> Iterator[tuple[str, KeptFileState]]:
    """Yields how current each cached file is, by its server.

    Raises:
        McpConfigError: `.mcp.json` cannot be used.
    """
    for kept in cached_files(settings):
        if isinstance(kept, FileOfServer):
            yield kept.server, kept.file.state(kept.cache_dir)


UNHEARD_OF: Final = timedelta(days=7)
"""A file whose provider has not been called for this long is not refreshed automatically."""


def schedule_warning(settings: Settings, now: datetime) -> str | None:
    """Returns a warning about data that will foreseeably be older than the week of the next
    scheduled run: files that nothing refreshes, or that could not be refreshed for a week. It names
    the first, counts the others, and says why. None if there is nothing to warn about.

    A file that ends before the week's last days is not old if these are holidays of the ECB.

    Raises:
        McpConfigError: `.mcp.json` cannot be used.
    """
    schedule = settings.config.schedule
    week = latest_complete_week(now + timedelta(days=7), schedule)
    needed = monday_of(week) + timedelta(days=4)
    old = [
        state
        for _, state in ages(settings)
        if (state.last_day is None or covered_to(state.last_day) < needed)
        and (settings.offline or not _was_refreshed_lately(state, now))
    ]
    if not old:
        return None
    why = (
        "DESK_OFFLINE keeps them from being fetched"
        if settings.offline
        else "not fetched within a week; `desk refresh` does it, or says why not"
    )
    first, *others = sorted(old, key=lambda state: state.last_day is None)
    named = f"{first.source} {_ends(first)}"
    if others:
        never = sum(state.last_day is None for state in others)
        named += f" and {len(others)} more" + (f", {never} never fetched" if never else "")
    return f"data will be older than {week} when its run starts: {named} ({why})"


def _ends(state: KeptFileState) -> str:
    return "has none yet" if state.last_day is None else f"to {print_full_day(state.last_day)}"


def _was_refreshed_lately(state: KeptFileState, now: datetime) -> bool:
    return not state.failure and state.looked is not None and now - state.looked <= UNHEARD_OF


def refresh_sources(*, as_json: bool) -> ExitStatus:
    """Refreshes all files concurrently, and prints the results. Returns 1 if one failed.

    Raises:
        UsageError: the desk is configured not to fetch anything.
        McpConfigError: `.mcp.json` cannot be used.
    """
    settings = load_settings()
    if settings.offline:
        raise UsageError("DESK_OFFLINE is set, so that nothing is fetched; unset it for `refresh`")
    today = datetime.now(UTC).date()
    found = cached_files(settings)
    with ThreadPoolExecutor(MOST_AT_ONCE) as threads:
        results = list(threads.map(lambda kept: _refreshed(kept, today), found))
    if as_json:
        told = [result.model_dump(mode="json") for result in results]
        sys.stdout.write(json.dumps(told, indent=2) + "\n")
    else:
        _print(results)
    return ExitStatus.FAILED if any(map(_failed, results)) else ExitStatus.COMPLETE


def _refreshed(kept: FileOfServer | CachedFilesUnknown, today: date) -> Refreshed:
    if isinstance(kept, CachedFilesUnknown):
        server, _, reason = str(kept).partition(": ")
        return Refreshed(
            server=server, source=server, status=RefreshStatus.REJECTED, reason=reason[:4_000]
        )
    outcome = kept.file.refresh(kept.cache_dir)
    last = outcome.last_day or kept.file.state(kept.cache_dir).last_day
    return Refreshed(
        server=kept.server,
        source=kept.file.source,
        status=outcome.status,
        last_day=last,
        age_days=None if last is None else (today - last).days,
        changed=outcome.changed,
        reason=_reason(outcome),
    )


def _reason(outcome: RefreshOutcome) -> str | None:
    return None if outcome.reason is None else " ".join(outcome.reason.split())


def _failed(result: Refreshed) -> bool:
    return result.status not in (RefreshStatus.REPLACED, RefreshStatus.UNCHANGED)


def _print(results: Sequence[Refreshed]) -> None:
    for line in table_lines(COLUMNS, _rows(results)):
        sys.stdout.write(f"{line}\n")
    failed = sum(map(_failed, results))
    kept = f"{len(results)} files of sources"
    sys.stdout.write(
        f"\n{kept}: {failed} could not be fetched; the earlier data stay in use\n"
        if failed
        else f"\n{kept}, all as their providers have them now\n"
        if results
        else "no source of .mcp.json keeps a file\n"
    )


def _rows(results: Iterable[Refreshed]) -> Iterator[tuple[str, ...]]:
    for result in results:
        yield (
            result.source,
            result.server,
            f"{result.last_day:%d %b %Y}" if result.last_day else "",
            "" if result.age_days is None else age_words(result.age_days),
            result.changed or "",
            result.reason or "",
        )


def age_words(days: int) -> str:
    """Formats an age in days: `today`, `1 day`, `25 days`; `ahead` for a later day."""
    if days < 0:
        return "ahead"
    return "today" if days == 0 else f"{days} day{'s' * (days != 1)}"
