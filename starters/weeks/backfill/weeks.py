"""The state of each past week, on disk and on the server, as a table and as JSON."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from temporalio.client import Client, WorkflowExecutionStatus

from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.base import Contract, Instant, ShortText, Text
from desk.contracts.week.report import Coverage
from desk.contracts.weeks import IsoWeek
from desk.runs.schedule import BackfilledWeek, WeekState
from starters.published.published_files import latest_files
from starters.runs.watching import week_status_or_none
from starters.runs.week_results import EndedWithoutReport, published_before_failure, result_of
from starters.runs.week_runs import FoundRun, described, find_run
from starters.terminal.exit_status import ExitStatus
from starters.terminal.tables import table_lines
from workflows.engine.options import OUTCOME, PHASE, REVISION

TITLES: Final = ("week", "as of (UTC)", "state", "revision", "coverage")


class WeekLine(Contract):
    """The state of a past week.

    `revision`, `outcome` and `coverage` are the report's. `coverage` is None if the report is on
    another machine and no worker answers for its run. `workflow_id` is None without a run. `reason`
    says why the latest run failed.
    """

    week: IsoWeek
    as_of: Instant
    state: WeekState
    revision: int | None = None
    outcome: Outcome | None = None
    coverage: Coverage | None = None
    workflow_id: ShortText | None = None
    reason: Text | None = None

    @property
    def incomplete(self) -> bool:
        """Whether the week is published below the coverage threshold."""
        return self.outcome is Outcome.INCOMPLETE


class BackfillTable(Contract):
    """The result of `desk backfill`; its `--json` prints this model."""

    published: int
    incomplete: int
    running: int
    failed: int
    missing: int
    weeks: Annotated[tuple[WeekLine, ...], Field(max_length=1_000)]


def table_of(lines: Sequence[WeekLine]) -> BackfillTable:
    """Builds the table with its counts. Incomplete weeks count as published."""
    states = Counter(line.state for line in lines)
    return BackfillTable(
        published=states[WeekState.PUBLISHED],
        incomplete=sum(line.incomplete for line in lines),
        running=states[WeekState.RUNNING],
        failed=states[WeekState.FAILED],
        missing=states[WeekState.MISSING],
        weeks=tuple(lines),
    )


def exit_status(table: BackfillTable) -> ExitStatus:
    """The exit status of a backfill whose weeks have all ended."""
    if table.failed:
        return ExitStatus.FAILED
    return ExitStatus.INCOMPLETE if table.incomplete else ExitStatus.COMPLETE


def week_lines(table: BackfillTable) -> Iterator[str]:
    """Formats the table for people: a line for each week, and the counts."""
    yield from table_lines(TITLES, map(_cells, table.weeks), right={3})
    incomplete = f" ({table.incomplete} incomplete)" if table.incomplete else ""
    yield (
        f"{table.published} published{incomplete}, {table.running} running, "
        f"{table.failed} failed, {table.missing} missing"
    )


def coverage_words(line: WeekLine) -> str:
    """Describes the coverage of a published week in a few words; empty for any other."""
    if line.state is not WeekState.PUBLISHED:
        return ""
    coverage = line.coverage
    counts = (
        f"{coverage.researched} of {coverage.expected} markets"
        if coverage
        else "not known here how many markets"
    )
    return f"{counts}, incomplete" if line.incomplete else counts


def _cells(line: WeekLine) -> tuple[str, ...]:
    revision = "" if line.revision is None else str(line.revision)
    told = line.reason or coverage_words(line)
    return line.week, f"{line.as_of:%Y-%m-%d %H:%M}", line.state, revision, told


AT_ONCE = 8
"""How many weeks are looked up concurrently."""


class PublishedHead(BaseModel):
    """The part of a published report that a table needs."""

    model_config = ConfigDict(extra="ignore")

    revision: int
    coverage: Coverage


_RESEARCHED = frozenset({Phase.PUBLISHING, Phase.OPEN_FOR_RERUNS, Phase.CLOSED})


@dataclass(frozen=True)
class RunProgress:
    """The progress of a run. A failed run may have `ended` without having `researched`."""

    researched: bool
    ended: bool


@dataclass(frozen=True)
class FollowedWeek:
    """A week's line, and the run that it describes."""

    line: WeekLine
    run: FoundRun | None


