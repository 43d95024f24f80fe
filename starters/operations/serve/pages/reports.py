"""What is published: the reports and answers in the reports folder, and their files."""

import asyncio
import json
import re
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from desk.analytics.names.shortening import on_one_line
from desk.contracts.base import MOST_SHORT
from desk.documents.answer.publishing import ANSWERS
from desk.platform.files import read_text_file
from desk.programs.week.archive.pages import script_hash
from desk.programs.week.document.publishing import published_weeks
from starters.operations.serve.serving.site import Site, site_of
from starters.published.published_files import (
    LARGEST_REPORT,
    fetched_reports,
    latest_files,
    other_reports,
)

MOST_WEEKS: Final = 26
MOST_ANSWERS: Final = 40
INDEX: Final = "index.html"

_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
    ".json": "application/json",
    ".sig": "text/plain; charset=utf-8",
    ".pdf": "application/pdf",
}
_REVISION: Final = re.compile(r".*\.r\d+\.html")


class PublishedAnswer(NamedTuple):
    """An answer on disk. Its name is the id of its run; `asked` is the question."""

    name: str
    asked: str
    links: dict[str, str]
    written_at: datetime


async def list_reports(request: Request) -> Response:
    """Shows the newest reports of weeks, the archive of all, and the newest answers."""
    site = site_of(request)
    folder = await fetched_reports(site.settings)
    weeks = await asyncio.to_thread(published_weeks, folder)
    newest = weeks[: -MOST_WEEKS - 1 : -1]
    return site.page(
        request,
        "reports.html.j2",
        weeks=[(week, site.links_of(latest_files(folder, week))) for week in newest],
        older=len(weeks) - len(newest),
        selections=await asyncio.to_thread(_selections, site),
        archive=site.link_to(str(folder / INDEX)),
        answers=await asyncio.to_thread(_answers, site),
    )


def _selections(site: Site) -> list[tuple[str, dict[str, str]]]:
    """The newest reports of a subset of the markets."""
    files = other_reports(site.settings.reports_dir, None)
    pages = [Path(file).with_suffix(".html") for file in files[: -MOST_WEEKS - 1 : -1]]
    return [(page.stem, forms) for page in pages if (forms := _forms(site, page))]


def _answers(site: Site) -> list[PublishedAnswer]:
    pages = [
        (page.stat().st_mtime, page)
        for page in (site.settings.reports_dir / ANSWERS).glob("[!.]*.html")
        if not _REVISION.fullmatch(page.name)
    ]
    return [
        PublishedAnswer(
            page.stem,
            _asked(page.with_suffix(".json"), at) or page.stem,
            _forms(site, page),
            datetime.fromtimestamp(at, UTC),
        )
        for at, page in sorted(pages, reverse=True)[:MOST_ANSWERS]
    ]


@lru_cache(maxsize=4 * MOST_ANSWERS)
def _asked(form: Path, written_at: float) -> str | None:
    """Returns the question of an answer, if its JSON form can be read. `written_at` is part of the
    cache key."""
    try:
        found = json.loads(read_text_file(form, LARGEST_REPORT))
    except (OSError, ValueError):
        return None
    question = found.get("question") if isinstance(found, dict) else None
    return on_one_line(question, MOST_SHORT) if isinstance(question, str) else None


def _forms(site: Site, page: Path) -> dict[str, str]:
    forms = {"page": page, "Markdown": page.with_suffix(".md"), "JSON": page.with_suffix(".json")}
    found = {name: site.link_to(str(path)) for name, path in forms.items()}
    return {name: address for name, address in found.items() if address}


async def show_file(request: Request) -> Response:
    """Serves a published file. Its page may only use its own contents, and run the archive's
    script; it cannot load anything."""
    site = site_of(request)
    written: str = request.path_params["name"]
    folder = (await fetched_reports(site.settings)).resolve()
    found = await asyncio.to_thread(_published, folder, written)
    if found is None:
        return site.page(request, "no_file.html.j2", 404, name=written)
    headers = {"Content-Security-Policy": _policy(), "Cache-Control": "no-cache"}
    return FileResponse(found, headers=headers, media_type=_TYPES[found.suffix])


def _published(folder: Path, written: str) -> Path | None:
    """Returns the file in the folder of reports, unless it is hidden."""
    if any(part.startswith(".") for part in Path(written).parts):
        return None
    try:
        found = (folder / written).resolve()
        fits = found.suffix in _TYPES and found.is_relative_to(folder) and found.is_file()
    except (ValueError, OSError):
        # No file can have such a name.
        return None
    return found if fits else None


def _policy() -> str:
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script_hash()}'; "
        "img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    )
