"""The table of a backfill: what there is of each week, as text and as JSON."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.base import Contract, Instant, ShortText, Text
from desk.contracts.week.report import Coverage
from desk.contracts.weeks import IsoWeek
from desk.runs.schedule.backfill import WeekState
from starters.endings import ExitStatus


class WeekLine(Contract):
    """What there is of a past week.

    `revision`, `outcome` and `coverage` are of the report; `coverage` is None where the report is
    on another machine and no worker answers for its run. `workflow_id` is None without a run.
    `reason` says why the latest run failed.
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
    """The result of `desk backfill`; its `--json` is this model."""

    published: int
    incomplete: int
    running: int
    failed: int
    missing: int
    weeks: Annotated[tuple[WeekLine, ...], Field(max_length=1_000)]


def table_of(lines: Sequence[WeekLine]) -> BackfillTable:
    """The lines with their counts; incomplete weeks are among the published ones."""
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
    """How a backfill ends whose weeks have all ended."""
    if table.failed:
        return ExitStatus.FAILED
    return ExitStatus.INCOMPLETE if table.incomplete else ExitStatus.COMPLETE


def table_lines(table: BackfillTable) -> Iterator[str]:
    """The table for people: a line for each week, and the counts."""
    yield f"{'week':8}  {'as of (UTC)':16}  {'state':9}  {'revision':>8}  coverage"
    yield from (_line(line) for line in table.weeks)
    incomplete = f" ({table.incomplete} incomplete)" if table.incomplete else ""
    yield (
        f"{table.published} published{incomplete}, {table.running} running, "
        f"{table.failed} failed, {table.missing} missing"
    )


def coverage_words(line: WeekLine) -> str:
    """The coverage of a published week in a few words; nothing for any other."""
    if line.state is not WeekState.PUBLISHED:
        return ""
    coverage = line.coverage
    counts = (
        f"{coverage.researched} of {coverage.expected} markets"
        if coverage
        else "not known here how many markets"
    )
    return f"{counts}, incomplete" if line.incomplete else counts


def _line(line: WeekLine) -> str:
    revision = "" if line.revision is None else str(line.revision)
    told = line.reason or coverage_words(line)
    return (
        f"{line.week:8}  {line.as_of:%Y-%m-%d %H:%M}  {line.state:9}  {revision:>8}  {told}"
    ).rstrip()
