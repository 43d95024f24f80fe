"""Printing what a run has published."""

import shutil
import sys

from desk.contracts.week.report import ResearchReport
from starters.desk_session import Desk, say
from starters.endings import ExitStatus
from starters.summary import PublishedWeek, summary_lines, summary_of, ui_address

ROOM_ELSEWHERE = 160
"""Columns of a line that no terminal has to hold."""


def print_week(
    desk: Desk,
    published: PublishedWeek,
    report: ResearchReport | None,
    *,
    as_json: bool,
    already_published: bool = False,
    changes: tuple[str, ...] = (),
) -> ExitStatus:
    """Write the summary to standard output; the exit status says whether the week is complete."""
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
    if desk.hosting and not as_json:
        say("The server stops with this command; `desk up` keeps it, and the address above, open.")
    return ExitStatus.COMPLETE if published.coverage.complete else ExitStatus.INCOMPLETE


def _width() -> int:
    if not sys.stdout.isatty():
        return ROOM_ELSEWHERE
    return shutil.get_terminal_size().columns