async def states_of_weeks(
    client: Client, reports_dir: Path, weeks: Sequence[BackfilledWeek]
) -> dict[str, FollowedWeek]:
    """Determines the state of each week, by week."""
    places = asyncio.Semaphore(AT_ONCE)

    async def look(week: BackfilledWeek) -> FollowedWeek:
        async with places:
            return await state_of_week(client, reports_dir, week)

    return {found.line.week: found for found in await asyncio.gather(*map(look, weeks))}


async def state_of_week(client: Client, reports_dir: Path, week: BackfilledWeek) -> FollowedWeek:
    """Determines the state of a week.

    An open run that has not published makes the week running, even if an earlier run published. A
    failed run makes it failed only if nothing is published.
    """
    run = await newest_run(client, week)
    here = published_here(reports_dir, week.week)
    if run is None:
        return FollowedWeek(
            _published(week, here) if here else _week_line(week, WeekState.MISSING), None
        )
    line = await of_run(run, week, here)
    if line.state is WeekState.FAILED:
        before = here or await _published_before(run)
        line = _published(week, before, run) if before else line
    return FollowedWeek(line, run)


async def newest_run(client: Client, week: BackfilledWeek) -> FoundRun | None:
    """Returns the newest run of a week. A run that the schedule started a moment ago is found by
    its id."""
    found = [await find_run(client, week.week, None), await described(client, week.workflow_id)]
    return max((run for run in found if run), key=lambda run: run.started_at, default=None)


async def progress_of(run: FoundRun) -> RunProgress:
    """Queries whether a run has finished its research, and whether it has published or closed."""
    description = await run.handle.describe()
    attributes = description.typed_search_attributes
    published = attributes.get(REVISION) is not None
    return RunProgress(
        researched=published or attributes.get(PHASE) in _RESEARCHED,
        ended=published or description.status is not WorkflowExecutionStatus.RUNNING,
    )


async def of_run(run: FoundRun, week: BackfilledWeek, here: PublishedHead | None) -> WeekLine:
    """Determines the state of a run: published, running or failed."""
    description = await run.handle.describe()
    revision = description.typed_search_attributes.get(REVISION)
    if revision is not None:
        of_it = here if here is not None and here.revision == revision else await _told_by(run)
        if of_it is not None:
            return _published(week, of_it, run)
        outcome = description.typed_search_attributes.get(OUTCOME)
        known = {"revision": revision, "outcome": Outcome(outcome) if outcome else None}
        return _week_line(week, WeekState.PUBLISHED, run).model_copy(update=known)
    if description.status is WorkflowExecutionStatus.RUNNING:
        return _week_line(week, WeekState.RUNNING, run)
    try:
        result = await result_of(run, week.week)
    except EndedWithoutReport as ended:
        return _week_line(week, WeekState.FAILED, run).model_copy(update={"reason": ended.reason})
    last = result.record.revisions[-1].revision if result.record.revisions else 1
    return _published(week, PublishedHead(revision=last, coverage=result.coverage), run)


def published_here(reports_dir: Path, week: str) -> PublishedHead | None:
    """Reads the published report of a week from the reports folder. A damaged report counts as
    absent."""
    path = Path(latest_files(reports_dir, week).json_file)
    try:
        return PublishedHead.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


async def _told_by(run: FoundRun) -> PublishedHead | None:
    """Returns what a run reports about its report on another machine. Returns None if no worker
    answers."""
    status = await week_status_or_none(run.handle)
    if status is None or status.coverage is None:
        return None
    return PublishedHead(revision=status.revision, coverage=status.coverage)


async def _published_before(run: FoundRun) -> PublishedHead | None:
    result = await published_before_failure(run)
    if result is None:
        return None
    last = result.record.revisions[-1].revision if result.record.revisions else 1
    return PublishedHead(revision=last, coverage=result.coverage)


def _published(week: BackfilledWeek, head: PublishedHead, run: FoundRun | None = None) -> WeekLine:
    line = _week_line(week, WeekState.PUBLISHED, run)
    outcome = Outcome.COMPLETE if head.coverage.complete else Outcome.INCOMPLETE
    known = {"revision": head.revision, "outcome": outcome, "coverage": head.coverage}
    return line.model_copy(update=known)


def _week_line(week: BackfilledWeek, state: WeekState, run: FoundRun | None = None) -> WeekLine:
    return WeekLine(
        week=week.week,
        as_of=week.start,
        state=state,
        workflow_id=run.workflow_id if run else None,
    )
