"""The summary of a published week, on one screen and as JSON."""

import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field

from desk.analytics.names.shortening import shortened
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.base import Contract, Instant, ShortText, Text
from desk.contracts.findings.document import PublishedFiles
from desk.contracts.runs.week import WeekResult, WeekStatus
from desk.contracts.week.changes import Changes
from desk.contracts.week.report import CalendarRow, Coverage, MissingMarket, Mover, ResearchReport
from desk.contracts.weeks import IsoWeek
from desk.documents.rendering.words.wording import share_words
from desk.programs.week.document.rendering.coverage_words import (
    freshness_words,
    outage_lines,
    verdict_words,
)
from desk.programs.week.document.rendering.objections import trust_line
from desk.programs.week.document.rendering.wording import (
    change_words,
    changes_note,
    changes_title,
    spent_words,
)
from starters.runs.server_runs import ui_address
from starters.runs.week_choice import REFRESH
from starters.session import Desk, say
from starters.terminal.exit_status import ExitStatus

WIDTH = 80
LINES = 24
CHANGES = 3
MOVERS = 3
DECISIONS = 3
MISSING = 2
MOST_OF_COVERAGE = 4
"""The most lines for how current the desk's data are. This is shown whole."""


MOST_OF_HEADLINE = 3


class PublishedWeek(Contract):
    """A published revision of a week, as its run reports it."""

    week: IsoWeek
    as_of: Instant
    revision: int
    coverage: Coverage
    files: PublishedFiles
    workflow_id: ShortText
    run_id: ShortText | None
    seconds: float | None = None


class WeekSummary(Contract):
    """The result of `desk run` and `desk rerun`; their `--json` prints this model.

    `seconds` is how long the revision took, from the start of the run or of the rerun.
    `temporal_ui` is None if the address of the UI is not known. If the report is on another
    machine, `movers` and `decisions` are empty, and `headline` and `week_changes` are None.
    `week_changes` is the difference to the week before, `changes` is what a rerun changed in its
    market. `trust` counts conflicts, rejected figures and dropped sentences; None if there are
    none. `spent` is what models cost; None if no model was used.
    """

    week: IsoWeek
    as_of: Instant
    time_zone: ShortText
    revision: int
    outcome: Outcome
    coverage: Coverage
    week_changes: Changes | None = None
    trust: Text | None = None
    headline: Text | None = None
    movers: Annotated[tuple[Mover, ...], Field(max_length=200)] = ()
    decisions: Annotated[tuple[CalendarRow, ...], Field(max_length=4_000)] = ()
    files: PublishedFiles
    workflow_id: ShortText
    run_id: ShortText | None = None
    temporal_ui: Annotated[str, Field(max_length=1_000)] | None = None
    seconds: float | None = None
    already_published: bool = False
    changes: Annotated[tuple[Text, ...], Field(max_length=200)] = ()
    spent: Text | None = None


def from_status(status: WeekStatus, workflow_id: str, run_id: str | None) -> PublishedWeek | None:
    """Returns what an open run has published. Returns None before its first revision."""
    if status.files is None or status.coverage is None or status.revision == 0:
        return None
    return PublishedWeek(
        week=status.week,
        as_of=status.as_of,
        revision=status.revision,
        coverage=status.coverage,
        files=status.files,
        workflow_id=workflow_id,
        run_id=run_id,
        seconds=status.seconds,
    )


def from_result(result: WeekResult, workflow_id: str, run_id: str | None) -> PublishedWeek:
    """Returns what a closed run has published."""
    record = result.record
    return PublishedWeek(
        week=record.week,
        as_of=record.window.end,
        revision=record.revisions[-1].revision if record.revisions else 1,
        coverage=result.coverage,
        files=result.files,
        workflow_id=workflow_id,
        run_id=run_id,
    )


