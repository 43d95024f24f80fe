"""The archive of all published weeks."""

from desk.programs.week.archive.archive import Archive, is_behind, write_archive
from desk.programs.week.archive.pages import MARKETS
from desk.programs.week.archive.retention import (
    KEPT,
    RetainedRecord,
    is_answer,
    is_past,
    week_of_report,
    weeks_needed,
)

__all__ = [
    "KEPT",
    "MARKETS",
    "Archive",
    "RetainedRecord",
    "is_answer",
    "is_behind",
    "is_past",
    "week_of_report",
    "weeks_needed",
    "write_archive",
]
