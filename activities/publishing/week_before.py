"""The report of the week before, with which a new report is compared. If it is about to be
published, the new report waits for it."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from temporalio import activity
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.common import SearchAttributeKey
from temporalio.service import RPCError

from desk.contracts.agents.config import ScheduleConfig
from desk.contracts.agents.search_attributes import Phase, SearchAttribute
from desk.contracts.names import week_run_id
from desk.contracts.week.report import ResearchReport
from desk.contracts.weeks import IsoWeek, previous_week
from desk.programs.week.document.publishing import FOLDER, read_published, revision_file
from desk.runs.schedule import backfilled_week
from desk.trust.seals import seal_of

LONGEST_SECONDS: Final = 60.0
"""The maximum time that a report waits for the one before."""

POLL_SECONDS: Final = 0.2

_PHASE = SearchAttributeKey.for_keyword(SearchAttribute.PHASE)

_REVISION = SearchAttributeKey.for_int(SearchAttribute.REVISION)


class PreviousReport(NamedTuple):
    """The report to compare with, or None. `note` names the damaged ones that were skipped."""

    report: ResearchReport | None
    note: str | None = None


class _PublishedFile(NamedTuple):
    path: Path
    stamp: tuple[int, ...] | None
    report: ResearchReport


class LastPublished:
    """The last report that this process published.

    In a backfill the next report is compared with it. Reading it and checking its seal would take
    as long as compiling the next.
    """

    def __init__(self) -> None:
        self._written: _PublishedFile | None = None

    @contextmanager
    def recording(self, report: ResearchReport, directory: Path, slug: str) -> Iterator[None]:
        """Stores the report if the block writes its file. A file that the block does not change may
        belong to another run."""
        path = revision_file(directory, report, slug)
        before = _stamp(path)
        yield
        stamp = _stamp(path)
        self._written = _PublishedFile(path, stamp, report) if stamp != before else None

    def at(self, path: Path) -> ResearchReport | None:
        """Returns the stored report if this is its file, unchanged; otherwise None."""
        written = self._written
        if written is None or written.path != path or written.stamp != _stamp(path):
            return None
        return written.report


def previous_report(
    directory: Path, week: IsoWeek, slug: str, last: LastPublished | None = None
) -> PreviousReport:
    """Returns the latest readable revision of the week before, with the same slug.

    A revision is damaged if it cannot be read, is of another week, or has a wrong seal. It is
    skipped, and the note names it. The `last` report is not read again.
    """
    before = previous_week(week)
    damaged: list[str] = []
    for path in _revisions(directory / FOLDER, f"{before}-{slug}"):
        report = (last.at(path) if last else None) or _sound(path, before)
        if report is not None:
            return PreviousReport(report, _passed_over(damaged))
        damaged.append(path.stem)
    return PreviousReport(None, _passed_over(damaged))


async def published_before(
    client: Client,
    week: str,
    subset: str | None,
    schedule: ScheduleConfig,
    *,
    longest: float = LONGEST_SECONDS,
) -> str | None:
    """Waits until the week before is published, if a run of it is in the publishing phase.

    It waits at most `longest` seconds, counted from the first attempt of the activity. It does not
    wait for a run that still researches or waits for a person, as that may take days. Returns what
    the report should say if the wait timed out.
    """
    before = previous_week(week)
    runs = _run_ids(before, subset, schedule)
    deadline = time.monotonic() + longest - _waited_already()
    while await _about_to_publish(client, runs):
        if time.monotonic() >= deadline:
            return f"The report of {before} was awaited, but did not come out in time."
        await asyncio.sleep(POLL_SECONDS)
    return None


def _revisions(folder: Path, stem: str) -> Iterator[Path]:
    """Yields the JSON form of each revision on disk, the latest first."""
    numbered = {
        int(number): path
        for path in folder.glob(f"{stem}.r*.json")
        if (number := path.stem.removeprefix(f"{stem}.r")).isdecimal()
    }
    for _, path in sorted(numbered.items(), reverse=True):
        yield path


def _sound(path: Path, week: IsoWeek) -> ResearchReport | None:
    report = read_published(path)
    if report is None or report.week != week or seal_of(report) != report.seal:
        return None
    return report


def _stamp(path: Path) -> tuple[int, ...] | None:
    """Returns values that change when the file changes, or None if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_size


def _passed_over(damaged: list[str]) -> str | None:
    if not damaged:
        return None
    return f"Passed over as damaged: {', '.join(damaged)}."[:4_000]


def _waited_already() -> float:
    """Returns the seconds since the activity was first scheduled; 0 outside of an activity. The
    time is the server's clock, which may be ahead of this machine's."""
    if not activity.in_activity():
        return 0.0
    return max((datetime.now(UTC) - activity.info().scheduled_time).total_seconds(), 0.0)


def _run_ids(week: str, subset: str | None, schedule: ScheduleConfig) -> tuple[str, ...]:
    """Returns the workflow ids that a run of the week can have: its own, and the one that the
    schedule gives it."""
    own = week_run_id(week, subset)
    return (own,) if subset else (own, backfilled_week(week, schedule).workflow_id)


async def _about_to_publish(client: Client, runs: Sequence[str]) -> bool:
    found = await asyncio.gather(*(_is_about_to_publish(client, run) for run in runs))
    return any(found)


async def _is_about_to_publish(client: Client, workflow_id: str) -> bool:
    """Returns whether a run is in the publishing phase; False if it is unknown or cannot be
    described."""
    try:
        description = await client.get_workflow_handle(workflow_id).describe()
    except RPCError:
        return False
    attributes = description.typed_search_attributes
    return (
        description.status is WorkflowExecutionStatus.RUNNING
        and attributes.get(_PHASE) == Phase.PUBLISHING
        and attributes.get(_REVISION) is None
    )
