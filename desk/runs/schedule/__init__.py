"""The weekly schedule, and backfills of past weeks."""

from desk.runs.schedule.backfill import Backfill, WeekState, weeks_to_do
from desk.runs.schedule.schedule_spec import (
    BackfilledWeek,
    Overlap,
    WeeklySchedule,
    backfilled_week,
    backfilled_weeks,
    weekly_schedule,
)

__all__ = [
    "Backfill",
    "BackfilledWeek",
    "Overlap",
    "WeekState",
    "WeeklySchedule",
    "backfilled_week",
    "backfilled_weeks",
    "weekly_schedule",
    "weeks_to_do",
]
