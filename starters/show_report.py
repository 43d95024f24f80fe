"""What `desk report` does."""

import sys
import webbrowser
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from contracts.report import ResearchReport
from contracts.week_run import PublishedFiles
from infra.settings import Settings, load_settings
from starters.endings import CommandError, ExitStatus, UsageError
from starters.published_files import latest_files, other_reports, published_weeks, read_report
from starters.summary import PublishedWeek, summary_lines, summary_of
from starters.week_choice import written_week


def show_report(week: str | None, *, browse: bool, as_json: bool, revisions: bool) -> ExitStatus:
    """Print the published report of a week, or open it. Needs no server.

    Raises:
        UsageError, CommandError: with what to do next.
    """
    if browse + as_json + revisions > 1:
        raise UsageError("one of --open, --json and --revisions at a time")
    settings = load_settings()
    written = written_week(week, datetime.now(UTC), settings.config.schedule)
    files = latest_files(settings.reports_dir, _chosen(settings, written))
    report = read_report(Path(files.json_file))
    if browse:
        return _browse(Path(files.html))
    if as_json:
        sys.stdout.write(Path(files.json_file).read_text(encoding="utf-8"))
        return ExitStatus.COMPLETE
    zone = settings.config.schedule.time_zone
    lines = revision_lines(report, zone) if revisions else _summary(report, files, zone)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return ExitStatus.COMPLETE


def revision_lines(report: ResearchReport, time_zone: str) -> Iterator[str]:
    """A line for every revision of a report: when, why, and what was redone."""
    for revision in report.revisions:
        local = revision.published_at.astimezone(ZoneInfo(time_zone))
        what = f"  {revision.market}" if revision.market else ""
        why = f": {revision.reason}" if revision.reason else ""
        when = f"{local:%Y-%m-%d %H:%M} {time_zone}"
        yield f"r{revision.revision}  {when}  {revision.kind}{what}{why}"


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
