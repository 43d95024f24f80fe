"""What there is of past weeks: from the reports folder, and from their runs."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError
from temporalio.client import Client, WorkflowExecutionStatus

from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.week.report import Coverage
from desk.runs.schedule.backfill import WeekState
from desk.runs.schedule.schedule_spec import BackfilledWeek
from starters.backfill_table import WeekLine
from starters.published_files import latest_files
from starters.watching import status_if_answered
from starters.week_results import EndedWithoutReport, published_before_the_end, result_of
from starters.week_runs import FoundRun, described, find_run
from workflows.options import OUTCOME, PHASE, REVISION

AT_ONCE = 8
"""Weeks looked up at the same time."""


class PublishedHead(BaseModel):
    """The part of a published report that a table needs."""

    model_config = ConfigDict(extra="ignore")

    revision: int
    coverage: Coverage


_RESEARCHED = frozenset({Phase.PUBLISHING, Phase.OPEN_FOR_RERUNS, Phase.CLOSED})


@dataclass(frozen=True)
class Standing:
    """Where a run under way stands. One that has ended badly has not always `researched`."""

    researched: bool
    ended: bool


@dataclass(frozen=True)
class Look:
    """A week's line, and the run that it is about."""

    line: WeekLine
    run: FoundRun | None


async def look_at_all(
    client: Client, reports_dir: Path, weeks: Sequence[BackfilledWeek]
) -> dict[str, Look]:
    """What there is of each week, by week."""
    places = asyncio.Semaphore(AT_ONCE)

    async def look(week: BackfilledWeek) -> Look:
        async with places:
            return await look_at(client, reports_dir, week)

    return {found.line.week: found for found in await asyncio.gather(*map(look, weeks))}


async def look_at(client: Client, reports_dir: Path, week: BackfilledWeek) -> Look:
    """What there is of a week.

    An open run that has not published makes it running, whatever was published before; a run that
    failed makes it failed only where nothing is published.
    """
    run = await newest_run(client, week)
    here = published_here(reports_dir, week.week)
    if run is None:
        return Look(_published(week, here) if here else _line(week, WeekState.MISSING), None)
    line = await of_run(run, week, here)
    if line.state is WeekState.FAILED:
        before = here or await _published_before(run)
        line = _published(week, before, run) if before else line
    return Look(line, run)


async def newest_run(client: Client, week: BackfilledWeek) -> FoundRun | None:
    """The newest run of a week; one that the schedule has only just started is known by its id."""
    found = [await find_run(client, week.week, None), await described(client, week.workflow_id)]
    return max((run for run in found if run), key=lambda run: run.started_at, default=None)


async def standing_of(run: FoundRun) -> Standing:
    """Whether a run has done its research, and whether it has published or closed: one question."""
    description = await run.handle.describe()
    attributes = description.typed_search_attributes
    published = attributes.get(REVISION) is not None
    return Standing(
        researched=published or attributes.get(PHASE) in _RESEARCHED,
        ended=published or description.status is not WorkflowExecutionStatus.RUNNING,
    )


async def of_run(run: FoundRun, week: BackfilledWeek, here: PublishedHead | None) -> WeekLine:
    """What a run itself has come to: published, running or failed."""
    description = await run.handle.describe()
    revision = description.typed_search_attributes.get(REVISION)
    if revision is not None:
        of_it = here if here is not None and here.revision == revision else await _told_by(run)
        if of_it is not None:
            return _published(week, of_it, run)
        outcome = description.typed_search_attributes.get(OUTCOME)
        known = {"revision": revision, "outcome": Outcome(outcome) if outcome else None}
        return _line(week, WeekState.PUBLISHED, run).model_copy(update=known)
    if description.status is WorkflowExecutionStatus.RUNNING:
        return _line(week, WeekState.RUNNING, run)
    try:
        result = await result_of(run, week.week)
    except EndedWithoutReport as ended:
        return _line(week, WeekState.FAILED, run).model_copy(update={"reason": ended.reason})
    last = result.record.revisions[-1].revision if result.record.revisions else 1
    return _published(week, PublishedHead(revision=last, coverage=result.coverage), run)


def published_here(reports_dir: Path, week: str) -> PublishedHead | None:
    """What the reports folder has of a week; a damaged report counts as none."""
    path = Path(latest_files(reports_dir, week).json_file)
    try:
        return PublishedHead.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


async def _told_by(run: FoundRun) -> PublishedHead | None:
    """What a run says about its report, which is on another machine; None when nobody answers."""
    status = await status_if_answered(run.handle)
    if status is None or status.coverage is None:
        return None
    return PublishedHead(revision=status.revision, coverage=status.coverage)


async def _published_before(run: FoundRun) -> PublishedHead | None:
    result = await published_before_the_end(run)
    if result is None:
        return None
    last = result.record.revisions[-1].revision if result.record.revisions else 1
    return PublishedHead(revision=last, coverage=result.coverage)


def _published(week: BackfilledWeek, head: PublishedHead, run: FoundRun | None = None) -> WeekLine:
    line = _line(week, WeekState.PUBLISHED, run)
    outcome = Outcome.COMPLETE if head.coverage.complete else Outcome.INCOMPLETE
    known = {"revision": head.revision, "outcome": outcome, "coverage": head.coverage}
    return line.model_copy(update=known)


def _line(week: BackfilledWeek, state: WeekState, run: FoundRun | None = None) -> WeekLine:
    return WeekLine(
        week=week.week,
        as_of=week.start,
        state=state,
        workflow_id=run.workflow_id if run else None,
    )
