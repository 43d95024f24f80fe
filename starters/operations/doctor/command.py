"""`desk doctor`."""

import asyncio
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Annotated

import typer

from desk.platform.server.failure import ServerFailed
from desk.platform.settings import Settings, SettingsError, load_settings
from desk.platform.temporal.client import ServerUnreachable
from starters.operations.doctor.check import Check, Level
from starters.operations.doctor.machine import (
    base_area_check,
    binary_check,
    configuration_check,
    python_check,
    signing_check,
    space_check,
    store_check,
    writable_check,
)
from starters.operations.doctor.models import model_checks
from starters.operations.doctor.server import server_checks
from starters.operations.doctor.sources import age_checks, built_checks, source_checks
from starters.session import Desk, with_desk
from starters.terminal.exit_status import ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.tables import table_lines

EXAMPLE = "Example: desk doctor"

AskModel = Annotated[
    bool,
    typer.Option("--ask", help="Ask each model once, and say what it can and costs. That is paid."),
]


def doctor(ask: AskModel = False) -> ExitStatus:
    """Check everything the desk needs, and say how to fix what is wrong.

    Exit status 1 if something keeps it from working. If no server is running, one is started for
    the checks.
    """
    return check_desk(ask=ask)


def local_checks(settings: Settings) -> Iterator[Check]:
    """All checks that need no server and build no source."""
    yield python_check(sys.version_info[:3])
    yield binary_check(settings)
    yield configuration_check(settings)
    yield base_area_check(settings.config)
    yield signing_check(settings)
    yield from source_checks(settings)
    yield writable_check("reports", settings.reports_dir)
    yield writable_check("home", settings.home)
    yield space_check(settings.home)
    if settings.store is not None:
        yield store_check(settings.store)


DOCTOR_PATIENCE_SECONDS = 15.0
"""How long `desk doctor` waits for a server: it should report a problem, not wait until it
passes."""


def check_desk(*, ask: bool = False) -> ExitStatus:
    """Checks everything that the desk needs, and says what to do about each problem.

    Starts a server for the time of the checks if none runs. With `ask` calls each model that agents
    use once.
    """
    try:
        settings = load_settings()
    except SettingsError as error:
        return _print_checks([Check("settings", Level.FAIL, str(error))])
    checks = list(local_checks(settings))
    if ask:
        checks += [
            Check(f"model {asked.model}", Level.OK if asked.answers else Level.FAIL, asked.words)
            for asked in interruptible(model_checks(settings))
        ]
    if all(check.level is not Level.FAIL for check in checks):
        log_to_file(settings)
        checks += interruptible(_at_server(settings))
    else:
        checks.append(Check("server", Level.WARN, "not looked at until the above is mended"))
    return _print_checks(checks)


def _kept_checks(settings: Settings) -> list[Check]:
    return [*built_checks(settings), *age_checks(settings, datetime.now(UTC))]


async def _at_server(settings: Settings) -> list[Check]:
    async def work(desk: Desk) -> list[Check]:
        sources = await asyncio.to_thread(_kept_checks, settings)
        return [*sources, *[check async for check in server_checks(desk)]]

    try:
        return await with_desk(settings, work, patience=DOCTOR_PATIENCE_SECONDS)
    except (ServerUnreachable, ServerFailed) as error:
        return [
            Check("server", Level.FAIL, str(error)),
            Check(
                "workers",
                Level.WARN,
                "not looked at, nor what the sources keep: that takes a server",
            ),
        ]


def _print_checks(checks: Iterable[Check]) -> ExitStatus:
    told = list(checks)
    rows = ((check.level, check.name, check.sentence) for check in told)
    for row in table_lines(("", "", ""), rows):
        sys.stdout.write(f"{row}\n")
    failed = any(check.level is Level.FAIL for check in told)
    return ExitStatus.FAILED if failed else ExitStatus.COMPLETE
