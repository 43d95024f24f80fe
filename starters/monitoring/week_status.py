"""The status of a week's run, open or closed, and how it is printed."""

import contextlib
import time
from collections.abc import Iterator
from datetime import UTC, datetime

from temporalio.service import RPCError

from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.names import Queue
from desk.contracts.runs.week import MarketState, MarketStatus, WeekResult, WeekStatus
from desk.contracts.week.delivery import DeliveryState
from desk.documents.rendering.words.wording import (
    allowance_words,
    cost_words,
    human,
    one_line,
    share_words,
)
from desk.platform.settings import Settings
from desk.programs.week.document.rendering.coverage_words import freshness_words
from starters.monitoring.cached_status import PrintedStatus, cache_seen_status
from starters.monitoring.week_progress import reason_of, waiting_words
from starters.runs.following import query_status_or_none
from starters.runs.progress import Progress
from starters.runs.server_runs import ui_address
from starters.runs.week_choice import no_run_of
from starters.runs.week_results import EndedWithoutReport, published_before_failure, result_of
from starters.runs.week_runs import FoundRun, find_any_run, known_run, newest_week
from starters.session import Desk, say
from starters.terminal.exit_status import CommandError
from starters.terminal.tables import table_lines

BUSY_SECONDS = 10.0
"""How long one query may take at a busy worker."""
ANSWER_PATIENCE_SECONDS = 90.0
"""How long the query is repeated. By then a killed worker no longer counts as polling."""
AT_THE_END_SECONDS = 2.0
"""How long a finished command may take to cache the status for the next one."""
CACHED_EVERY_SECONDS = 1.0
"""How often a run's status is cached while it is followed."""
ROW = 8
"""The markets in one row of the listing."""


async def status_at(desk: Desk, week: str | None) -> WeekStatus:
    """Returns the status of the run of a week, or of the latest week that has one.

    Raises:
        CommandError: there is no such run, or no worker answers for it.
    """
    return await status_of(desk, *await run_at(desk, week))


async def run_at(desk: Desk, week: str | None) -> tuple[FoundRun, str]:
    """Returns the run of a week, or of the latest week that has one, and its week.

    Raises:
        CommandError: there is no run.
    """
    chosen = week or await newest_week(desk.client)
    found = await find_any_run(desk.client, chosen) if chosen else None
    if chosen is None or found is None:
        raise CommandError(no_run_of(chosen))
    return found, chosen


async def status_of(desk: Desk, found: FoundRun, week: str) -> WeekStatus:
    """Returns the status of a run. Waits for a busy worker; fails at once if there is no worker.

    Raises:
        CommandError: no worker polls for work, or the worker has not answered in time.
    """
    asked_at, told = time.monotonic(), False
    while found.open:
        status = await query_status_or_none(found.handle, WeekStatus, within=BUSY_SECONDS)
        if status is not None:
            return status
        # The workers' modules are slow to import, and are needed only if no worker answers.
        from workers.health import unpolled

        if await unpolled(desk.client, None, [Queue.DESK]):
            raise CommandError(
                f"the run {found.workflow_id} is open but no worker polls the queue "
                f"'{Queue.DESK}'; start them with `desk up`, and see `desk doctor`"
            )
        waited = time.monotonic() - asked_at
        if waited > ANSWER_PATIENCE_SECONDS:
            raise CommandError(
                f"the run {found.workflow_id} is open and its worker has not answered for "
                f"{waited:.0f} s; see `desk doctor`"
            )
        if not told:
            told = True
            say("desk: the run has not answered yet; waiting for its worker")
        found = await known_run(desk.client, found.workflow_id)
    return closed_status(await _last_result(found, week))


async def _last_result(found: FoundRun, week: str) -> WeekResult:
    """Like `last_result`, and tells the user if the latest run failed."""
    try:
        return await result_of(found, week)
    except EndedWithoutReport as ended:
        published = await published_before_failure(found)
        if published is None:
            raise
        say(f"desk: the latest run of {week} did not end well ({ended.reason}); published before:")
        return published


def closed_status(result: WeekResult) -> WeekStatus:
    """Builds the status of a closed run from its result."""
    # The boards are slow to import, and most runs whose status is asked for are open.
    from desk.runs.boards import ended_status, usage_of_week

    record = result.record
    return WeekStatus(
        week=record.week,
        phase=Phase.CLOSED,
        as_of=record.window.end,
        started_at=record.started_at,
        deadline=record.started_at,
        markets=tuple(map(ended_status, record.outcomes)),
        revisions=record.revisions,
        usage=usage_of_week((record.planning, record.commenting), record.outcomes),
        coverage=result.coverage,
        files=result.files,
        deliveries=result.deliveries,
    )


async def status_to_cache(desk: Desk, at_least: str) -> PrintedStatus | None:
    """Returns the status of the newest week's run, to be cached when this process stops hosting the
    desk. Returns None if it cannot be determined now, or if something of the run is in progress.
    Visibility is delayed, so a week before `at_least` is not the newest."""
    with contextlib.suppress(CommandError, RPCError):
        found, week = await run_at(desk, None)
        status = await query_status_or_none(found.handle, WeekStatus, within=AT_THE_END_SECONDS)
        if status is not None and desk.hosting and week >= at_least and _is_idle(status):
            return await printed_status(desk, found, status)
    return None


