"""The desk's own published reports as documents: the newest revision of each week, in its Markdown
form up to where its tables of evidence begin."""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from desk.analytics.figures import print_full_day
from desk.sources.knowledge.documents import DOCUMENTS, Kind, WrittenText

WEEKLY: Final = "weekly"
"""The folder, within that of all documents, in which the reports of weeks are."""

MOST_REPORTS: Final = 104
"""Of the newest weeks that are read."""

_FILE: Final = re.compile(r"(\d{4}-W\d{2})-(?!.*\.r\d+\.md$).*\.md$")
_AS_OF: Final = re.compile(r'^\s*"as_of": "([^"]+)"', re.MULTILINE)
_EVIDENCE: Final = re.compile(r"^## (?:Sources|Figures and their evidence)$", re.MULTILINE)
_WRITTEN: Final = re.compile(r'^\s*"published_at": "([^"]+)"', re.MULTILINE)
_STRONG: Final = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_HEAD: Final = 4_000
"""Characters of a report's JSON form that hold its as-of instant, and when it was written."""


def read_reports(folder: Path) -> Iterator[WrittenText]:
    """The reports of weeks in the folder of published documents, newest first. What is known from
    a report was known at its as-of instant: it is there from then on, and its title says of when it
    is and when it was first written, which may be much later. What it prints in bold is served in
    plain letters, to be quoted.

    One that is being written, or is no report of ours, is passed over.
    """
    found = sorted((folder / WEEKLY).glob("*.md"), reverse=True)
    named = [(path, match[1]) for path in found if (match := _FILE.match(path.name))]
    for path, week in named[:MOST_REPORTS]:
        try:
            with path.with_suffix(".json").open(encoding="utf-8") as form:
                head = form.read(_HEAD)
            as_of, written = _AS_OF.search(head), _WRITTEN.search(head)
            text = path.read_text(encoding="utf-8")
            since = datetime.fromisoformat(as_of[1]) if as_of else None
            day = f", written {_day(written[1])}" if written else ""
        except (OSError, ValueError):
            continue
        if since is None or since.tzinfo is None:
            continue
        name = f"report-{week}"
        end = _EVIDENCE.search(text)
        told = text[: end.start()] if end else text
        yield WrittenText(
            kind=Kind.DOCUMENT,
            doc_id=name,
            url=DOCUMENTS + name,
            title=f"Weekly report {week}, {path.with_suffix('.html').name}, as of"
            f" {_day(since.isoformat())}{day}",
            markdown=_STRONG.sub(r"\1", told),
            since=since,
            is_report=True,
        )


def _day(instant: str) -> str:
    """The day of an instant, as `2 Nov 2026`.

    Raises:
        ValueError: it is none.
    """
    return print_full_day(datetime.fromisoformat(instant).date())


def state_of(folder: Path | None) -> tuple[tuple[str, int], ...]:
    """What changes when a report is published: the names of the files and when each was written."""
    if folder is None:
        return ()
    try:
        files = [(path, path.stat()) for path in (folder / WEEKLY).glob("*.md")]
    except OSError:
        return ()
    return tuple(sorted((path.name, stat.st_mtime_ns) for path, stat in files))
