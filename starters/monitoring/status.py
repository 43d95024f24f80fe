"""`desk status`."""

import contextlib
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from desk.platform.settings import load_settings
from starters.runs.week_choice import no_run_of, written_week
from starters.session import Desk, never_up, with_desk, with_workers
from starters.terminal.exit_status import CommandError, ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.options import of_week

if TYPE_CHECKING:
    from starters.runs.week_runs import FoundRun

EXAMPLE = "Example: desk status --week 2026-W44"


def status(
    week: Annotated[
        str | None, of_week("ISO week such as 2026-W44; without it, the latest that has a run.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the status as JSON.")] = False,
) -> ExitStatus:
    """Say how far the run of a week is, market by market."""
    return show_status(week, as_json=as_json)


def show_status(week: str | None, *, as_json: bool) -> ExitStatus:
    """Prints the status of a week's run. A desk that is not up is hosted for it, with workers only
    if the run is open.

    Raises:
        UsageError, CommandError: with what to do next.
    """
    settings = load_settings()
    written = written_week(week, datetime.now(UTC), settings.config.schedule)
    log_to_file(settings)
    if never_up(settings):
        raise CommandError(no_run_of(written))

    async def work(desk: Desk) -> ExitStatus:
        # With what the SDK takes to import, a command that needs no server takes twice as long.
        from starters.monitoring.week_status import run_at, status_lines, status_of

        found, chosen = await run_at(desk, written)
        async with with_workers(desk) if found.open else contextlib.nullcontext():
            status = await status_of(desk, found, chosen)
        text = status.model_dump_json(indent=2) if as_json else "\n".join(status_lines(status))
        sys.stdout.write(f"{text}\n")
        if not as_json:
            sys.stdout.write(f"Temporal  {_address(desk, found)}\n")
        return ExitStatus.COMPLETE

    return interruptible(with_desk(settings, work, server_only=True))


def _address(desk: Desk, found: "FoundRun") -> str:
    from starters.runs.server_runs import ui_address

    address = ui_address(
        desk.settings.ui_url, desk.client.namespace, found.workflow_id, found.run_id
    )
    return address or found.workflow_id
