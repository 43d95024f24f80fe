"""`desk watch`."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Annotated, Final

import typer
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.agents.search_attributes import Phase, SearchAttribute
from desk.contracts.names import WorkflowType
from desk.platform.settings import Settings, load_settings
from desk.platform.temporal.client import ServerUnreachable, connect, located
from starters.monitoring.watch.screen import WatchDisplay, shown
from starters.monitoring.watch.snapshot import RunSnapshot, SpendingSoFar, is_settled, take_snapshot
from starters.published.published_files import report_if_here
from starters.runs.stalls import SILENT, StallMonitor, is_polled
from starters.runs.summary import PublishedWeek, from_result, from_status, print_week
from starters.runs.week_choice import no_run_of, written_week
from starters.runs.week_results import last_result
from starters.runs.week_runs import FoundRun, described, find_any_run, newest_week
from starters.session import Desk, ServerOutage, say
from starters.terminal.exit_status import CommandError, ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.options import of_week
from workflows.engine.options import PHASE, WEEK

EXAMPLE = "Example: desk watch --week 2026-W44; desk watch --json"

REFRESH_SECONDS: Final = 0.5
VISIBLE_SECONDS: Final = 4.0
_NO_ANSWER: Final = f"{SILENT}; see `desk agents`"


def watch(
    week: Annotated[
        str | None,
        of_week("ISO week such as 2026-W44; without it, the run that is at work, or the latest."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a line for every change.")
    ] = False,
) -> ExitStatus:
    """Follow a run until its report is out: every market, who works on it, what it has spent.

    It only looks: Ctrl-C or a kill leaves the run as it is, and the same command comes back to
    where it stands. Exit status as of `desk run`: 0 complete, 3 published below the coverage
    threshold, 1 ended without a report.
    """
    return watch_week(week, as_json=as_json)


def watch_week(week: str | None, *, as_json: bool) -> ExitStatus:
    """Follows a run until its report is published, and prints the summary.

    This process is only a client, so stopping it stops nothing else.

    Raises:
        UsageError, CommandError: the message says what to do next.
        ServerUnreachable: there is no server, or it has been away for long.
    """
    settings = load_settings()
    written = written_week(week, datetime.now(UTC), settings.config.schedule)
    log_to_file(settings)
    try:
        return interruptible(_watch(settings, written, as_json=as_json))
    except KeyboardInterrupt:
        back = f"desk watch --week {written}" if written else "desk watch"
        say(f"desk: left; the run goes on, and `{back}` comes back to it")
        return ExitStatus.INTERRUPTED


async def _watch(settings: Settings, week: str | None, *, as_json: bool) -> ExitStatus:
    client = await connect(settings, asks_only=True)
    desk = Desk(client, located(settings), hosting=False)
    found, week = await _chosen_in_time(client, week)
    with shown(found.workflow_id, as_json=as_json) as display:
        watcher = Watcher(client, settings, found.workflow_id, week, display)
        published = await watcher.follow()
        before = watcher.looks == 1
        display.end(published, before=before)
    if as_json:
        complete = published.coverage.complete
        return ExitStatus.COMPLETE if complete else ExitStatus.INCOMPLETE
    report = report_if_here(published.files)
    return print_week(desk, published, report, as_json=False)


async def _chosen_in_time(client: Client, week: str | None) -> tuple[FoundRun, str]:
    """Like `_chosen`, but also finds a run that was started a moment ago and is not yet visible.

    Raises:
        CommandError: there is no run.
    """
    patient_until = time.monotonic() + VISIBLE_SECONDS
    while True:
        try:
            return await _chosen(client, week)
        except CommandError:
            if time.monotonic() > patient_until:
                raise
        await asyncio.sleep(REFRESH_SECONDS)


async def _chosen(client: Client, week: str | None) -> tuple[FoundRun, str]:
    """Returns the open run of the given week; without a week, the newest run.

    Raises:
        CommandError: there is no run.
    """
    at_work = await _at_work(client, week)
    if at_work is not None:
        return at_work
    chosen = week or await newest_week(client)
    found = await find_any_run(client, chosen) if chosen else None
    if chosen is None or found is None:
        raise CommandError(no_run_of(chosen))
    return found, chosen


async def _at_work(client: Client, week: str | None) -> tuple[FoundRun, str] | None:
    """Returns the latest of the runs that have not published yet."""
    query = f'WorkflowType = "{WorkflowType.WEEKLY_RESEARCH}" AND ExecutionStatus = "Running"'
    if week is not None:
        query += f' AND {SearchAttribute.RESEARCH_WEEK} = "{week}"'
    runs = [
        run
        async for run in client.list_workflows(query)
        if run.typed_search_attributes.get(PHASE) != Phase.OPEN_FOR_RERUNS
    ]
    runs.sort(key=lambda run: run.start_time, reverse=True)
    for run in runs:
        found = await described(client, run.id)
        of_week = run.typed_search_attributes.get(WEEK)
        if found is not None and found.open and of_week:
            return found, of_week
    return None


class Watcher:
    """Follows a run across restarts of the server and of the run."""

    def __init__(
        self, client: Client, settings: Settings, workflow_id: str, week: str, display: WatchDisplay
    ) -> None:
        self._client = client
        self._workflow_id = workflow_id
        self._week = week
        self._display = display
        self._stalls = StallMonitor(
            display.note,
            silent=_NO_ANSWER,
            at_once=True,
            polled=lambda: is_polled(self._client),
        )
        self._settings = settings
        self._lost = False
        self._patience = ServerOutage(settings, self._say_away)
        self._spending = SpendingSoFar()
        self.looks = 0

    async def follow(self) -> PublishedWeek:
        """Returns what the run published, once nothing of it is in progress.

        Raises:
            EndedWithoutReport: it ended before that.
            ServerUnreachable: the server has been away for too long.
            CommandError: the server no longer knows the run.
        """
        while True:
            pause = REFRESH_SECONDS
            try:
                published = await self._step()
            except (RPCError, ServerUnreachable) as error:
                published, pause = None, self._bear(error)
            if published is not None:
                return published
            await asyncio.sleep(pause)

    async def _step(self) -> PublishedWeek | None:
        if self._lost:
            self._client = await connect(self._settings, asks_only=True)
            self._lost = False
        look = await take_snapshot(self._client, self._workflow_id)
        if not look.open:
            return await self._result(look)
        self._patience.answered()
        look = await self._spending.with_spent(self._client, look)
        self.looks += 1
        self._display.update(look)
        await self._stalls.check(
            self._client.get_workflow_handle(self._workflow_id),
            answers=look.status is not None,
            leaving=look.status is not None and is_settled(look.status),
        )
        if look.status is None or not is_settled(look.status):
            return None
        return from_status(look.status, self._workflow_id, look.run_id)

    async def _result(self, look: RunSnapshot) -> PublishedWeek | None:
        self.looks += 1
        found = await described(self._client, self._workflow_id)
        if found is None or found.open:
            return None
        result = await last_result(found, self._week)
        return from_result(result, self._workflow_id, look.run_id)

    def _bear(self, error: RPCError | ServerUnreachable) -> float:
        """Returns how long to wait for a server that is away, before the next try.

        Raises:
            ServerUnreachable: it has been away for too long.
            CommandError, RPCError: it answers, and refuses the request.
        """
        self._lost = True
        try:
            return self._patience.bear(error)
        except RPCError as refused:
            if refused.status is not RPCStatusCode.NOT_FOUND:
                raise
            raise CommandError(f"the server knows no run {self._workflow_id} any more") from None

    def _say_away(self, text: str | None) -> None:
        """Shows that the command waits for the server. The next snapshot removes the message."""
        if text is not None:
            self._stalls.report_silence(text)
