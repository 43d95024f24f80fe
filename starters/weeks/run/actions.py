"""What `desk run` does."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from desk.contracts.config import RunConfig
from desk.contracts.names import Queue
from desk.platform.settings import Settings, load_settings
from starters.monitoring.tools.look import held_fixings
from starters.published.published_files import check_target, copy_set, report_if_here
from starters.runs.market_choice import chosen_markets
from starters.runs.models import has_models, model_words, with_budget
from starters.runs.progress import shown_progress
from starters.runs.summary import PublishedWeek, print_week
from starters.runs.watching import WeekProgress, published_by, wait_until_published
from starters.runs.week_choice import chosen_week, written_week
from starters.runs.week_results import EndedWithoutReport
from starters.runs.week_runs import FoundRun, find_run, start_run
from starters.session import Desk, require_workers, say, with_desk
from starters.terminal.exit_status import CommandError, ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file


@dataclass(frozen=True)
class RunOptions:
    """The options of `desk run`."""

    week: str | None = None
    markets: str | None = None
    out: Path | None = None
    as_json: bool = False
    again: bool = False
    budget_usd: float | None = None


def run_week(options: RunOptions) -> ExitStatus:
    """Research a week, or report what is published of it, and print the summary.

    Raises:
        UsageError, CommandError: with what to do next.
    """
    settings = load_settings()
    config, subset = chosen_markets(settings.config, options.markets)
    if options.budget_usd is not None:
        config = with_budget(config, options.budget_usd)
    written = written_week(options.week, datetime.now(UTC), config.schedule)
    check_target(options.out)
    log_to_file(settings)
    run = _WeekRun(settings, options, config, subset, written)
    try:
        return interruptible(with_desk(settings, run.work))
    except KeyboardInterrupt:
        say(run.parting_words())
        return ExitStatus.INTERRUPTED


class _WeekRun:
    """One `desk run`. `work` may be called again, at another desk, and goes on where it was."""

    def __init__(
        self,
        settings: Settings,
        options: RunOptions,
        config: RunConfig,
        subset: str | None,
        written: str | None,
    ) -> None:
        self._settings = settings
        self._options = options
        self._config = config
        self._subset = subset
        self._written = written
        self._week: str | None = None
        self._started = False
        self._hosting = False

    async def work(self, desk: Desk) -> ExitStatus:
        """Find or start the run, follow it, print the summary."""
        self._hosting = desk.hosting
        if not desk.hosting:
            await require_workers(desk, Queue.DESK)
        if self._week is None:
            self._week = await self._choose_week(desk)
        with shown_progress() as progress:
            published, already = await self._published(desk, self._week, progress)
        report = report_if_here(published.files)
        if self._options.out is not None:
            copied = copy_set(published.files, self._options.out.resolve())
            published = published.model_copy(update={"files": copied})
        return print_week(
            desk, published, report, as_json=self._options.as_json, already_published=already
        )

    def parting_words(self) -> str:
        """What to tell a user who pressed Ctrl-C."""
        if self._week is None:
            return "desk: stopped before anything was started"
        markets = f" --markets {self._options.markets}" if self._subset else ""
        back = f"`desk run --week {self._week}{markets}`"
        how = "stopped; what is done is kept, and" if self._hosting else "detached;"
        return (
            f"desk: {how} the run goes on when a desk is up, until the week's deadline; "
            f"{back} comes back to it"
        )

    async def _choose_week(self, desk: Desk) -> str:
        now = datetime.now(UTC)
        held = await held_fixings(desk.client, now)
        choice = chosen_week(
            self._written, now, self._config.schedule, held, str(self._settings.cache_dir)
        )
        if choice.remark:
            say(f"desk: {choice.remark}")
        return choice.week

    async def _published(
        self, desk: Desk, week: str, progress: WeekProgress
    ) -> tuple[PublishedWeek, bool]:
        """The published week, and whether it was so before this command."""
        found = await find_run(desk.client, week, self._subset)
        if not self._started:
            if found is not None and not self._options.again:
                already = await self._already(found, week, progress)
                if already is not None:
                    return already, True
            if found is None or self._options.again or not found.open:
                found = await self._start(desk, week, found, progress)
            self._started = True
        if found is None:
            raise CommandError(
                f"the run of {week} is gone; `desk run --week {week}` starts it anew"
            )
        return await wait_until_published(found, week, progress), False

    async def _already(
        self, found: FoundRun, week: str, progress: WeekProgress
    ) -> PublishedWeek | None:
        try:
            already = await published_by(found, week)
        except EndedWithoutReport as ended:
            progress.note(f"{ended.told}; researching it anew")
            return None
        if already is None:
            progress.note(f"a run of {week} is under way; following it")
        return already

    async def _start(
        self, desk: Desk, week: str, replaced: FoundRun | None, progress: WeekProgress
    ) -> FoundRun:
        if replaced is not None and replaced.open:
            progress.note(f"ending the open run {replaced.workflow_id} to research it anew")
        if has_models(self._config):
            progress.note(model_words(self._config))
        return await start_run(
            desk.client,
            week,
            self._config,
            subset=self._subset,
            workflow_id=replaced.workflow_id if replaced else None,
            replace=replaced is not None,
            deliveries=self._settings.deliveries if self._subset is None else None,
        )
