"""Where reports of weeks are published, and how to find them."""

import re
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError

from desk.contracts.findings.document import PublishedFiles
from desk.contracts.week.report import ResearchReport, Revision
from desk.contracts.weeks import WEEK_PATTERN
from desk.documents.publishing.publish import DocumentKind
from desk.documents.publishing.signature import Signer
from desk.programs.week.document.json_form import apart_from_the_run, from_json, to_json
from desk.programs.week.document.rendering.html import render_html
from desk.programs.week.document.rendering.markdown import render_markdown

DEFAULT_SLUG: Final = "asia-g10-fx"
FOLDER: Final = "weekly"

_LATEST: Final = re.compile(rf"({WEEK_PATTERN.strip('^$')})-(?P<slug>[a-z0-9-]+)\.json")

REPORT: Final = DocumentKind(
    folder=FOLDER,
    markdown=render_markdown,
    html=render_html,
    json=to_json,
    from_json=from_json,
    are_same=lambda one, other: apart_from_the_run(one) == apart_from_the_run(other),
)


def publish(
    report: ResearchReport,
    directory: Path,
    slug: str = DEFAULT_SLUG,
    signer: Signer | None = None,
) -> PublishedFiles:
    """Writes a report's three forms under the name of its week and of its revision.

    `weekly/{week}-{slug}.{md,html,json}` hold the latest revision, `...-{slug}.r{n}.*` each one.
    With a signer, `....sig` beside them holds its signature of the three. A revision that already
    exists with the same content apart from the run, and signed if there is a signer, is not written
    again. If writing fails, all files are unchanged.

    Raises:
        PublishingError: a file or directory could not be written.
    """
    stem = f"{report.week}-{slug}"
    latest = REPORT.named(directory, stem)
    revision = _revision_stem(report, slug)
    superseded = _is_superseded(report, Path(latest.json_file))
    REPORT.publish(report, directory, [revision] if superseded else [revision, stem], signer)
    return latest


def revision_file(directory: Path, report: ResearchReport, slug: str = DEFAULT_SLUG) -> Path:
    """The JSON file of a report's revision."""
    return Path(REPORT.named(directory, _revision_stem(report, slug)).json_file)


def _revision_stem(report: ResearchReport, slug: str) -> str:
    return f"{report.week}-{slug}.r{report.revision}"


def published_weeks(directory: Path) -> list[str]:
    """The weeks with a report of all markets on disk, earliest first."""
    return [week for week, slug, _ in latest_reports(directory) if slug == DEFAULT_SLUG]


def latest_reports(directory: Path) -> list[tuple[str, str, Path]]:
    """Week, slug and JSON file of the latest revision of every report, earliest week first."""
    named = [(_LATEST.fullmatch(f.name), f) for f in (directory / FOLDER).glob("*.json")]
    return sorted((match[1], match["slug"], file) for match, file in named if match)


def published_revisions(
    directory: Path, week: str, slug: str = DEFAULT_SLUG
) -> tuple[Revision, ...]:
    """The published revisions of a week under a slug, of any run, oldest first.

    They are read from the highest revision whose file can be read, so that no number is used twice.
    """
    stem = f"{week}-{slug}"
    numbered = {_number(path): path for path in (directory / FOLDER).glob(f"{stem}.r*.json")}
    for _, path in sorted(numbered.items(), reverse=True):
        report = read_published(path)
        if report is not None:
            return report.revisions
    return ()


def _number(path: Path) -> int:
    number = path.name.removesuffix(".json").rpartition(".r")[2]
    return int(number) if number.isdecimal() else 0


def read_published(path: Path) -> ResearchReport | None:
    """The report in a JSON file; None if there is none or it is damaged."""
    return REPORT.read(path)


def _is_superseded(report: ResearchReport, latest: Path) -> bool:
    """Returns whether a later revision of the same run is already published, as when a slow attempt
    ends late."""
    try:
        head = _Head.model_validate_json(latest.read_bytes())
    except (OSError, ValidationError):
        return False
    later = head.timings.run_id == report.timings.run_id and head.revision > report.revision
    return later and read_published(latest) is not None


class _HeadTimings(BaseModel):
    run_id: str


class _Head(BaseModel):
    """The part of a report that identifies it. Reading the whole takes ten times as long."""

    revision: int
    timings: _HeadTimings
