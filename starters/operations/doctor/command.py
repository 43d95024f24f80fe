"""`desk doctor`."""

from starters.terminal.exit_status import ExitStatus

EXAMPLE = "Example: desk doctor"


def doctor() -> ExitStatus:
    """Check everything the desk needs, and say what to do about what is not well.

    Exit status 1 when something keeps it from working. Where no server runs, one is started for
    the time of the checks.
    """
    from starters.operations.doctor.actions import check_desk

    return check_desk()
