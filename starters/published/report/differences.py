"""`desk report --diff`: what is materially different between two published weeks."""

import sys
from collections.abc import Iterator

from desk.analytics.figures import print_figure
from desk.contracts.week.changes import Change, Changes
from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.wording import NO_FIGURE, one_line
from desk.documents.report.changes import changes_between
from starters.terminal.exit_status import ExitStatus
from starters.terminal.tables import table_lines

COLUMNS = ("Kind", "Market", "Before", "After", "What changed")


def show_differences(before: ResearchReport, after: ResearchReport, *, as_json: bool) -> ExitStatus:
    """Print the typed difference between two reports, by the rules of the newer one."""
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
