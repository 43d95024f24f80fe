"""What `desk rerun` and `desk dead-letters retry` do."""

import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from desk.contracts.names import Queue
from desk.contracts.week.report import MOST_REVISIONS
from desk.contracts.week.run import RerunRequest
from desk.platform.settings import Settings, load_settings
from starters.changes import changes_between
from starters.desk_logs import log_to_file
from starters.desk_session import Desk, require_workers, say, with_desk
from starters.endings import CommandError, ExitStatus, UsageError
from starters.interrupts import interruptible
from starters.market_choice import known_market
from starters.print_week import print_week
from starters.progress import shown_progress
from starters.published_files import report_if_here
from starters.reopening import signal_rerun as send
from starters.summary import PublishedWeek
from starters.watching import WeekProgress, published_by, wait_until_published
from starters.week_choice import written_week
from starters.week_results import EndedWithoutReport
from starters.week_runs import FoundRun, described, find_any_run, newest_week, request_of


@dataclass(frozen=True)
class RerunOptions:
    """The options of `desk rerun`. `workflow_id` names a run that is known already."""

    market: str
    reason: str
    week: str | None = None
    wait: bool = True
    as_json: bool = False
    workflow_id: str | None = None


def rerun_market(options: RerunOptions) -> ExitStatus:
    """Have a market researched again, and print what changed.

    Raises:
        UsageError, CommandError: with what to do next.
    """
    settings = load_settings()
    market = known_market(settings.config, options.market)
    if not options.reason.strip():
        raise UsageError("--reason is empty: the report says why a market was redone")
    week = written_week(options.week, datetime.now(UTC), settings.config.schedule)
    log_to_file(settings)
    rerun = _Rerun(settings, options, market, week)
    try:
        return interruptible(with_desk(settings, rerun.work))
    except KeyboardInterrupt:
        say(f"desk: detached; `desk status --week {rerun.week}` says how far the rerun is")
        return ExitStatus.INTERRUPTED


class _Rerun:
    """One rerun. `work` may be called again, at another desk, and does not ask twice."""

    def __init__(
        self, settings: Settings, options: RerunOptions, market: str, week: str | None
    ) -> None:
        self._settings = settings
        self._options = options
        self._market = market
        self.week = week
        self._before: PublishedWeek | None = None
        self._asked: FoundRun | None = None

    async def work(self, desk: Desk) -> ExitStatus:
        """Ask for the rerun, wait for its revision, print it."""
        if not desk.hosting:
            await require_workers(desk, Queue.DESK)
        self.week = self.week or await self._newest_week(desk)
        found = await self._find(desk, self.week)
        before = self._before = self._before or await _published(found, self.week)
        old = report_if_here(before.files) if before else None
        if self._asked is None:
            found = self._asked = await self._ask(desk, found, self.week)
        if not self._options.wait:
            sys.stdout.write(f"asked {found.workflow_id} for a rerun of {self._market}\n")
            return ExitStatus.COMPLETE
        with shown_progress() as progress:
            published = await self._wait(found, self.week, before, progress)
        new = report_if_here(published.files)
        changes = changes_between(old, new, self._market)
        return print_week(desk, published, new, as_json=self._options.as_json, changes=changes)

    async def _newest_week(self, desk: Desk) -> str:
        week = await newest_week(desk.client)
        if week is None:
            raise CommandError("no week has been researched yet; `desk run` does it")
        return week

    async def _find(self, desk: Desk, week: str) -> FoundRun:
        chosen = self._options.workflow_id
        found = (
            await described(desk.client, chosen)
            if chosen
            else await find_any_run(desk.client, week)
        )
        if found is None:
            raise CommandError(f"no run of {week}; `desk run --week {week}` researches it")
        return found

    async def _ask(self, desk: Desk, found: FoundRun, week: str) -> FoundRun:
        request = await request_of(found)
        if self._market not in request.config.market_names:
            raise UsageError(
                f"{self._market} is not among the markets of {found.workflow_id}; "
                f"`desk run --week {week} --markets {self._market}` researches it"
            )
        if self._before is not None and self._before.revision + 1 >= MOST_REVISIONS:
            raise CommandError(
                f"{week} has {self._before.revision} revisions, the most there can be"
            )
        rerun = RerunRequest(market=self._market, reason=self._options.reason.strip())
        return await send(desk.client, found, week, rerun)

    async def _wait(
        self, found: FoundRun, week: str, before: PublishedWeek | None, progress: WeekProgress
    ) -> PublishedWeek:
        after, began = before.revision if before else 0, time.monotonic()
        published = await wait_until_published(
            found, week, progress, after=after, market=self._market
        )
        return published.model_copy(update={"seconds": time.monotonic() - began})


async def _published(found: FoundRun, week: str) -> PublishedWeek | None:
    """What there is to compare with; whether there is anything to start from is asked later."""
    try:
        return await published_by(found, week)
    except EndedWithoutReport:
        return None
