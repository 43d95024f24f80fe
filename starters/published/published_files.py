"""Published reports on disk: reading, finding and copying them."""

import asyncio
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from desk.contracts.findings.document import PublishedFiles
from desk.contracts.week.report import ResearchReport
from desk.contracts.week.signature import SUFFIX as SIGNATURE
from desk.documents.publishing.files import publish_folder, published
from desk.platform.delivery.shared_reports import SharedReports, StoreUnreachable
from desk.platform.files import read_text_file
from desk.platform.settings import Settings
from starters.terminal.exit_status import CommandError, UsageError

LARGEST_REPORT: Final = 64 * 2**20
"""The largest report in any of its forms, in bytes: 60 times a week of all markets."""


def read_report(path: Path) -> ResearchReport:
    """Reads a report from its published JSON file.

    Raises:
        CommandError: it is missing or damaged; the message names it and says what to do.
    """
    from desk.programs.week.document.json_form import from_json

    try:
        return from_json(read_text_file(path, LARGEST_REPORT))
    except FileNotFoundError:
        raise CommandError(f"{path} is missing; `desk run --again` publishes it anew") from None
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from None
    except (ValidationError, UnicodeDecodeError):
        raise CommandError(
            f"{path} is damaged, or no report of a week; the revisions of a report stand beside it "
            "as .r1.json and so on, and `desk run --again` publishes it anew"
        ) from None


def reports_here(settings: Settings) -> Path:
    """Returns the folder of reports, after fetching what is in the desk's store, if it has one.

    Raises:
        CommandError: the store cannot be reached.
    """
    if settings.store is None:
        return settings.reports_dir
    return asyncio.run(fetched_reports(settings))


async def fetched_reports(settings: Settings) -> Path:
    """Like `reports_here`, for callers in an event loop."""
    try:
        await SharedReports(settings.store, settings.reports_dir).fetch()
    except StoreUnreachable as error:
        raise CommandError(f"{error}; see DESK_STORE") from None
    return settings.reports_dir


def report_if_here(files: PublishedFiles) -> ResearchReport | None:
    """Reads the report. Returns None if its file is on another machine or unreadable."""
    try:
        return read_report(Path(files.json_file))
    except CommandError:
        return None


def other_reports(reports_dir: Path, week: str | None) -> list[str]:
    """The files of reports of some markets, of one week or of all, earliest week first."""
    from desk.programs.week.document.publishing import DEFAULT_SLUG, latest_reports

    listed = latest_reports(reports_dir)
    return [str(f) for w, slug, f in listed if slug != DEFAULT_SLUG and week in (None, w)]


def published_week(reports_dir: Path, written: str | None) -> str:
    """Returns the week that the user named, or the latest, if its full report is on disk.

    Raises:
        CommandError: it is not; the message lists what there is.
    """
    from desk.programs.week.document.publishing import DEFAULT_SLUG

    return chosen_report(reports_dir, written, DEFAULT_SLUG)[0]


def chosen_report(reports_dir: Path, week: str | None, slug: str | None) -> tuple[str, str]:
    """Returns the week and the slug of a published report: without a week of the newest, without a
    slug of all markets or, if the week has no such report, the one that was written last.

    Raises:
        CommandError: there is none; the message lists what there is.
    """
    from desk.programs.week.document.publishing import DEFAULT_SLUG, latest_reports

    listed = latest_reports(reports_dir)
    fitting = [one for one in listed if week in (None, one[0]) and slug in (None, one[1])]
    if not fitting:
        raise CommandError(_none_words(listed, week, slug))
    newest = [
        (s == DEFAULT_SLUG, f.stat().st_mtime, s) for w, s, f in fitting if w == fitting[-1][0]
    ]
    return fitting[-1][0], max(newest)[2]


def _none_words(listed: list[tuple[str, str, Path]], week: str | None, slug: str | None) -> str:
    """Says that a report is not published, and what is."""
    from desk.programs.week.document.publishing import DEFAULT_SLUG

    subset = "" if slug in (None, DEFAULT_SLUG) else f" of {slug}"
    whole = [w for w, s, _ in listed if s == DEFAULT_SLUG]
    partial = [str(f) for w, s, f in listed if s != DEFAULT_SLUG and week in (None, w)]
    there = f"; published are {', '.join(whole[-5:])}" if whole else ""
    partly = f"; of some markets only there are {', '.join(partial[-3:])}" if partial else ""
    run = "desk run" + (f" --week {week}" if week else "") + (" --markets …" if subset else "")
    return f"no report{subset} of {week or 'any week'}{there}{partly}; `{run}` publishes it"


def latest_files(reports_dir: Path, week: str, slug: str | None = None) -> PublishedFiles:
    """The paths of the latest revision of a week's report, by default of that of all markets."""
    from desk.programs.week.document.publishing import DEFAULT_SLUG, FOLDER

    stem = reports_dir / FOLDER / f"{week}-{slug or DEFAULT_SLUG}"
    return PublishedFiles(markdown=f"{stem}.md", html=f"{stem}.html", json_file=f"{stem}.json")


def check_target(directory: Path | None) -> None:
    """Checks that a report can be copied into a directory, before the research starts.

    Raises:
        UsageError: it is not a directory, or is not writable.
    """
    if directory is None:
        return
    try:
        publish_folder(directory)
    except FileExistsError:
        raise UsageError(f"--out {directory} is a file; name a folder") from None
    except OSError as error:
        raise UsageError(f"--out {directory}: {error.strerror}; name another folder") from None
    if not os.access(directory, os.W_OK):
        raise UsageError(f"--out {directory} is not writable; name another folder")


def copy_set(files: PublishedFiles, directory: Path) -> PublishedFiles:
    """Copies the three forms of a report with their signature, if any. A reader sees each file
    whole or not at all.

    Raises:
        CommandError: one could not be read or written.
    """
    forms = [Path(files.markdown), Path(files.html), Path(files.json_file)]
    signature = forms[-1].with_suffix(f".{SIGNATURE}")
    sources = [*forms, signature] if signature.is_file() else forms
    copies = [directory / source.name for source in sources]
    waiting = [copy.with_name(f".{copy.name}.{os.getpid()}.new") for copy in copies]
    try:
        for source, place in zip(sources, waiting, strict=True):
            shutil.copyfile(source, place)
            published(place)
        for place, copy in zip(waiting, copies, strict=True):
            place.replace(copy)
        if sources is forms:
            # The signature of an earlier copy does not belong to these files.
            (directory / signature.name).unlink(missing_ok=True)
    except OSError as error:
        raise CommandError(
            f"the report could not be copied to {directory}: {error.strerror}; "
            f"it stands in {sources[0].parent}"
        ) from error
    finally:
        for place in waiting:
            with suppress(OSError):
                place.unlink(missing_ok=True)
    markdown, html, json_file = map(str, copies[: len(forms)])
    return PublishedFiles(markdown=markdown, html=html, json_file=json_file)