async def printed_status(desk: Desk, found: FoundRun, status: WeekStatus) -> PrintedStatus:
    """Formats a status for printing. It is valid while the desk is idle if this process hosts the
    desk, and there is no run of a later week."""
    return PrintedStatus(
        status.week,
        "\n".join(
            (*status_lines(status), _no_desk(status) if desk.hosting else _page(desk, found))
        ),
        status.model_dump_json(indent=2),
        lasts=desk.hosting and status.week == await newest_week(desk.client),
        until=status.closes_at if found.open else None,
    )


def seen_status(status: WeekStatus, seen_at: datetime) -> PrintedStatus:
    """Formats a status that this process, which hosts the desk, has just seen, for printing once
    the desk has ended."""
    seen = f"{_no_desk(status)}; last seen {seen_at:%Y-%m-%d %H:%M:%S} UTC"
    return PrintedStatus(
        status.week,
        "\n".join((*status_lines(status), seen)),
        status.model_dump_json(indent=2),
        lasts=True,
        until=status.closes_at,
    )


class SeenProgress:
    """Shows the progress of a run at the desk that this process hosts, and caches its status every
    second, in case the process is killed."""

    def __init__(self, shown: Progress[WeekStatus], settings: Settings) -> None:
        self._shown = shown
        self._settings = settings
        self._cached_at = -CACHED_EVERY_SECONDS

    def update(self, status: WeekStatus) -> None:
        """Shows a new status."""
        self._shown.update(status)
        now = time.monotonic()
        if now - self._cached_at >= CACHED_EVERY_SECONDS:
            self._cached_at = now
            cache_seen_status(self._settings, seen_status(status, datetime.now(UTC)))

    def note(self, text: str) -> None:
        """Shows a sentence."""
        self._shown.note(text)


def _is_idle(status: WeekStatus) -> bool:
    """Whether nothing is in progress in a run."""
    sent = all(each.state is not DeliveryState.UNDER_WAY for each in status.deliveries)
    done = status.phase in (Phase.OPEN_FOR_RERUNS, Phase.CLOSED) and not status.pending_reruns
    return sent and done


def _no_desk(status: WeekStatus) -> str:
    then = "starts one" if _is_idle(status) else "goes on with the run"
    return f"Desk      none is up; `desk up` {then}"


def _page(desk: Desk, found: FoundRun) -> str:
    address = ui_address(
        desk.settings.ui_url, desk.client.namespace, found.workflow_id, found.run_id
    )
    return f"Temporal  {address or found.workflow_id}"


def status_lines(status: WeekStatus) -> list[str]:
    """Formats a status for people."""
    return [*_head(status), *_markets(status), *_published(status)]


def _head(status: WeekStatus) -> Iterator[str]:
    done = sum(market.state is MarketState.DONE for market in status.markets)
    yield (
        f"{status.week}  {status.phase.replace('_', ' ')}  "
        f"{done} of {len(status.markets)} markets done  as of {status.as_of:%Y-%m-%d %H:%M} UTC"
    )
    if status.phase is not Phase.CLOSED:
        yield f"started {status.started_at:%Y-%m-%d %H:%M:%S} UTC"
    if status.closes_at and status.phase is Phase.OPEN_FOR_RERUNS:
        yield f"takes reruns until {status.closes_at:%Y-%m-%d %H:%M} UTC"
    if status.usage.asked:
        limit = "" if status.budget.unlimited else f", of {allowance_words(status.budget)}"
        yield f"spent {cost_words(status.usage)}{limit}"
    if waiting := waiting_words(status):
        yield waiting
    if status.pending_reruns:
        yield f"waiting to be redone: {', '.join(status.pending_reruns)}"


def _markets(status: WeekStatus) -> Iterator[str]:
    """The names of markets in columns. Markets that are not fully researched have their reasons."""
    by_outcome: dict[str, list[MarketStatus]] = {}
    for market in status.markets:
        by_outcome.setdefault(market.outcome or market.state, []).append(market)
    for outcome, markets in by_outcome.items():
        yield f"{outcome.replace('_', ' ')} ({len(markets)})"
        if outcome in (Outcome.RESEARCHED, *MarketState):
            names = tuple(market.market for market in markets)
            rows = [names[at : at + ROW] for at in range(0, len(names), ROW)]
            yield from table_lines(ROW * ("",), rows, indent="  ")
        else:
            reasons = ((market.market, reason_of(market)) for market in markets)
            yield from table_lines(("", ""), reasons, indent="  ")


def _published(status: WeekStatus) -> Iterator[str]:
    if status.coverage is None or status.files is None:
        yield "nothing published yet"
        return
    revision = status.revisions[-1].revision if status.revisions else 1
    coverage = status.coverage
    yield (
        f"revision {revision}: {coverage.researched} of {coverage.expected} markets researched "
        f"({share_words(coverage.share)}, "
        f"threshold {share_words(coverage.threshold)})"
    )
    known = freshness_words(coverage)
    if known:
        yield known
    yield f"Report    {status.files.html}"
    yield from _sent(status)


def _sent(status: WeekStatus) -> Iterator[str]:
    """A line for each revision on each channel."""
    for sent in status.deliveries:
        if sent.state is DeliveryState.UNDER_WAY:
            words = "under way"
        else:
            words = one_line(f"{sent.state}: {sent.note}" if sent.note else sent.state)
        yield f"Delivery  revision {sent.revision} by {human(sent.channel)}, {words}"
