"""How long each kind of record is retained before `desk cleanup` may delete it."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from desk.contracts.names import QUESTION_RUN, STOCK_RUN, SWARM_RUN
from desk.contracts.week.signature import SUFFIX as SIGNATURE
from desk.contracts.weeks import previous_week


class RetainedRecord(StrEnum):
    """A kind of record that the desk retains."""

    HISTORIES = "histories"
    PAYLOADS = "payloads"
    EFFECTS = "effects"
    LOGS = "logs"
    CACHE = "cache"
    REPORTS = "reports"
    DRAFTS = "drafts"


KEPT: Final[Mapping[RetainedRecord, timedelta]] = {
    # Messages, results, errors and dead letters, which are one history.
    RetainedRecord.HISTORIES: timedelta(days=90),
    # As long as the histories that refer to them; histories are also searched for references.
    RetainedRecord.PAYLOADS: timedelta(days=90),
    # Far longer than a completion can be outstanding.
    RetainedRecord.EFFECTS: timedelta(days=14),
    # Errors have the longest retention, and share one stream with the rest.
    RetainedRecord.LOGS: timedelta(days=90),
    RetainedRecord.CACHE: timedelta(minutes=15),
    RetainedRecord.REPORTS: timedelta(days=365),
    RetainedRecord.DRAFTS: timedelta(days=7),
}

_FORM: Final = rf"\.(md|html|json|pdf|{SIGNATURE})"

_REPORT: Final = re.compile(rf"(\d{{4}}-W\d{{2}})-[\w.-]+{_FORM}")

_ANSWER: Final = re.compile(
    rf"({QUESTION_RUN}|{SWARM_RUN}|{STOCK_RUN}[A-Z0-9.-]{{1,15}}-)[0-9a-f]{{6,64}}{_FORM}"
)


def is_answer(name: str) -> bool:
    """Returns whether a file is a published answer, or a swarm's or an episode's report, by its
    name."""
    return _ANSWER.fullmatch(name) is not None


def is_past(record: RetainedRecord, last_used: datetime, now: datetime) -> bool:
    """Returns whether a record has not changed for longer than the retention of its kind."""
    return now - last_used > KEPT[record]


def week_of_report(name: str) -> str | None:
    """Returns the week of a published report, by its file's name; None for any other file."""
    found = _REPORT.fullmatch(name)
    return found[1] if found else None


def weeks_needed(open_weeks: frozenset[str]) -> frozenset[str]:
    """Returns the weeks whose reports an open run may read: its own and the one before."""
    return open_weeks | {previous_week(week) for week in open_weeks}
