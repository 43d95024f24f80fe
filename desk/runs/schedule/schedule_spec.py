"""The weekly schedule as data, and the starts of the past weeks in a backfill."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from desk.analytics.weeks import as_of_of
from desk.contracts.agents.config import ScheduleConfig, Weekday
from desk.contracts.names import SCHEDULED_RUN_ID
from desk.contracts.weeks import next_week

MOST_BACKFILLED_WEEKS = 260


class Overlap(StrEnum):
    """What happens if a start is due while an earlier run is still open."""

    ALLOW_ALL = "allow_all"


@dataclass(frozen=True)
class WeeklySchedule:
    """When and how runs are started. `day_of_week` counts from Sunday, 0, as Temporal does.

    A run stays open for reruns past the next week's start. Any other overlap policy would skip that
    start, delay it, or end the open run.
    """

    day_of_week: int
    hour: int
    minute: int
    time_zone: str
    catchup_window: timedelta
    jitter: timedelta
    overlap: Overlap
    note: str


@dataclass(frozen=True)
class BackfilledWeek:
    """A past week, the instant at which its run would have started, and the run's id."""

    week: str
    start: datetime
    workflow_id: str


def weekly_schedule(config: ScheduleConfig) -> WeeklySchedule:
    """Returns the schedule that a configuration asks for."""
    days_from_monday = list(Weekday).index(config.weekday)
    return WeeklySchedule(
        day_of_week=(days_from_monday + 1) % 7,
        hour=config.hour,
        minute=config.minute,
        time_zone=config.time_zone,
        catchup_window=config.catchup_window,
        jitter=config.jitter,
        overlap=Overlap.ALLOW_ALL,
        note=(
            f"Research of the week before, every {config.weekday.capitalize()} at "
            f"{config.hour:02}:{config.minute:02} {config.time_zone}"
        ),
    )


def backfilled_weeks(first: str, last: str, config: ScheduleConfig) -> tuple[BackfilledWeek, ...]:
    """Returns the weeks from `first` to `last`, both included.

    Raises:
        ValueError: there is none or there are too many. The message is for the user.
    """
    if last < first:
        raise ValueError(f"{last} comes before {first}: --from is the earlier week")
    weeks = [first]
    while weeks[-1] < last:
        weeks.append(next_week(weeks[-1]))
    if len(weeks) > MOST_BACKFILLED_WEEKS:
        raise ValueError(f"{len(weeks)} weeks at once; at most {MOST_BACKFILLED_WEEKS}")
    return tuple(backfilled_week(week, config) for week in weeks)


def backfilled_week(week: str, config: ScheduleConfig) -> BackfilledWeek:
    """Returns a week with the start that its run would have had."""
    start = as_of_of(week, config)
    return BackfilledWeek(week, start, scheduled_run_id(start))


def scheduled_run_id(start: datetime) -> str:
    """Returns the workflow id that Temporal gives the run that its schedule starts at an instant
    (UTC)."""
    return f"{SCHEDULED_RUN_ID}-{start:%Y-%m-%dT%H:%M:%SZ}"
