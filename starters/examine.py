"""What `desk doctor` does."""

import sys
from collections.abc import Iterable

from desk.platform.server.failure import ServerFailed
from desk.platform.settings import Settings, SettingsError, load_settings
from desk.platform.temporal.client import ServerUnreachable
from starters.checks import Check, Level, local_checks
from starters.desk_logs import log_to_file
from starters.desk_session import Desk, with_desk
from starters.endings import ExitStatus
from starters.interrupts import interruptible
from starters.server_checks import server_checks

DOCTOR_PATIENCE_SECONDS = 15.0
"""Whoever asks what is wrong wants to be told, and not to wait for it to pass."""


def examine() -> ExitStatus:
    """Look at everything the desk needs, and say what to do about what is not well.

    Where no server runs, one is started for the time of the checks.
    """
    try:
        settings = load_settings()
    except SettingsError as error:
        return _told([Check("settings", Level.FAIL, str(error))])
    checks = list(local_checks(settings))
    if all(check.level is not Level.FAIL for check in checks):
        log_to_file(settings)
        checks += interruptible(_at_server(settings))
    else:
        checks.append(Check("server", Level.WARN, "not looked at before the above is well"))
    return _told(checks)


async def _at_server(settings: Settings) -> list[Check]:
    async def work(desk: Desk) -> list[Check]:
        return [check async for check in server_checks(desk)]

    try:
        return await with_desk(settings, work, patience=DOCTOR_PATIENCE_SECONDS)
    except (ServerUnreachable, ServerFailed) as error:
        return [
            Check("server", Level.FAIL, str(error)),
            Check("workers", Level.WARN, "not looked at: that takes a server"),
        ]


def _told(checks: Iterable[Check]) -> ExitStatus:
    told = list(checks)
    for check in told:
        sys.stdout.write(f"{check.level:<4}  {check.name:<11}  {check.sentence}\n")
    failed = any(check.level is Level.FAIL for check in told)
    return ExitStatus.FAILED if failed else ExitStatus.COMPLETE
