"""`desk backfill` starts past weeks and follows them until they publish."""

import asyncio
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated, Final, NamedTuple

import typer
from rich.console import Console
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text
from temporalio.client import Client
from temporalio.service import RPCError

from desk.contracts.names import SCHEDULE_ID
from desk.platform.settings import Settings, load_settings
from desk.runs.schedule import Backfill, BackfilledWeek, WeekState, backfilled_weeks, weeks_to_do
from starters.runs.command_run import at_a_desk, start_run
from starters.runs.following import check_server
from starters.runs.progress import Progress, TimedLines, shown_on_stderr
from starters.runs.stalls import LastProblem, problem_of, with_recovery_note
from starters.runs.week_choice import chosen_week, written_week
from starters.runs.week_runs import FoundRun, described, week_start
from starters.session import Desk, say
from starters.sources.tools.fixing_coverage import held_fixings
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.logs import log_to_file
from starters.weeks.backfill.weeks import (
    BackfillTable,
    FollowedWeek,
    WeekLine,
    coverage_words,
    exit_status,
    of_run,
    progress_of,
    published_here,
    states_of_weeks,
    table_of,
    week_lines,
)
from starters.weeks.schedule import (
    MADE_BEFORE,
    ready_for_backfill,
    scheduled_request,
    start_past_week,
)

EXAMPLE = "Example: desk backfill --from 2015-W01 --to 2015-W10 --dry-run"

NAMED: Final = 6
"""How many weeks in progress the bar names."""

MAX_ACTIVE = 2
"""The number of weeks that keep two cores busy; more at once are not faster."""


