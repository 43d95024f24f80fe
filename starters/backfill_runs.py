"""Bringing past weeks to their end: started through the schedule, followed until they publish."""

import asyncio
import time
from collections.abc import Mapping, Sequence

from temporalio.client import Client

from domain.backfill import Backfill, WeekState, weeks_to_do
from domain.schedule_spec import BackfilledWeek
from starters.backfill_look import Look, of_run, published_here
from starters.backfill_progress import BackfillProgress
from starters.backfill_table import BackfillTable, WeekLine, coverage_words, table_of
from starters.desk_session import Desk
from starters.endings import CommandError
from starters.schedule_actions import start_past_week
from starters.troubles import trouble_of
from starters.watching import check_server
from starters.week_runs import FoundRun, described

POLL_SECONDS = 0.5
START_SECONDS = 30.0
"""How long the schedule may take to start a run; it takes a fraction of a second."""

ASK_AGAIN_SECONDS = 5.0
"""Of several requests that reach a schedule at once it heeds the last only."""

TROUBLE_SECONDS = 10.0
"""How often a run under way is asked what holds it up."""


class PastWeeks:
    """The weeks of one backfill, and what this command has started and seen end of them.

    It may be asked to go on at another desk after the first went away.
    """

    def __init__(self, weeks: Sequence[BackfilledWeek], *, again: bool) -> None:
        self._weeks = {week.week: week for week in weeks}
        self._again = again
        self._runs: dict[str, FoundRun] = {}
        self._started: set[str] = set()
        self._ended: dict[str, WeekLine] = {}
        self._told: dict[str, str] = {}

    async def bring_to_an_end(
        self, desk: Desk, looks: Mapping[str, Look], *, max_active: int, progress: BackfillProgress
    ) -> None:
        """Start what has to be done, at most so many weeks at a time, until all have ended.

        Raises:
            CommandError: the schedule does not start a run.
            RPCError, ServerUnreachable: the server went away.
        """
        to_do, order = self._order(looks, max_active)
        asked = time.monotonic()
        while not order.finished:
            await check_server(desk.client)
            for week in order.due():
                await self._start(desk, week, looks[week], progress)
                order.started(week)
            for line in await self._newly_ended(desk, order.active):
                order.ended(line.week)
                self._ended[line.week] = line
                progress.note(f"{_words(line)} ({len(self._ended)} of {to_do} weeks)")
            progress.show(len(self._ended), to_do, order.active)
            if time.monotonic() - asked > TROUBLE_SECONDS:
                asked = time.monotonic()
                await self._tell_troubles(order.active, progress)
            if not order.due() and not order.finished:
                await asyncio.sleep(POLL_SECONDS)

    def corrected(self, looks: Mapping[str, Look]) -> BackfillTable:
        """The final table: a run that failed here counts, whatever was published before it."""
        failed = {w: line for w, line in self._ended.items() if line.state is WeekState.FAILED}
        return table_of([failed.get(week, looks[week].line) for week in sorted(looks)])

    def _order(self, looks: Mapping[str, Look], max_active: int) -> tuple[int, Backfill]:
        """How many weeks there are to do, and the order of those that have not ended yet."""
        self._runs |= {week: run for week, look in looks.items() if (run := look.run) is not None}
        states = {week: look.line.state for week, look in looks.items()}
        running = {week for week, state in states.items() if state is WeekState.RUNNING}
        left = weeks_to_do(states, again=self._again, done=self._ended)
        under_way = running | (self._started - self._ended.keys())
        total = len(self._ended.keys() | set(left) | under_way)
        return total, Backfill(sorted({*left, *under_way}), under_way, max_active)

    async def _start(self, desk: Desk, week: str, look: Look, progress: BackfillProgress) -> None:
        past = self._weeks[week]
        before = await described(desk.client, past.workflow_id)
        if look.run is not None and look.line.state is WeekState.PUBLISHED:
            await _make_way(desk.client, look.run.workflow_id, progress)
        run = await _started(desk, past, before.run_id if before else None)
        self._runs[week] = run
        self._started.add(week)
        progress.note(f"{week}: {run.workflow_id} is started")

    async def _newly_ended(self, desk: Desk, active: Sequence[str]) -> list[WeekLine]:
        reports_dir = desk.settings.reports_dir
        lines = await asyncio.gather(
            *(
                of_run(self._runs[week], self._weeks[week], published_here(reports_dir, week))
                for week in active
            )
        )
        return [line for line in lines if line.state is not WeekState.RUNNING]

    async def _tell_troubles(self, active: Sequence[str], progress: BackfillProgress) -> None:
        for week in active:
            trouble = await trouble_of(self._runs[week].handle)
            if trouble is not None and self._told.get(week) != trouble:
                self._told[week] = trouble
                progress.note(f"{week}: {trouble}")


async def _make_way(client: Client, workflow_id: str, progress: BackfillProgress) -> None:
    """End a run that has published and is open for reruns: its week is researched anew."""
    found = await described(client, workflow_id)
    if found is not None and found.open:
        progress.note(f"ending the open run {workflow_id} to research its week anew")
        await found.handle.terminate("researched anew by `desk backfill --again`")


async def _started(desk: Desk, week: BackfilledWeek, before: str | None) -> FoundRun:
    """The run that the schedule starts for a week, other than the one `before`."""
    deadline, asked = time.monotonic() + START_SECONDS, float("-inf")
    while (now := time.monotonic()) < deadline:
        if now - asked >= ASK_AGAIN_SECONDS:
            asked = now
            await start_past_week(desk.client, week.start, desk.settings.config)
        found = await described(desk.client, week.workflow_id)
        if found is not None and found.run_id != before:
            return found
        await asyncio.sleep(0.05)
    raise CommandError(
        f"{week.week}: the schedule did not start {week.workflow_id} within "
        f"{START_SECONDS:.0f} s; `desk schedule show` says whether it still exists"
    )


def _words(line: WeekLine) -> str:
    if line.state is WeekState.FAILED:
        return f"{line.week}: failed: {line.reason or 'no reason given'}"
    return f"{line.week}: published, revision {line.revision}, {coverage_words(line)}"