def summary_of(
    published: PublishedWeek,
    report: ResearchReport | None,
    *,
    time_zone: str,
    temporal_ui: str | None,
    already_published: bool = False,
    changes: tuple[str, ...] = (),
) -> WeekSummary:
    """Builds the summary. `report` is None if its file cannot be read here."""
    complete = published.coverage.complete
    return WeekSummary(
        **published.model_dump(),
        time_zone=time_zone,
        outcome=Outcome.COMPLETE if complete else Outcome.INCOMPLETE,
        week_changes=report.changes if report else None,
        trust=trust_line(report) if report else None,
        headline=report.lead.headline.text if report and report.lead else None,
        movers=_biggest(report.movers) if report else (),
        decisions=tuple(row for row in report.calendar if not row.ahead) if report else (),
        temporal_ui=temporal_ui,
        already_published=already_published,
        changes=changes,
        spent=spent_words(report) if report and report.usage.asked else None,
    )


def summary_lines(summary: WeekSummary, width: int = WIDTH) -> list[str]:
    """Formats the summary for people, in at most 24 lines. Paths and addresses are never cut.
    Reasons for missing markets are wrapped as far as there is room."""
    head = [*_head(summary)]
    lines = [
        *_changed(summary),
        *_covered(summary, width),
        *_moves(summary),
        *_decided(summary),
    ]
    told = [*(_cut(line, width) for line in (*head, *lines))]
    where = ["", *_where(summary)]
    absent = [*_absent(summary)]
    room = LINES - len(told) - len(where) - len(absent)
    if summary.headline and not summary.changes and room > 0:
        headline = _folded(summary.headline, width, min(room, MOST_OF_HEADLINE))
        told[len(head) : len(head)] = headline
        room -= len(headline)
    most = 1 + max(room, 0) // MISSING
    return [*told, *(part for line in absent for part in _folded(line, width, most)), *where]


def _biggest(movers: tuple[Mover, ...]) -> tuple[Mover, ...]:
    return tuple(sorted(movers, key=lambda mover: abs(mover.move), reverse=True))


def _head(summary: WeekSummary) -> Iterator[str]:
    local = summary.as_of.astimezone(ZoneInfo(summary.time_zone))
    revision = f", revision {summary.revision}" if summary.revision > 1 else ""
    yield f"{summary.week} as of {local:%A %-d %B %Y %H:%M} {summary.time_zone}{revision}"


def _changed(summary: WeekSummary) -> Iterator[str]:
    """What a rerun changed, or otherwise what changed since the week before."""
    if summary.changes:
        yield from (f"rerun: {line}" for line in summary.changes[:CHANGES])
        if len(summary.changes) > CHANGES:
            yield f"rerun: {len(summary.changes) - CHANGES} more changes in the report"
        return
    changes = summary.week_changes
    if changes is None:
        return
    note = changes_note(changes)
    if note is not None:
        since = f" since {changes.against}" if changes.against else ""
        yield f"{note.rstrip('.')}{since}"
        return
    shown = min(len(changes.entries), CHANGES)
    of_all = f" ({shown} of {len(changes.entries)})" if shown < len(changes.entries) else ""
    yield f"{changes_title(changes)}{of_all}"
    yield from (f"  {change.kind}  {change_words(change)}" for change in changes.entries[:shown])


def _covered(summary: WeekSummary, width: int) -> Iterator[str]:
    coverage = summary.coverage
    yield f"{verdict_words(coverage)}: {_shares(coverage)}"
    known = freshness_words(coverage)
    if known:
        yield from _folded(known, width, MOST_OF_COVERAGE)
    if summary.trust:
        yield summary.trust
    yield from outage_lines(coverage)


def _shares(coverage: Coverage) -> str:
    """The share of markets that was researched, and the share that is current if it has a
    threshold."""
    markets = f"{coverage.researched} of {coverage.expected} markets"
    if not coverage.current_threshold or coverage.freshness is None:
        return (
            f"{markets} researched ({share_words(coverage.share)}, "
            f"threshold {share_words(coverage.threshold)})"
        )
    return (
        f"{markets} ({share_words(coverage.share)}, needs {share_words(coverage.threshold)}), "
        f"{share_words(coverage.freshness.share)} current "
        f"(needs {share_words(coverage.current_threshold)})"
    )


