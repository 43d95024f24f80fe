"""`--week`: the week to research, and whether there are data for it."""

from dataclasses import dataclass
from datetime import datetime

from desk.contracts.agents.config import ScheduleConfig
from desk.contracts.findings.source_results import FixingCoverage
from desk.contracts.weeks import monday_of, next_week, parse_week
from starters.terminal.exit_status import UsageError

REFRESH = "desk refresh"
"""The command that fetches newer data."""


@dataclass(frozen=True)
class WeekChoice:
    """The chosen week, and a remark if it is not the one that the user might expect."""

    week: str
    remark: str | None = None


def no_run_of(week: str | None) -> str:
    """Says that no run of a week, or of any week, is known."""
    run = f"desk run --week {week}" if week else "desk run"
    return f"no run of {week or 'any week'} is known; `{run}` researches one"


def written_week(text: str | None, now: datetime, schedule: ScheduleConfig) -> str | None:
    """Parses the week that the user wrote, if any. It must be over.

    Raises:
        UsageError: it is not a week, or its as-of instant is still ahead.
    """
    if text is None:
        return None
    try:
        week = parse_week(text)
    except ValueError as error:
        raise UsageError(str(error)) from None
    # Calendars are slow to import, and most commands are called without a week.
    from desk.analytics.weeks import as_of_of, latest_complete_week

    if as_of_of(week, schedule) > now:
        latest = latest_complete_week(now, schedule)
        raise UsageError(
            f"{week} is not over: its as-of instant is "
            f"{as_of_of(week, schedule):%Y-%m-%d %H:%M} UTC; the latest complete week is {latest}"
        )
    return week


def chosen_week(
    written: str | None,
    now: datetime,
    schedule: ScheduleConfig,
    held: FixingCoverage | None,
) -> WeekChoice:
    """Returns the written week, or the latest that the data cover. `held` is None if the data's
    coverage is not known.

    Raises:
        UsageError: the week lies before the data start.
    """
    from desk.analytics.prices.fixings import covered_to
    from desk.analytics.weeks import latest_complete_week, latest_covered_week

    latest = latest_complete_week(now, schedule)
    if held is None:
        return WeekChoice(
            written or latest, "how far the data go could not be found out; see `desk doctor`"
        )
    if written is not None:
        _check_start(written, held)
    covered = latest_covered_week(now, covered_to(held.last_day), schedule)
    week = written or covered
    if written is not None and written > covered:
        return WeekChoice(
            week,
            f"the fixings end on {held.last_day}, before the end of {week}; "
            f"`{REFRESH}` gets newer ones",
        )
    if written is None and covered < latest:
        return WeekChoice(
            week,
            f"{latest} is the latest complete week, but the fixings end on {held.last_day}: "
            f"researching {covered}; `{REFRESH}` gets newer ones",
        )
    return WeekChoice(week)


def _check_start(week: str, held: FixingCoverage) -> None:
    if monday_of(next_week(week)) <= held.first_day:
        raise UsageError(f"{week} lies before the data start, which is on {held.first_day}")
