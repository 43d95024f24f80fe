"""What `desk report` does."""

import sys
import webbrowser
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

from desk.contracts.week.report import ResearchReport
from desk.contracts.week.run import PublishedFiles
from desk.documents.rendering.wording import one_line
from desk.platform.settings import Settings, load_settings
from desk.trust.ledger import seal_of
from starters.published.published_files import (
    latest_files,
    other_reports,
    published_weeks,
    read_report,
)
from starters.runs.summary import PublishedWeek, summary_lines, summary_of
from starters.runs.week_choice import written_week
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError


class ReportView(NamedTuple):
    """What of a report is asked for: the page, a form, its revisions, one figure, a difference."""

    browse: bool = False
    as_json: bool = False
    revisions: bool = False
    trace: str | None = None
    diff: str | None = None


def show_report(week: str | None, view: ReportView) -> ExitStatus:
    """Print the published report of a week or a part of it, or open it. Needs no server.

    Raises:
        UsageError, CommandError: with what to do next.
    """
    _check(view)
    settings = load_settings()
    now = datetime.now(UTC)
    written = written_week(week, now, settings.config.schedule)
    against = written_week(view.diff, now, settings.config.schedule)
    files = latest_files(settings.reports_dir, _chosen(settings, written))
    report = read_report(Path(files.json_file))
    if against is not None or view.trace is not None:
        _tell_of_a_change(report)
    if against is not None:
        return _difference(settings, against, report, as_json=view.as_json)
    if view.trace is not None:
        from starters.published.report.trace import show_trace

        return show_trace(report, view.trace, as_json=view.as_json)
    if view.browse:
        return _browse(Path(files.html))
    if view.as_json:
        sys.stdout.write(Path(files.json_file).read_text(encoding="utf-8"))
        return ExitStatus.COMPLETE
    zone = settings.config.schedule.time_zone
    lines = revision_lines(report, zone) if view.revisions else _summary(report, files, zone)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return ExitStatus.COMPLETE


def revision_lines(report: ResearchReport, time_zone: str) -> Iterator[str]:
    """A line for every revision of a report: when, why, and what was redone."""
    for revision in report.revisions:
        local = revision.published_at.astimezone(ZoneInfo(time_zone))
        what = f"  {revision.market}" if revision.market else ""
        why = f": {one_line(revision.reason)}" if revision.reason else ""
        when = f"{local:%Y-%m-%d %H:%M} {time_zone}"
        yield f"r{revision.revision}  {when}  {revision.kind}{what}{why}"


def _check(view: ReportView) -> None:
    """One thing is shown at a time; --json goes with --trace and --diff."""
    asked = {
        "--open": view.browse,
        "--revisions": view.revisions,
        "--trace": view.trace is not None,
        "--diff": view.diff is not None,
    }
    named = [option for option, wanted in asked.items() if wanted]
    if len(named) > 1:
        raise UsageError(f"one of {' and '.join(named)} at a time")
    if view.as_json and named and named[0] in {"--open", "--revisions"}:
        raise UsageError(
            f"one of {named[0]} and --json at a time; --json goes with --trace, --diff"
        )
    if view.trace is not None and not view.trace.strip():
        raise UsageError("--trace names no figure; such as --trace USD/JPY:move")


def _difference(
    settings: Settings, against: str, report: ResearchReport, *, as_json: bool
) -> ExitStatus:
    """Raises UsageError unless the other week is earlier than the report's."""
    if against >= report.week:
        order = "the same week as" if against == report.week else "later than"
        raise UsageError(
            f"--diff {against} is {order} the report's, {report.week}; name an earlier one, or "
            "a later report with --week"
        )
    from starters.published.report.differences import show_differences

    files = latest_files(settings.reports_dir, _chosen(settings, against))
    before = read_report(Path(files.json_file))
    _tell_of_a_change(before)
    return show_differences(before, report, as_json=as_json)


def _tell_of_a_change(report: ResearchReport) -> None:
    """A line on standard error where a report's seal does not fit what it says."""
    if report.seal != seal_of(report):
        sys.stderr.write(
            f"desk: the file of {report.week} was changed since it was published; "
            f"`desk audit {report.week}` says where\n"
        )


def _chosen(settings: Settings, written: str | None) -> str:
    weeks = published_weeks(settings.reports_dir)
    if written in weeks:
        return written
    if written is None and weeks:
        return weeks[-1]
    wanted = written or "any week"
    there = f"; there are {', '.join(weeks[-5:])}" if weeks else ""
    others = other_reports(settings.reports_dir, written)
    partly = f"; of some markets: {', '.join(others[-3:])}" if others else ""
    again = f"desk run --week {written}" if written else "desk run"
    raise CommandError(f"no report of {wanted}{there}{partly}; `{again}` publishes it")


def _browse(page: Path) -> ExitStatus:
    if not page.is_file():
        raise CommandError(f"{page} is missing; `desk run --again` publishes it anew")
    if not webbrowser.open(page.resolve().as_uri()):
        raise CommandError(f"no browser could be started; the report is {page}")
    sys.stdout.write(f"{page}\n")
    return ExitStatus.COMPLETE


def _summary(report: ResearchReport, files: PublishedFiles, time_zone: str) -> list[str]:
    published = PublishedWeek(
        week=report.week,
        as_of=report.as_of,
        revision=report.revision,
        coverage=report.coverage,
        files=files,
        workflow_id=report.timings.workflow_id,
        run_id=report.timings.run_id,
    )
    summary = summary_of(published, report, time_zone=time_zone, temporal_ui=None)
    return summary_lines(summary)