def _moves(summary: WeekSummary) -> Iterator[str]:
    shown = () if summary.changes else summary.movers[:MOVERS]
    if shown:
        yield "Biggest moves"
    for mover in shown:
        score = f"   z {mover.z_score:+f}" if mover.z_score is not None else ""
        yield f"  {mover.market}  {mover.move:>+8f} %  to {mover.last:>12,f}{score}"


def _decided(summary: WeekSummary) -> Iterator[str]:
    if summary.decisions:
        yield "Decisions"
    count = len(summary.decisions)
    # The line that says how many more there are replaces one row.
    shown = DECISIONS if count <= DECISIONS else DECISIONS - 1
    for row in summary.decisions[:shown]:
        yield f"  {row.day:%a %-d %b}  {row.bank}: {row.outcome.text}"
    yield from _rest(count, shown)


def _absent(summary: WeekSummary) -> Iterator[str]:
    missing: tuple[MissingMarket, ...] = summary.coverage.missing
    if missing:
        yield "Missing"
    for entry in missing[:MISSING]:
        yield f"  {entry.market}  {entry.reason}"
    yield from _rest(len(missing), MISSING)


def _rest(count: int, shown: int) -> Iterator[str]:
    if count > shown:
        yield f"  and {count - shown} more in the report"


def _where(summary: WeekSummary) -> Iterator[str]:
    yield f"Report    {summary.files.html}"
    if summary.temporal_ui:
        yield f"Temporal  {summary.temporal_ui}"
    else:
        yield f"Temporal  workflow {summary.workflow_id}"
    if summary.already_published:
        yield "Published already; `--again` researches it anew."
    elif summary.seconds is not None:
        spent = f", spent {summary.spent}" if summary.spent else ""
        yield f"Took {summary.seconds:.1f} s{spent}."


def _cut(line: str, width: int) -> str:
    return shortened(_printable(line), width)


def _folded(line: str, width: int, most: int) -> list[str]:
    """Wraps a line into at most `most` lines, the later ones indented. Cuts the rest."""
    line = _printable(line)
    indent = line[: len(line) - len(line.lstrip(" "))]
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=f"{indent}    ",
        max_lines=most,
        placeholder=" …",
    )


def _printable(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip(" "))]
    return indent + "".join(sign if sign.isprintable() else " " for sign in line.lstrip(" "))


ROOM_ELSEWHERE = 160
"""The width of a line when standard output is not a terminal."""


def print_week(
    desk: Desk,
    published: PublishedWeek,
    report: ResearchReport | None,
    *,
    as_json: bool,
    already_published: bool = False,
    changes: tuple[str, ...] = (),
) -> ExitStatus:
    """Prints the summary and returns the exit status, which says whether the week is complete."""
    settings = desk.settings
    summary = summary_of(
        published,
        report,
        time_zone=settings.config.schedule.time_zone,
        temporal_ui=ui_address(
            settings.ui_url, desk.client.namespace, published.workflow_id, published.run_id
        ),
        already_published=already_published,
        changes=changes,
    )
    lines = [summary.model_dump_json(indent=2)] if as_json else summary_lines(summary, _width())
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
    if report is not None and report.dead_letters and not as_json:
        say(retry_words(report.dead_letters))
    if not published.coverage.current and not as_json:
        say(not_current_words(offline=settings.offline))
    if desk.hosting and not as_json:
        say("The server stops with this command; `desk up` keeps it, and the address above, open.")
    return ExitStatus.COMPLETE if published.coverage.complete else ExitStatus.INCOMPLETE


def retry_words(dead_letters: Sequence[str]) -> str:
    """Says how to retry the tasks that failed with every agent, given by their workflow ids."""
    first, *others = dead_letters
    more = f"; `desk dead-letters` lists {len(others)} more" if others else ""
    return f"Once its cause is mended, `desk dead-letters retry {first}` tries it again{more}."


def not_current_words(*, offline: bool) -> str:
    """Says what to do if some figures are not current."""
    if offline:
        return (
            f"Some figures are not current: without DESK_OFFLINE, `{REFRESH}` fetches newer ones."
        )
    return f"Some figures are not current: `{REFRESH}` fetches newer ones."


def _width() -> int:
    if not sys.stdout.isatty():
        return ROOM_ELSEWHERE
    return shutil.get_terminal_size().columns
