"""`desk report --diff`: what is materially different between two published weeks."""

import sys
from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from desk.analytics.figures import print_figure
from desk.contracts.week.changes import Change, Changes
from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.wording import NO_FIGURE, one_line
from desk.documents.report.changes import changes_between
from starters.published.report.trace import console
from starters.terminal.exit_status import ExitStatus

COLUMNS = ("Kind", "Market", "Before", "After", "What changed")


def show_differences(before: ResearchReport, after: ResearchReport, *, as_json: bool) -> ExitStatus:
    """Print the typed difference between two reports, by the rules of the newer one."""
    changes = changes_between(before, after, after.config.policy.materiality)
    if as_json:
        sys.stdout.write(f"{changes.model_dump_json(indent=2)}\n")
        return ExitStatus.COMPLETE
    sys.stdout.write(f"{_title(before, after, changes)}\n")
    if changes.entries:
        console().print(_table(changes))
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


def _table(changes: Changes) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in COLUMNS:
        right = title in {"Before", "After"}
        table.add_column(title, justify="right" if right else "left", no_wrap=title != COLUMNS[-1])
    for change in changes.entries:
        table.add_row(*(Text(cell) for cell in _cells(change)))
    return table


def _cells(change: Change) -> Iterator[str]:
    yield change.kind
    yield one_line(change.market)
    for value in (change.before, change.after):
        if value is None or change.unit is None:
            yield NO_FIGURE
        else:
            yield print_figure(value, change.unit)
    yield one_line(change.text)
