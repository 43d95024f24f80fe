"""`desk report`: the options, and which view of a report they ask for."""

import sys
import webbrowser
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NamedTuple
from zoneinfo import ZoneInfo

import typer

from desk.contracts.findings.document import PublishedFiles
from desk.contracts.week.report import ResearchReport
from desk.documents.publishing.pdf import PdfError, write_pdf
from desk.documents.rendering.words.wording import one_line
from desk.platform.settings import load_settings
from starters.published.report.choosing import (
    note_other_markets,
    published_report,
    report_with,
    slug_of,
    warn_of_change,
    warn_of_older_week,
)
from starters.published.report.differences import show_differences
from starters.published.report.origins import show_origins
from starters.published.report.tracing import show_trace
from starters.runs.summary import PublishedWeek, WeekSummary, summary_lines, summary_of
from starters.runs.week_choice import written_week
from starters.terminal.completion import weeks
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.options import of_week

EXAMPLE = (
    "Example: desk report --week 2026-W44 --open. "
    "desk report --trace USD/JPY:move follows one figure to its source."
)

_Markets = Annotated[
    str | None,
    typer.Option(
        "--markets",
        metavar="NAMES",
        help="The report of these markets only, as `desk run --markets` wrote it, or its name, "
        "such as usdjpy. Without it that of all markets, if the week has one.",
        show_default=False,
    ),
]

_Pdf = Annotated[
    bool,
    typer.Option(
        "--pdf", help="Write its page as a PDF file beside it, by the browser or WeasyPrint."
    ),
]

_Json = Annotated[
    bool,
    typer.Option("--json", help="Print its JSON form; with --trace, --diff or --origins, theirs."),
]


def report(
    week: Annotated[
        str | None, of_week("ISO week such as 2026-W44; without it, the latest that is published.")
    ] = None,
    markets: _Markets = None,
    browse: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    as_pdf: _Pdf = False,
    as_json: _Json = False,
    revisions: Annotated[
        bool, typer.Option("--revisions", help="List its revisions and their reasons.")
    ] = False,
    trace: Annotated[
        str | None,
        typer.Option(
            "--trace",
            metavar="CLAIM",
            help="Follow one figure to its source, such as USD/JPY:move; a market's name alone "
            "lists its figures. Without --week, of the newest week that has it.",
            show_default=False,
        ),
    ] = None,
    diff: Annotated[
        str | None,
        typer.Option(
            "--diff",
            metavar="WEEK",
            autocompletion=weeks,
            help="What is materially different from an earlier published week.",
            show_default=False,
        ),
    ] = None,
    origins: Annotated[
        bool,
        typer.Option(
            "--origins",
            help="How many of its figures a second origin bears out, and why others have none.",
        ),
    ] = False,
) -> ExitStatus:
    """Show the published report of a week. Needs no server."""
    view = ReportView(browse, as_json, revisions, trace, diff, origins, as_pdf)
    return show_report(week, view, markets)


class ReportView(NamedTuple):
    """The requested view of a report: the page, its PDF, a form, its revisions, one figure, a
    difference, or how many of its figures have a second origin."""

    browse: bool = False
    as_json: bool = False
    revisions: bool = False
    trace: str | None = None
    diff: str | None = None
    origins: bool = False
    as_pdf: bool = False


def show_report(week: str | None, view: ReportView, markets: str | None = None) -> ExitStatus:
    """Prints the published report of a week or a part of it, or opens it. Needs no server. With
    `markets` it is a report of only these.

    Raises:
        UsageError, CommandError: the message says what to do next.
    """
    _check(view)
    settings = load_settings()
    now = datetime.now(UTC)
    written = written_week(week, now, settings.config.schedule)
    against = written_week(view.diff, now, settings.config.schedule)
    slug = slug_of(settings, markets)
    if view.trace is not None and written is None:
        report, files = report_with(settings, view.trace, slug)
        warn_of_older_week(settings, report, view.trace, slug)
    else:
        report, files = published_report(settings, written, slug)
    if markets is None:
        note_other_markets(settings, report, files)
    if against is not None or view.trace is not None:
        warn_of_change(report)
    if against is not None:
        return show_differences(settings, against, report, files, as_json=view.as_json)
    return _show(report, files, view, settings.config.schedule.time_zone)


def _show(
    report: ResearchReport, files: PublishedFiles, view: ReportView, time_zone: str
) -> ExitStatus:
    """Shows a report, or a part of it that needs no other report."""
    if view.trace is not None:
        return show_trace(report, view.trace, as_json=view.as_json)
    if view.origins:
        return show_origins(report, as_json=view.as_json)
    if view.as_pdf:
        return _as_pdf(Path(files.html))
    if view.browse:
        return _browse(Path(files.html))
    if view.as_json:
        sys.stdout.write(Path(files.json_file).read_text(encoding="utf-8"))
        return ExitStatus.COMPLETE
    if view.revisions:
        lines = revision_lines(report, time_zone)
    else:
        lines = iter(summary_lines(published_summary(report, files, time_zone)))
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return ExitStatus.COMPLETE


def _check(view: ReportView) -> None:
    """Rejects more than one view at a time; --json goes with --trace, --diff and --origins."""
    asked = {
        "--open": view.browse,
        "--revisions": view.revisions,
        "--trace": view.trace is not None,
        "--diff": view.diff is not None,
        "--origins": view.origins,
        "--pdf": view.as_pdf,
    }
    named = [option for option, wanted in asked.items() if wanted]
    if len(named) > 1:
        raise UsageError(f"one of {' and '.join(named)} at a time")
    if view.as_json and named and named[0] in {"--open", "--revisions", "--pdf"}:
        raise UsageError(
            f"one of {named[0]} and --json at a time; --json goes with --trace, --diff, --origins"
        )
    if view.trace is not None and not view.trace.strip():
        raise UsageError("--trace names no figure; such as --trace USD/JPY:move")


def _as_pdf(page: Path) -> ExitStatus:
    """Raises CommandError if no PDF can be made."""
    target = page.with_suffix(".pdf")
    try:
        by = write_pdf(page, target)
    except PdfError as error:
        raise CommandError(str(error)) from error
    sys.stdout.write(f"{target}\n")
    sys.stderr.write(f"Printed by {by}.\n")
    return ExitStatus.COMPLETE


def _browse(page: Path) -> ExitStatus:
    if not page.is_file():
        raise CommandError(f"{page} is missing; `desk run --again` publishes it anew")
    if not webbrowser.open(page.resolve().as_uri()):
        raise CommandError(f"no browser could be started; the report is {page}")
    sys.stdout.write(f"{page}\n")
    return ExitStatus.COMPLETE


def revision_lines(report: ResearchReport, time_zone: str) -> Iterator[str]:
    """A line for every revision of a report: when, why, and what was redone."""
    for revision in report.revisions:
        local = revision.published_at.astimezone(ZoneInfo(time_zone))
        what = f"  {revision.market}" if revision.market else ""
        why = f": {one_line(revision.reason)}" if revision.reason else ""
        when = f"{local:%Y-%m-%d %H:%M} {time_zone}"
        yield f"r{revision.revision}  {when}  {revision.kind}{what}{why}"


def published_summary(report: ResearchReport, files: PublishedFiles, time_zone: str) -> WeekSummary:
    """Builds the summary of a published report."""
    published = PublishedWeek(
        week=report.week,
        as_of=report.as_of,
        revision=report.revision,
        coverage=report.coverage,
        files=files,
        workflow_id=report.timings.workflow_id,
        run_id=report.timings.run_id,
    )
    return summary_of(published, report, time_zone=time_zone, temporal_ui=None)