def backfill(
    first: Annotated[
        str, typer.Option("--from", metavar="WEEK", help="The first week, such as 2015-W01.")
    ],
    last: Annotated[
        str, typer.Option("--to", metavar="WEEK", help="The last week, such as 2015-W10.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what there is of the weeks; start nothing.")
    ] = False,
    max_active: Annotated[
        int, typer.Option("--max-active", metavar="N", min=1, max=50, help="Weeks at a time.")
    ] = MAX_ACTIVE,
    again: Annotated[
        bool, typer.Option("--again", help="Research published weeks anew as well.")
    ] = False,
    no_learning: Annotated[
        bool,
        typer.Option("--no-learning", help="Learn nothing; the weeks run side by side."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the table as JSON, and nothing else.")
    ] = False,
) -> ExitStatus:
    """Write the reports of past weeks, each as it would have been written then.

    The weekly schedule starts the runs, at most N at a time; published weeks are left alone. A week
    starts when the research of the one before it is over, so that it uses what was learned from all
    of them. With --no-learning the weeks run side by side, which suits slow models.
    Progress goes to standard error, the table to standard output. Exit status: 0 all complete,
    3 some below the coverage threshold, 1 some failed, 2 wrong usage. Ctrl-C detaches; the same
    command comes back to the runs under way and starts the rest.
    """
    learn = not no_learning
    return run_backfill(BackfillOptions(first, last, dry_run, max_active, again, learn, as_json))


class BackfillStatus(NamedTuple):
    """How many weeks have ended, of how many, and which are in progress."""

    done: int
    total: int
    active: tuple[str, ...]


BackfillProgress = Progress[BackfillStatus]


class PlainBackfillProgress(TimedLines):
    """Writes a line for everything that happens; the lines contain the counts."""

    def update(self, status: BackfillStatus) -> None:
        """Does nothing: only news gets a line."""


def shown_backfill() -> AbstractContextManager[BackfillProgress]:
    """The progress display for standard error, cleared at the end of the block."""
    return shown_on_stderr(PlainBackfillProgress, partial(_drawn, time.monotonic()))


def backfill_bar(status: BackfillStatus, seconds: float) -> Table:
    """Draws a status as a bar with its counts, the elapsed time, and the weeks in progress."""
    more = f" and {len(status.active) - NAMED} more" if len(status.active) > NAMED else ""
    words = f"{', '.join(status.active[:NAMED])}{more}"
    grid = Table.grid(padding=(0, 1))
    grid.add_row(
        ProgressBar(total=status.total, completed=status.done, width=24),
        Text(f"{status.done}/{status.total}", style="progress.download"),
        Text(str(timedelta(seconds=int(seconds))), style="progress.elapsed"),
        Text(words, overflow="ellipsis", no_wrap=True),
    )
    return grid


def _drawn(started: float, status: BackfillStatus, _: Console) -> Table:
    return backfill_bar(status, time.monotonic() - started)


START_SECONDS = 30.0
"""How long the schedule may take to start a run; it takes a fraction of a second."""

LOOK_SECONDS = 0.02

ASK_AGAIN_SECONDS = 5.0
"""The schedule honours only the last of several requests that arrive at once."""


@dataclass(frozen=True)
class BackfillOptions:
    """The options of `desk backfill`."""

    first: str
    last: str
    dry_run: bool = False
    max_active: int = 2
    again: bool = False
    learn: bool = True
    as_json: bool = False


def run_backfill(options: BackfillOptions) -> ExitStatus:
    """Researches a range of past weeks, and prints the state of each.

    Raises:
        UsageError, CommandError: the message says what to do next.
    """
    settings = load_settings()
    weeks = _wanted(options, settings)
    log_to_file(settings)
    command = _Command(settings, options, weeks)
    return at_a_desk(settings, command.work, command.parting_words)


async def start_week(desk: Desk, week: BackfilledWeek, *, learn: bool) -> FoundRun:
    """Starts a new run of a past week, under the id that the schedule gives it.

    A run that learns is started by the schedule. A run that does not learn has the same request
    (`scheduled_request`) without learning.

    Raises:
        CommandError: the schedule does not start the run, or is gone.
    """
    if not learn:
        return await _started_without_learning(desk.client, week)
    before = await described(desk.client, week.workflow_id)
    return await _started_by_schedule(desk, week, before.run_id if before else None)


async def _started_without_learning(client: Client, week: BackfilledWeek) -> FoundRun:
    request = await scheduled_request(client)
    if request is None:
        raise CommandError(f"{SCHEDULE_ID} starts no weeks; `desk schedule apply` puts it right")
    start = week_start(
        week.week,
        request.config,
        workflow_id=week.workflow_id,
        deliveries=request.deliveries,
        learn=False,
    )
    return await start_run(client, start)


async def _started_by_schedule(desk: Desk, week: BackfilledWeek, before: str | None) -> FoundRun:
    """Returns the run that the schedule starts, other than `before`."""
    deadline, asked = time.monotonic() + START_SECONDS, float("-inf")
    while (now := time.monotonic()) < deadline:
        if now - asked >= ASK_AGAIN_SECONDS:
            asked = now
            await start_past_week(desk.client, week.start, desk.settings.config)
        found = await described(desk.client, week.workflow_id)
        if found is not None and found.run_id != before:
            return found
        await asyncio.sleep(LOOK_SECONDS)
    raise CommandError(
        f"{week.week}: the schedule did not start {week.workflow_id} within "
        f"{START_SECONDS:.0f} s; `desk schedule show` says whether it still exists"
    )


QUICK_SECONDS = 0.15
"""How often the newest run is polled: the next week waits only for its research."""

POLL_SECONDS = 0.5
"""How often all runs in progress are polled."""

TROUBLE_SECONDS = 10.0
"""How often a run in progress is checked for what holds it up."""


class PastWeeks:
    """The weeks of one backfill, with the runs that this command has started and seen end.

    Weeks that learn run in order, others side by side. The work may continue at another desk after
    the first has gone away.
    """

    def __init__(self, weeks: Sequence[BackfilledWeek], *, again: bool, learn: bool = True) -> None:
        self._weeks = {week.week: week for week in weeks}
        self._again = again
        self._learn = learn
        self._runs: dict[str, FoundRun] = {}
        self._started: set[str] = set()
        self._ended: dict[str, WeekLine] = {}
        self._told: dict[str, LastProblem] = {}

    def disable_learning(self) -> None:
        """Runs the weeks side by side from now on, even if learning was requested."""
        self._learn = False

    async def run_all(
        self,
        desk: Desk,
        looks: Mapping[str, FollowedWeek],
        *,
        max_active: int,
        progress: BackfillProgress,
    ) -> None:
        """Starts what has to be done, at most `max_active` weeks at a time, until all have ended.

        Raises:
            CommandError: the schedule does not start a run.
            RPCError, ServerUnreachable: the server went away.
        """
        to_do, order = self._order(looks, max_active)
        asked, looked = time.monotonic(), float("-inf")
        while not order.finished:
            await check_server(desk.client)
            for week in order.due():
                await self._start(desk, week, looks[week], progress)
                order.started(week)
            newest_only = time.monotonic() - looked < POLL_SECONDS
            looked = looked if newest_only else time.monotonic()
            for line in await self._newly_ended(desk, order, newest_only=newest_only):
                order.ended(line.week)
                self._ended[line.week] = line
                progress.note(f"{_words(line)} ({len(self._ended)} of {to_do} weeks)")
            progress.update(BackfillStatus(len(self._ended), to_do, tuple(order.active)))
            if time.monotonic() - asked > TROUBLE_SECONDS:
                asked = time.monotonic()
                await self._report_problems(order.active, progress)
            if not order.due() and not order.finished:
                await asyncio.sleep(QUICK_SECONDS)

    def corrected(self, looks: Mapping[str, FollowedWeek]) -> BackfillTable:
        """The final table: a run that failed here counts, even if the week was published before
        it."""
        failed = {w: line for w, line in self._ended.items() if line.state is WeekState.FAILED}
        return table_of([failed.get(week, looks[week].line) for week in sorted(looks)])

    def _order(self, looks: Mapping[str, FollowedWeek], max_active: int) -> tuple[int, Backfill]:
        """Returns the number of weeks to do, and the order of those that have not ended yet."""
        self._runs |= {week: run for week, look in looks.items() if (run := look.run) is not None}
        states = {week: look.line.state for week, look in looks.items()}
        running = {week for week, state in states.items() if state is WeekState.RUNNING}
        left = weeks_to_do(states, again=self._again, done=self._ended)
        under_way = running | (self._started - self._ended.keys())
        total = len(self._ended.keys() | set(left) | under_way)
        weeks = sorted({*left, *under_way})
        return total, Backfill(weeks, under_way, max_active, in_order=self._learn)

    async def _start(
        self, desk: Desk, week: str, look: FollowedWeek, progress: BackfillProgress
    ) -> None:
        if look.run is not None and look.line.state is WeekState.PUBLISHED:
            await _end_published_run(desk.client, look.run.workflow_id, progress)
        run = await start_week(desk, self._weeks[week], learn=self._learn)
        self._runs[week] = run
        self._started.add(week)
        progress.note(f"{week}: {run.workflow_id} is started")

    async def _newly_ended(
        self, desk: Desk, order: Backfill, *, newest_only: bool
    ) -> list[WeekLine]:
        """Returns the weeks that have published or failed. Marks in `order` the weeks whose
        research is over."""
        weeks = order.active[-1:] if newest_only else order.active
        standings = await asyncio.gather(*(progress_of(self._runs[week]) for week in weeks))
        of_week = dict(zip(weeks, standings, strict=True))
        for week, standing in of_week.items():
            if standing.researched:
                order.researched(week)
        return [await self._line(desk, week) for week in weeks if of_week[week].ended]

    async def _line(self, desk: Desk, week: str) -> WeekLine:
        here = published_here(desk.settings.reports_dir, week)
        return await of_run(self._runs[week], self._weeks[week], here)

    async def _report_problems(self, active: Sequence[str], progress: BackfillProgress) -> None:
        for week in active:
            told = self._told.setdefault(
                week, LastProblem(with_recovery_note(partial(_note, progress, week)))
            )
            with suppress(RPCError):
                told.say(await problem_of(self._runs[week].handle))


def _note(progress: BackfillProgress, week: str, text: str) -> None:
    progress.note(f"{week}: {text}")


async def _end_published_run(client: Client, workflow_id: str, progress: BackfillProgress) -> None:
    """Terminates a run that has published and is open for reruns, so that its week can be
    researched again."""
    found = await described(client, workflow_id)
    if found is not None and found.open:
        progress.note(f"ending the open run {workflow_id} to research its week anew")
        await found.handle.terminate("researched anew by `desk backfill --again`")


def _words(line: WeekLine) -> str:
    if line.state is WeekState.FAILED:
        return f"{line.week}: failed: {line.reason or 'no reason given'}"
    return f"{line.week}: published, revision {line.revision}, {coverage_words(line)}"


def _wanted(options: BackfillOptions, settings: Settings) -> tuple[BackfilledWeek, ...]:
    schedule, now = settings.config.schedule, datetime.now(UTC)
    ends = (options.first, options.last)
    first, last = (written_week(week, now, schedule) or week for week in ends)
    try:
        return backfilled_weeks(first, last, schedule)
    except ValueError as error:
        raise UsageError(str(error)) from None


class _Command:
    """One `desk backfill`. `work` may be called again at another desk, and then continues."""

    def __init__(
        self, settings: Settings, options: BackfillOptions, weeks: tuple[BackfilledWeek, ...]
    ) -> None:
        self._settings = settings
        self._options = options
        self._weeks = weeks
        self._runs = PastWeeks(weeks, again=options.again, learn=options.learn)
        self._hosting = False

    async def work(self, desk: Desk) -> ExitStatus:
        """Determines the weeks' states, starts what is missing, follows it, and prints the
        table."""
        self._hosting = desk.hosting
        await self._check_cover(desk)
        dry = self._options.dry_run
        settings = self._settings
        remark = await ready_for_backfill(
            desk.client, settings.config, settings.deliveries, look_only=dry
        )
        if remark:
            say(f"desk: {remark}")
        if self._options.learn:
            await self._check_learning(desk)
        looks = await states_of_weeks(desk.client, self._settings.reports_dir, self._weeks)
        if dry:
            self._print(_table(looks))
            return ExitStatus.COMPLETE
        sys.stderr.write("".join(f"{line}\n" for line in week_lines(_table(looks))))
        with shown_backfill() as progress:
            await self._runs.run_all(
                desk, looks, max_active=self._options.max_active, progress=progress
            )
        table = self._runs.corrected(
            await states_of_weeks(desk.client, self._settings.reports_dir, self._weeks)
        )
        self._print(table)
        return exit_status(table)

    def parting_words(self) -> str:
        """What to print after Ctrl-C."""
        how = "stopped; what is done is kept, and" if self._hosting else "detached;"
        return (
            f"{how} the runs under way go on when a desk is up, until their deadlines; "
            "the same command comes back to them and starts the rest"
        )

    async def _check_cover(self, desk: Desk) -> None:
        """Rejects weeks from before the data start, and reports weeks from after their end."""
        now = datetime.now(UTC)
        schedule = self._settings.config.schedule
        held = await held_fixings(desk.client, now)
        chosen_week(self._weeks[0].week, now, schedule, held)
        remark = chosen_week(self._weeks[-1].week, now, schedule, held).remark
        if remark:
            say(f"desk: {remark}")

    async def _check_learning(self, desk: Desk) -> None:
        """Runs the weeks side by side, and says so, if the schedule's runs do not learn: their
        order would then not matter."""
        request = await scheduled_request(desk.client)
        if request is not None and not request.learn:
            say(f"desk: the weeks learn nothing, as with --no-learning: {MADE_BEFORE}")
            self._runs.disable_learning()

    def _print(self, table: BackfillTable) -> None:
        lines: Sequence[str]
        if self._options.as_json:
            lines = [table.model_dump_json(indent=2)]
        else:
            lines = list(week_lines(table))
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()


def _table(looks: dict[str, FollowedWeek]) -> BackfillTable:
    return table_of([looks[week].line for week in sorted(looks)])
