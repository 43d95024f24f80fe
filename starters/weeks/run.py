"""`desk run`."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from desk.contracts.agents.config import RunConfig
from desk.contracts.runs.week import WeekResult, WeekStatus
from desk.platform.settings import Settings, load_settings
from starters.monitoring.cached_status import PrintedStatus, cache_status
from starters.monitoring.week_progress import shown_progress
from starters.monitoring.week_status import SeenProgress, status_to_cache
from starters.published.published_files import check_target, copy_set, report_if_here
from starters.runs.command_run import CommandRun
from starters.runs.market_choice import chosen_markets
from starters.runs.models import has_models, model_words, with_budget
from starters.runs.server_runs import RunStart
from starters.runs.summary import PublishedWeek, print_week
from starters.runs.watching import WeekProgress, published_by, wait_until_published
from starters.runs.week_choice import chosen_week, written_week
from starters.runs.week_results import EndedWithoutReport
from starters.runs.week_runs import FoundRun, find_any_run, find_run, newest_week, week_start
from starters.session import Desk
from starters.sources.tools.fixing_coverage import held_fixings
from starters.terminal.completion import markets
from starters.terminal.exit_status import ExitStatus, UsageError
from starters.terminal.logs import log_to_file
from starters.terminal.options import BudgetTokens, BudgetUsd

EXAMPLE = "Example: desk run --week 2026-W44 --markets USD/JPY,EUR/USD --out ~/reports"

Week = Annotated[
    str | None,
    typer.Option("--week", metavar="WEEK", help="ISO week such as 2026-W44.", show_default=False),
]

Markets = Annotated[
    str | None,
    typer.Option(
        "--markets",
        metavar="A,B",
        autocompletion=markets,
        help="Only these markets; their report has a name of its own.",
        show_default=False,
    ),
]

TapeFile = Annotated[
    Path | None,
    typer.Option(
        "--tape",
        metavar="FILE",
        help="Play a saved run instead, without network or key; see `desk tape save --help`.",
        show_default=False,
    ),
]


def run(
    week: Annotated[
        str | None,
        typer.Option(
            "--week",
            metavar="WEEK",
            help="ISO week such as 2026-W44; without it, the latest that the data cover.",
            show_default=False,
        ),
    ] = None,
    markets: Markets = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Copy the report there.", show_default=False),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the summary as JSON, and nothing else.")
    ] = False,
    again: Annotated[
        bool,
        typer.Option("--again", help="Research the week anew, even if it is published already."),
    ] = False,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    tape: TapeFile = None,
) -> ExitStatus:
    """Research a week and publish its report.

    Progress goes to standard error, the summary to standard output. Exit status: 0 complete,
    3 published below the coverage threshold, 1 failed, 2 wrong usage. Ctrl-C detaches; the same
    command comes back to the run.

    A tape is played on a server of its own, beside the desk's; its report goes to --out, by
    default to reports/tape. It has its own markets. The run fails if it asks for something that the
    tape does not contain.
    """
    if tape is not None:
        if markets is not None or again or (budget_usd, budget_tokens) != (None, None):
            raise UsageError(
                "--tape plays a run as it was, without --markets, --again and --budget-usd"
            )
        return _play(tape, week, out, as_json=as_json)
    return run_week(RunOptions(week, markets, out, as_json, again, budget_usd, budget_tokens))


def _play(tape: Path, week: str | None, out: Path | None, *, as_json: bool) -> ExitStatus:
    from starters.weeks.tape.play import PlayOptions, play_tape

    return play_tape(PlayOptions(tape, week, out, as_json))


@dataclass(frozen=True)
class RunOptions:
    """The options of `desk run`."""

    week: str | None = None
    markets: str | None = None
    out: Path | None = None
    as_json: bool = False
    again: bool = False
    budget_usd: float | None = None
    budget_tokens: int | None = None


def run_week(options: RunOptions) -> ExitStatus:
    """Researches a week, or finds its published report, and prints the summary.

    Raises:
        UsageError, CommandError: the message says what to do next.
    """
    settings = load_settings()
    run = week_run(settings, options)
    check_target(options.out)
    log_to_file(settings)
    return run.run_command(settings)


def week_run(settings: Settings, options: RunOptions) -> "WeekRun":
    """Builds the run that the options ask for.

    Raises:
        UsageError: a market or the week cannot be researched.
    """
    config, subset = chosen_markets(settings.config, options.markets)
    config = with_budget(config, options.budget_usd, options.budget_tokens)
    written = written_week(options.week, datetime.now(UTC), config.schedule)
    return WeekRun(settings, options, config, subset, written)


class PublishedOutcome(NamedTuple):
    """A published week; `before` says that it was published before this command."""

    week: PublishedWeek
    before: bool


class WeekRun(CommandRun[WeekResult, WeekStatus, PublishedOutcome]):
    """One `desk run`."""

    _purpose_of_restart = "research it anew"

    def __init__(
        self,
        settings: Settings,
        options: RunOptions,
        config: RunConfig,
        subset: str | None,
        written: str | None,
    ) -> None:
        super().__init__(anew=options.again)
        self._settings = settings
        self._options = options
        self._config = config
        self._subset = subset
        self._written = written
        self._week = ""
        self._told: PrintedStatus | None = None

    def run_command(self, settings: Settings) -> ExitStatus:
        """Like `CommandRun.run_command`. If this process hosted the desk, caches the run's status
        for `desk status`."""
        ended = super().run_command(settings)
        cache_status(settings, self._told)
        return ended

    async def work(self, desk: Desk) -> ExitStatus:
        """Like `CommandRun.work`."""
        ended = await super().work(desk)
        self._told = await status_to_cache(desk, self._week) if desk.hosting else None
        return ended

    async def _prepare(self, desk: Desk, tell: Callable[[str], None]) -> None:
        if self._week:
            return
        now = datetime.now(UTC)
        held = await held_fixings(desk.client, now)
        choice = chosen_week(self._written, now, self._config.schedule, held)
        if choice.remark:
            tell(choice.remark)
        self._week = choice.week

    def _shown(self) -> AbstractContextManager[WeekProgress]:
        return shown_progress()

    async def _find(self, desk: Desk) -> FoundRun | None:
        return await find_run(desk.client, self._week, self._subset)

    async def _already(self, found: FoundRun, progress: WeekProgress) -> PublishedOutcome | None:
        try:
            already = await published_by(found, self._week)
        except EndedWithoutReport as ended:
            progress.note(f"{ended.summary}; researching it anew")
            return None
        if already is None:
            progress.note(f"a run of {self._week} is under way; following it")
            return None
        return PublishedOutcome(already, before=True)

    def _models(self) -> str | None:
        return model_words(self._config) if has_models(self._config) else None

    def _run_start(self, replaced: FoundRun | None) -> RunStart[WeekResult]:
        return week_start(
            self._week,
            self._config,
            subset=self._subset,
            workflow_id=replaced.workflow_id if replaced else None,
            deliveries=self._settings.deliveries if self._subset is None else None,
        )

    async def _outcome(self, found: FoundRun, progress: WeekProgress) -> PublishedOutcome:
        if await self._is_shown_by_status(found):
            progress = SeenProgress(progress, self._settings)
        published = await wait_until_published(found, self._week, progress)
        return PublishedOutcome(published, before=False)

    async def _is_shown_by_status(self, found: FoundRun) -> bool:
        """Returns whether `desk status` shows this run, once this process no longer hosts it."""
        if not self._hosting or self._week < (await newest_week(found.client) or ""):
            return False
        shown = await find_any_run(found.client, self._week)
        return shown is not None and shown.run_id == found.run_id

    def _print(self, desk: Desk, outcome: PublishedOutcome) -> ExitStatus:
        published = outcome.week
        report = report_if_here(published.files)
        if self._options.out is not None:
            copied = copy_set(published.files, self._options.out.resolve())
            published = published.model_copy(update={"files": copied})
        return print_week(
            desk, published, report, as_json=self._options.as_json, already_published=outcome.before
        )

    def _continues(self) -> str:
        markets = f" --markets {self._options.markets}" if self._subset else ""
        return (
            f"the run {self._continuation}, until the week's deadline; "
            f"`desk run --week {self._week}{markets}` comes back to it"
        )

    def _gone(self) -> str:
        week = self._week
        return f"the run of {week} is gone; `desk run --week {week}` starts it anew"
