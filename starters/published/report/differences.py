"""`desk report --diff`: what is materially different from an earlier week."""

import sys
from collections.abc import Iterator
from pathlib import Path

from desk.analytics.figures import print_figure
from desk.contracts.findings.document import PublishedFiles
from desk.contracts.week.changes import Change, Changes
from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.words.wording import NO_FIGURE, one_line
from desk.platform.settings import Settings
from desk.programs.week.document.sections.changes import changes_between
from starters.published.published_files import chosen_report, latest_files, read_report
from starters.published.report.choosing import slug_in, warn_of_change
from starters.terminal.exit_status import ExitStatus, UsageError
from starters.terminal.tables import table_lines

COLUMNS = ("Kind", "Market", "Before", "After", "What changed")


def show_differences(
    settings: Settings,
    against: str,
    report: ResearchReport,
    of_report: PublishedFiles,
    *,
    as_json: bool,
) -> ExitStatus:
    """Prints what is materially different in a report from that of another week.

    Raises:
        UsageError: the other week is not earlier.
        CommandError: it has no such report.
    """
    if against >= report.week:
        order = "the same week as" if against == report.week else "later than"
        raise UsageError(
            f"--diff {against} is {order} the report's, {report.week}; name an earlier one, or "
            "a later report with --week"
        )
    chosen = chosen_report(settings.reports_dir, against, slug_in(report, of_report))
    files = latest_files(settings.reports_dir, *chosen)
    before = read_report(Path(files.json_file))
    warn_of_change(before)
    return _print_differences(before, report, as_json=as_json)


def _print_differences(
    before: ResearchReport, after: ResearchReport, *, as_json: bool
) -> ExitStatus:
    """Prints the typed difference between two reports, by the rules of the newer one."""
    changes = changes_between(before, after, after.config.policy.materiality)
    if as_json:
        sys.stdout.write(f"{changes.model_dump_json(indent=2)}\n")
        return ExitStatus.COMPLETE
    sys.stdout.write(f"{_title(before, after, changes)}\n")
    if changes.entries:
        rows = (tuple(_cells(change)) for change in changes.entries)
        for line in table_lines(COLUMNS, rows, right={2, 3}):
            sys.stdout.write(f"{line}\n")
    if changes.note:
        sys.stdout.write(f"{one_line(changes.note)}\n")
    return ExitStatus.COMPLETE


def _title(before: ResearchReport, after: ResearchReport, changes: Changes) -> str:
    weeks = (
        f"{before.week} (revision {before.revision}) to {after.week} (revision {after.revision})"
    )
    if not changes.entries:
        return f"{weeks}: no material change"
    count = len(changes.entries)
    return f"{weeks}: {count} material {'change' if count == 1 else 'changes'}"


def _cells(change: Change) -> Iterator[str]:
    yield change.kind
    yield change.market
    for value in (change.before, change.after):
        if value is None or change.unit is None:
            yield NO_FIGURE
        else:
            yield print_figure(value, change.unit)
    yield change.text
