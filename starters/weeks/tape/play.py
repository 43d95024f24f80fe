"""`desk run --tape`: plays a run again, on a separate server."""

import asyncio
import contextlib
import shutil
import sys
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from desk.analytics.weeks import window_of
from desk.contracts.runs.tape import Effect, Tape
from desk.contracts.week.report import ResearchReport
from desk.contracts.weeks import parse_week
from desk.platform.settings import Settings, load_settings
from desk.trust.seals import sealed
from starters.monitoring.week_progress import shown_progress
from starters.published.published_files import check_target, copy_set, report_if_here
from starters.runs.command_run import start_run
from starters.runs.summary import ROOM_ELSEWHERE, PublishedWeek, summary_lines, summary_of
from starters.runs.watching import wait_until_published
from starters.runs.week_runs import week_start
from starters.session import Desk, at_temporary_desk, say, temporary_desk_settings
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.weeks.tape.files import read_tape

if TYPE_CHECKING:
    from workers.tape import TapePlayer

T = TypeVar("T")

FOLDER: Final = "tape"
"""The folder for played reports, below the reports folder, unless another is named."""

MOST_NAMED: Final = 5

_TEMPORAL: Final = "Temporal  "


@dataclass(frozen=True)
class PlayOptions:
    """The options of `desk run --tape`."""

    tape: Path
    week: str | None = None
    out: Path | None = None
    as_json: bool = False


def play_tape(options: PlayOptions) -> ExitStatus:
    """Plays a tape, copies its report to the chosen folder, and prints the summary.

    Does not touch the desk's own server and reports.

    Raises:
        UsageError, CommandError: no report was written; the message says what to do next.
    """
    tape = read_tape(options.tape)
    settings = load_settings()
    _check_week(options, tape)
    target = (options.out or settings.reports_dir / FOLDER).resolve()
    check_target(target)
    log_to_file(settings)
    playback = _Playback(options, tape, target)
    try:
        apart = at_temporary_desk(
            "desk-tape-", lambda folder: temporary_desk_settings(settings, folder), playback.work
        )
        return interruptible(apart)
    except KeyboardInterrupt:
        say("desk: stopped; nothing of the tape was published")
        return ExitStatus.INTERRUPTED


def _check_week(options: PlayOptions, tape: Tape) -> None:
    try:
        week = parse_week(options.week) if options.week else tape.week
    except ValueError as error:
        raise UsageError(str(error)) from None
    if week != tape.week:
        raise UsageError(f"{options.tape} is a tape of {tape.week}, and not of {week}")
    window = window_of(tape.week, tape.config.schedule)
    if window != tape.window:
        raise CommandError(
            f"{options.tape} cannot be played: its {tape.week} ends at {tape.window.end}, and by "
            f"this desk's calendar at {window.end}"
        )


class _Playback:
    """One playback of one tape."""

    def __init__(self, options: PlayOptions, tape: Tape, target: Path) -> None:
        self._options = options
        self._tape = tape
        self._target = target

    async def work(self, desk: Desk) -> ExitStatus:
        """Plays the run, compares its requests with the tape, and copies its report.

        Raises:
            CommandError: the run and the tape do not match.
        """
        from workers.tape import playing

        reports_dir = desk.settings.reports_dir
        if self._tape.previous is not None:
            _write_previous(self._tape.previous, self._tape.subset, reports_dir)
        async with playing(desk.client, self._tape, reports_dir) as player:
            published = await self._unless_faulty(player, self._published(desk))
        if player.unplayed:
            left = f"{len(player.unplayed):,} of its {len(self._tape.takes):,} takes"
            some = ", ".join(map(str, player.unplayed[:MOST_NAMED]))
            raise self._mismatch_error(f"the run never asked for {left}: {some}")
        report = report_if_here(published.files)
        files = copy_set(published.files, self._target)
        return self._print(published.model_copy(update={"files": files}), report, desk.settings)

    async def _published(self, desk: Desk) -> PublishedWeek:
        tape = self._tape
        with shown_progress() as progress:
            start = week_start(
                tape.week,
                tape.config,
                subset=tape.subset,
                workflow_id=tape.workflow_id,
                learn=any(take.effect is Effect.ADVICE for take in tape.takes),
            )
            found = await start_run(desk.client, start)
            return await wait_until_published(found, tape.week, progress, after=tape.revision - 1)

    async def _unless_faulty(self, player: "TapePlayer", work: Coroutine[Any, Any, T]) -> T:
        """Returns the work's result, or raises as soon as the run differs from the tape."""
        task = asyncio.create_task(work)
        ends: set[asyncio.Future[Any]] = {task, player.fault}
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if player.fault.done():
                raise self._mismatch_error(player.fault.result())
            return await task
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task

    def _mismatch_error(self, words: str) -> CommandError:
        return CommandError(f"{self._options.tape} does not fit this desk: {words}")

    def _print(
        self, published: PublishedWeek, report: ResearchReport | None, settings: Settings
    ) -> ExitStatus:
        zone = self._tape.config.schedule.time_zone
        summary = summary_of(published, report, time_zone=zone, temporal_ui=None)
        if self._options.as_json:
            lines = [summary.model_dump_json(indent=2)]
        else:
            width = shutil.get_terminal_size().columns if sys.stdout.isatty() else ROOM_ELSEWHERE
            tape = f"Tape      {self._options.tape}, {len(self._tape.takes):,} takes"
            lines = [
                tape if line.startswith(_TEMPORAL) else line
                for line in summary_lines(summary, width)
            ]
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()
        complete = published.coverage.complete
        return ExitStatus.COMPLETE if complete else ExitStatus.INCOMPLETE


def _write_previous(previous: ResearchReport, subset: str | None, reports_dir: Path) -> None:
    """Writes the report of the week before to where publishing looks for it."""
    from desk.programs.week.document.json_form import to_json
    from desk.programs.week.document.publishing import DEFAULT_SLUG
    from desk.programs.week.document.publishing import FOLDER as WEEKLY

    folder = reports_dir / WEEKLY
    folder.mkdir(parents=True)
    name = f"{previous.week}-{subset or DEFAULT_SLUG}.r{previous.revision}.json"
    # Sealed anew: if this desk has a newer report field, the report is read with that field.
    (folder / name).write_text(to_json(sealed(previous)), encoding="utf-8")
