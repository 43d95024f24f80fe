"""The desk's own published reports as documents: the newest revision of each week, in Markdown up
to its tables of evidence, without remarks made after its as-of instant."""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from desk.analytics.figures import print_full_day
from desk.sources.knowledge.documents import DOCUMENTS, Kind, WrittenText

WEEKLY: Final = "weekly"
"""The folder of the weekly reports, within that of all documents."""

MOST_REPORTS: Final = 104
"""The newest weeks that are read."""

_FILE: Final = re.compile(r"(\d{4}-W\d{2})-(?!.*\.r\d+\.md$).*\.md$")
_AS_OF: Final = re.compile(r'^\s*"as_of": "([^"]+)"', re.MULTILINE)
_EVIDENCE: Final = re.compile(r"^## (?:Sources|Figures and their evidence)$", re.MULTILINE)
_LATER: Final = re.compile(r"^## (?:Conflicts|Revisions)\n(?:(?!## ).*\n?)*", re.MULTILINE)
"""The sections with later remarks of people: how they decided a conflict, and why they requested a
rerun."""
_STRONG: Final = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_HEAD: Final = 4_000
"""Characters of a report's JSON form that contain its as-of instant."""


def read_reports(folder: Path) -> Iterator[WrittenText]:
    """The weekly reports in the folder of published documents, newest first. A report's content was
    known at its as-of instant: it is included from then on, and its title states the instant. It
    may have been written much later, but nothing in it tells a run of that instant when, why it was
    written again, or what a person decided. Bold text is served without its marks, so that it can
    be quoted.

    Skips a report that is being written, and files that are not reports of the desk.
    """
    found = sorted((folder / WEEKLY).glob("*.md"), reverse=True)
    named = [(path, match[1]) for path in found if (match := _FILE.match(path.name))]
    for path, week in named[:MOST_REPORTS]:
        try:
            with path.with_suffix(".json").open(encoding="utf-8") as form:
                head = form.read(_HEAD)
            as_of = _AS_OF.search(head)
            text = path.read_text(encoding="utf-8")
            since = datetime.fromisoformat(as_of[1]) if as_of else None
        except (OSError, ValueError):
            continue
        if since is None or since.tzinfo is None:
            continue
        name = f"report-{week}"
        end = _EVIDENCE.search(text)
        without_remarks = _LATER.sub("", text[: end.start()] if end else text)
        yield WrittenText(
            kind=Kind.DOCUMENT,
            doc_id=name,
            url=DOCUMENTS + name,
            title=f"Weekly report {week}, {path.with_suffix('.html').name}, as of"
            f" {print_full_day(since.date())}",
            markdown=_STRONG.sub(r"\1", without_remarks),
            since=since,
            is_report=True,
        )


def state_of(folder: Path | None) -> tuple[tuple[str, int], ...]:
    """A value that changes when a report is published: the names of the files and their
    modification times."""
    if folder is None:
        return ()
    try:
        files = [(path, path.stat()) for path in (folder / WEEKLY).glob("*.md")]
    except OSError:
        return ()
    return tuple(sorted((path.name, stat.st_mtime_ns) for path, stat in files))
