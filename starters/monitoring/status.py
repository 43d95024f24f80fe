"""`desk status`."""

import contextlib
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Annotated

import typer

from desk.platform.settings import load_settings
from starters.monitoring.cached_status import PrintedStatus, cache_status, cached_status
from starters.runs.week_choice import no_run_of, written_week
from starters.session import Desk, never_up, with_desk, with_query_worker
from starters.terminal.exit_status import CommandError, ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.options import of_week

EXAMPLE = "Example: desk status --week 2026-W44"


def status(
    week: Annotated[
        str | None, of_week("ISO week such as 2026-W44; without it, the latest that has a run.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the status as JSON.")] = False,
) -> ExitStatus:
    """Show the progress of a week's run, market by market."""
    return show_status(week, as_json=as_json)


def show_status(week: str | None, *, as_json: bool) -> ExitStatus:
    """Prints the status of a week's run. Hosts a desk that is not up, with a worker that answers
    queries if the run is open. Prints the cached status without hosting if nothing can have
    changed.

    Raises:
        UsageError, CommandError: the message says what to do next.
    """
    settings = load_settings()
    written = written_week(week, datetime.now(UTC), settings.config.schedule)
    log_to_file(settings)
    if never_up(settings):
        raise CommandError(no_run_of(written))
    told = None if settings.external else cached_status(settings, written)

    def show(status: PrintedStatus) -> None:
        sys.stdout.write(f"{status.json if as_json else status.text}\n")
        sys.stdout.flush()

    if told is not None:
        show(told)
        return ExitStatus.COMPLETE
    told = interruptible(with_desk(settings, partial(_asked, written, show), server_only=True))
    cache_status(settings, told)
    return ExitStatus.COMPLETE


async def _asked(
    written: str | None, show: Callable[[PrintedStatus], None], desk: Desk
) -> PrintedStatus:
    # Importing the SDK would double the time of a command that needs no server.
    from starters.monitoring.week_status import printed_status, run_at, status_of

    found, chosen = await run_at(desk, written)
    async with with_query_worker(desk) if found.open else contextlib.nullcontext():
        printed = await printed_status(desk, found, await status_of(desk, found, chosen))
        show(printed)
    return printed
