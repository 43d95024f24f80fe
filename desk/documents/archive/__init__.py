"""The archive of all published weeks."""

from desk.documents.archive.archive import Archive, write_archive
from desk.documents.archive.pages import MARKETS
from desk.documents.archive.retention import (
    KEPT,
    Record,
    is_answer,
    is_past,
    week_of_report,
    weeks_needed,
)

__all__ = [
    "KEPT",
    "MARKETS",
    "Archive",
    "Record",
    "is_answer",
    "is_past",
    "week_of_report",
    "weeks_needed",
    "write_archive",
]
