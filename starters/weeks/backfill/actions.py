"""What `desk backfill` does."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from desk.platform.settings import Settings, load_settings
from desk.runs.schedule.schedule_spec import BackfilledWeek, backfilled_weeks
from starters.monitoring.tools.look import held_fixings
from starters.runs.command_run import at_a_desk
from starters.runs.week_choice import chosen_week, written_week
from starters.session import Desk, say
from starters.terminal.exit_status import ExitStatus, UsageError
from starters.terminal.logs import log_to_file
from starters.weeks.backfill.progress import shown_backfill
from starters.weeks.backfill.runs import PastWeeks
from starters.weeks.backfill.weeks import (
    BackfillTable,
    Look,
    exit_status,
    look_at_all,
    table_lines,
    table_of,
)
from starters.weeks.schedule.actions import MADE_BEFORE, ready_for_backfill, scheduled_request


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
    """Bring a range of past weeks to their reports, and print what there is of each.

    Raises:
        UsageError, CommandError: with what to do next.
    """
    settings = load_settings()
    weeks = _wanted(options, settings)
    log_to_file(settings)
    command = _Command(settings, options, weeks)
    return at_a_desk(settings, command.work, command.parting_words)


def _wanted(options: BackfillOptions, settings: Settings) -> tuple[BackfilledWeek, ...]:
    schedule, now = settings.config.schedule, datetime.now(UTC)
    ends = (options.first, options.last)
    first, last = (written_week(week, now, schedule) or week for week in ends)
    try:
        return backfilled_weeks(first, last, schedule)
    except ValueError as error:
        raise UsageError(str(error)) from None


class _Command:
    """One `desk backfill`. `work` may be called again, at another desk, and goes on."""

    def __init__(
        self, settings: Settings, options: BackfillOptions, weeks: tuple[BackfilledWeek, ...]
    ) -> None:
        self._settings = settings
        self._options = options
        self._weeks = weeks
        self._runs = PastWeeks(weeks, again=options.again, learn=options.learn)
        self._hosting = False

    async def work(self, desk: Desk) -> ExitStatus:
        """Look, start what is missing, follow it, print the table."""
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
        looks = await look_at_all(desk.client, self._settings.reports_dir, self._weeks)
        if dry:
            self._print(_table(looks))
            return ExitStatus.COMPLETE
        sys.stderr.write("".join(f"{line}\n" for line in table_lines(_table(looks))))
        with shown_backfill() as progress:
            await self._runs.bring_to_an_end(
                desk, looks, max_active=self._options.max_active, progress=progress
            )
        table = self._runs.corrected(
            await look_at_all(desk.client, self._settings.reports_dir, self._weeks)
        )
        self._print(table)
        return exit_status(table)

    def parting_words(self) -> str:
        """What to tell a user who pressed Ctrl-C."""
        how = "stopped; what is done is kept, and" if self._hosting else "detached;"
        return (
            f"{how} the runs under way go on when a desk is up, until their deadlines; "
            "the same command comes back to them and starts the rest"
        )

    async def _check_cover(self, desk: Desk) -> None:
        """Refuse weeks from before the data, and tell of those after their end."""
        now, cache_dir = datetime.now(UTC), str(self._settings.cache_dir)
        schedule = self._settings.config.schedule
        held = await held_fixings(desk.client, now)
        chosen_week(self._weeks[0].week, now, schedule, held, cache_dir)
        remark = chosen_week(self._weeks[-1].week, now, schedule, held, cache_dir).remark
        if remark:
            say(f"desk: {remark}")

    async def _check_learning(self, desk: Desk) -> None:
        """Have the weeks run side by side, and say so, where the schedule's runs learn nothing:
        their order would be of no use."""
        request = await scheduled_request(desk.client)
        if request is not None and not request.learn:
            say(f"desk: the weeks learn nothing, as with --no-learning: {MADE_BEFORE}")
            self._runs.learn_nothing()

    def _print(self, table: BackfillTable) -> None:
        lines: Sequence[str]
        if self._options.as_json:
            lines = [table.model_dump_json(indent=2)]
        else:
            lines = list(table_lines(table))
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()


def _table(looks: dict[str, Look]) -> BackfillTable:
    return table_of([looks[week].line for week in sorted(looks)])
