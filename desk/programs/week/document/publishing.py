"""Where reports of weeks are published, and how to find them."""

import re
from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError

from desk.contracts.findings.document import PublishedFiles
from desk.contracts.week.report import ResearchReport, Revision
from desk.contracts.weeks import WEEK_PATTERN
from desk.documents.publishing.files import PublishingError, create_whole, publish_folder
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
    directory: Path, week: str, slug: str = DEFAULT_SLUG, *, below: int | None = None
) -> tuple[Revision, ...]:
    """The published revisions of a week under a slug, of any run, oldest first; with `below`, those
    before that number.

    They are read from the highest revision whose file can be read, so that no number is used twice.
    """
    newest = _newest(
        path for n, path in _numbered(directory, f"{week}-{slug}") if below is None or n < below
    )
    return newest.revisions if newest else ()


def _numbered(directory: Path, stem: str) -> list[tuple[int, Path]]:
    """The JSON files of revisions with their numbers, the highest first."""
    found = (directory / FOLDER).glob(f"{stem}.r*.json")
    return sorted(((_number(path), path) for path in found), reverse=True)


def _newest(paths: Iterable[Path]) -> ResearchReport | None:
    """The first report that can be read."""
    return next((report for path in paths if (report := read_published(path)) is not None), None)


def claim_revision(directory: Path, stem: str, number: int, run_id: str) -> int:
    """Returns the number under which a run publishes: the given one, or the next that no other run
    has. From then on no other run gets it, in whichever process. The same run gets it again.

    Raises:
        PublishingError: the directory cannot be written.
    """
    folder = directory / FOLDER
    try:
        publish_folder(folder)
        return next(n for n in count(number) if _is_own(folder / f"{stem}.r{n}.json", run_id))
    except OSError as error:
        raise PublishingError(folder, error) from error


def release_revision(directory: Path, stem: str, number: int) -> None:
    """Ends a claim, of a revision that is published or that a run on another machine has."""
    with suppress(OSError):
        _claim(directory / FOLDER / f"{stem}.r{number}.json").unlink()


def _is_own(revision: Path, run_id: str) -> bool:
    """Returns whether a revision is published by the run, or was claimed for it just now or before.

    A claim is a file beside the revision, which one process can create. It is removed once the
    revision is published, so that is looked at afterwards.
    """
    claim, own = _claim(revision), False
    if not revision.exists():
        own = _claimed(claim, run_id)
    if not revision.exists():
        return own
    if own:
        claim.unlink(missing_ok=True)
    head = _head(revision)
    return head is not None and head.timings.run_id == run_id


def _claimed(claim: Path, run_id: str) -> bool:
    """Returns whether a claim is the run's, after writing it if there is none."""
    try:
        create_whole(claim, run_id)
        return True
    except FileExistsError:
        with suppress(FileNotFoundError):
            return claim.read_bytes() == run_id.encode()
        return False


def _claim(revision: Path) -> Path:
    return revision.with_name(f".{revision.name}.claim")


def show_newest(directory: Path, stem: str, revision: int) -> None:
    """Ends the claim of a published revision. If a later one was published meanwhile, by any run,
    that is the latest again.

    Raises:
        PublishingError: a file could not be written.
    """
    release_revision(directory, stem, revision)
    while later := [path for n, path in _numbered(directory, stem) if n > revision]:
        newest, shown = _newest(later), _head(directory / FOLDER / f"{stem}.json")
        if newest is None or (shown is not None and shown.revision >= newest.revision):
            return
        REPORT.copy(directory, f"{stem}.r{newest.revision}", stem)


def _number(path: Path) -> int:
    number = path.name.removesuffix(".json").rpartition(".r")[2]
    return int(number) if number.isdecimal() else 0


def read_published(path: Path) -> ResearchReport | None:
    """The report in a JSON file; None if there is none or it is damaged."""
    return REPORT.read(path)


def _is_superseded(report: ResearchReport, latest: Path) -> bool:
    """Returns whether a later revision of the same run is already published, as when a slow attempt
    ends late."""
    head = _head(latest)
    if head is None:
        return False
    later = head.timings.run_id == report.timings.run_id and head.revision > report.revision
    return later and read_published(latest) is not None


def _head(path: Path) -> "_Head | None":
    try:
        return _Head.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


class _HeadTimings(BaseModel):
    run_id: str


class _Head(BaseModel):
    """The part of a report that identifies it. Reading the whole takes ten times as long."""

    revision: int
    timings: _HeadTimings
