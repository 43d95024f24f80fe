"""Which published report a command shows, and the warnings about that choice."""

import sys
from contextlib import suppress
from pathlib import Path

from desk.contracts.findings.document import PublishedFiles
from desk.contracts.week.report import ResearchReport
from desk.platform.settings import Settings
from desk.programs.week.document.publishing import DEFAULT_SLUG, latest_reports
from desk.trust.seals import seal_of
from starters.published.published_files import (
    chosen_report,
    latest_files,
    read_report,
    reports_here,
)
from starters.published.report.tracing import figure_key, has_figure
from starters.runs.market_choice import chosen_markets
from starters.terminal.exit_status import CommandError


def published_report(
    settings: Settings, week: str | None, slug: str | None = DEFAULT_SLUG
) -> tuple[ResearchReport, PublishedFiles]:
    """Reads the report of a week, or the latest published one, as `chosen_report` does. Returns it
    with its files.

    Raises:
        CommandError: there is none, or it cannot be read; the message says what to do.
    """
    folder = reports_here(settings)
    files = latest_files(folder, *chosen_report(folder, week, slug))
    return read_report(Path(files.json_file)), files


def report_with(
    settings: Settings, figure: str, slug: str | None = DEFAULT_SLUG
) -> tuple[ResearchReport, PublishedFiles]:
    """Returns the newest published report that has a figure, or figures of a market, with its
    files. Falls back to the newest report. `slug` is as for `published_report`.

    Raises:
        CommandError: there is no report; the message says what to do.
    """
    newest, files = published_report(settings, None, slug)
    if has_figure(newest, figure):
        return newest, files
    listed = latest_reports(settings.reports_dir)
    for week, of_markets, path in reversed(listed):
        if slug not in (None, of_markets) or str(path) == files.json_file:
            continue
        older = latest_files(settings.reports_dir, week, of_markets)
        text = Path(older.json_file).read_text(encoding="utf-8", errors="replace")
        # Parsing a report is slow; searching its text for the name is not.
        if figure_key(figure) not in figure_key(text):
            continue
        with suppress(CommandError):
            report = read_report(Path(older.json_file))
            if has_figure(report, figure):
                return report, older
    return newest, files


def slug_of(settings: Settings, markets: str | None) -> str | None:
    """Returns the slug of the report of some markets, by their names or as its file is named.

    Raises:
        UsageError: a market is unknown, or none was named.
    """
    if markets is None:
        return None
    named = markets.strip().lower()
    if any(named == slug for _, slug, _ in latest_reports(reports_here(settings))):
        return named
    return chosen_markets(settings.config, markets)[1] or DEFAULT_SLUG


def slug_in(report: ResearchReport, files: PublishedFiles) -> str:
    """Returns the slug in the names of a report's files."""
    return Path(files.json_file).stem.removeprefix(f"{report.week}-")


def note_other_markets(settings: Settings, report: ResearchReport, files: PublishedFiles) -> None:
    """Says on standard error if a report is of some markets only, or which such reports its week
    has besides."""
    listed, slug = latest_reports(settings.reports_dir), slug_in(report, files)
    others = [s for week, s, _ in listed if week == report.week and s != slug]
    words = []
    if slug != DEFAULT_SLUG:
        whole = [week for week, s, _ in listed if s == DEFAULT_SLUG][-1:]
        newest = f"the newest of all is {whole[0]}" if whole else "there is none of all"
        words.append(f"{report.week} of some markets only, {slug}; {newest}")
    if others:
        words.append(f"{report.week} has reports of other markets: --markets {' or '.join(others)}")
    sys.stderr.writelines(f"desk: {line}\n" for line in words)


def warn_of_older_week(
    settings: Settings, report: ResearchReport, figure: str, slug: str | None
) -> None:
    """Says on standard error if a figure is not from the newest week."""
    newest, _ = chosen_report(settings.reports_dir, None, slug)
    if report.week != newest:
        sys.stderr.write(
            f"desk: the newest week, {newest}, has no {figure.strip()}; this is of {report.week} "
            "(--week names another)\n"
        )


def warn_of_change(report: ResearchReport) -> None:
    """Warns on standard error if a report's seal does not match its contents."""
    if report.seal != seal_of(report):
        sys.stderr.write(
            f"desk: the file of {report.week} was changed since it was published; "
            f"`desk audit {report.week}` says where\n"
        )
