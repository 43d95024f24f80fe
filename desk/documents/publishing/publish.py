"""Putting a report's files where readers find them: all of them or none."""

import os
import secrets
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from desk.contracts.week.report import ResearchReport, Revision
from desk.contracts.week.run import PublishedFiles
from desk.contracts.week.signature import SUFFIX as SIGNATURE
from desk.documents.publishing.published_modes import publish_folder, published
from desk.documents.publishing.signature import Signer, signature_file
from desk.documents.rendering.report.html import render_html
from desk.documents.rendering.report.json_form import apart_from_the_run, from_json, to_json
from desk.documents.rendering.report.markdown import render_markdown

DEFAULT_SLUG: Final = "asia-g10-fx"
FOLDER: Final = "weekly"
SUFFIXES: Final = ("md", "html", "json")
"""The forms. A signature of them stands beside them where the publisher has a key."""


class PublishingError(Exception):
    """A report could not be written. `path` is where; what was there before is still there."""

    def __init__(self, path: Path, cause: OSError) -> None:
        self.path = path
        reason = cause.strerror or str(cause)
        super().__init__(
            f"the report could not be written to {path}: {reason}. Make room there or make it "
            "writable, or choose another directory, and publish again; nothing was changed."
        )


def publish(
    report: ResearchReport,
    directory: Path,
    slug: str = DEFAULT_SLUG,
    signer: Signer | None = None,
) -> PublishedFiles:
    """Write a report's three forms under their week's name and under their revision's.

    `weekly/{week}-{slug}.{md,html,json}` hold the latest revision, `...-{slug}.r{n}.*` each one.
    With a signer, `....sig` beside them holds its signature of the three. A revision that is there
    already, with the same content apart from the run, and signed where there is a signer, is left
    as it is. A reader never sees half a file. When writing fails, all files are as they were.

    Raises:
        PublishingError: a file or directory could not be written.
    """
    folder = directory / FOLDER
    stem = f"{report.week}-{slug}"
    latest = _files(folder, stem)
    revision = _files(folder, f"{stem}.r{report.revision}")
    sets = [revision] if _is_superseded(report, latest["json"]) else [revision, latest]
    held = [_holds(report, files) and is_signed(report.seal, files, signer) for files in sets]
    if not all(held):
        forms = {
            "md": render_markdown(report),
            "html": render_html(report),
            "json": to_json(report),
        }
        texts = with_signature(report.seal, forms, signer)
        write_all({files[suffix]: texts[suffix] for files in sets for suffix in texts}, folder)
    return PublishedFiles(
        markdown=str(latest["md"]), html=str(latest["html"]), json_file=str(latest["json"])
    )


def published_revisions(
    directory: Path, week: str, slug: str = DEFAULT_SLUG
) -> tuple[Revision, ...]:
    """What has been published of a week under a slug, by whichever run, oldest first.

    Read from the highest revision whose file can be read, so that no number is given twice.
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
    """The report that a published JSON file holds; None where there is none or it is damaged."""
    try:
        return from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError):
        return None


def _files(folder: Path, stem: str) -> dict[str, Path]:
    return {suffix: folder / f"{stem}.{suffix}" for suffix in (*SUFFIXES, SIGNATURE)}


def _is_superseded(report: ResearchReport, latest: Path) -> bool:
    """Whether a later revision of the same run is out already, as when a slow attempt ends late."""
    published = read_published(latest)
    return (
        published is not None
        and published.timings.run_id == report.timings.run_id
        and published.revision > report.revision
    )


def _holds(report: ResearchReport, files: Mapping[str, Path]) -> bool:
    """Whether a set of files is complete and holds the report, by whichever attempt."""
    published = read_published(files["json"])
    if published is None or not all(files[suffix].is_file() for suffix in SUFFIXES):
        return False
    return apart_from_the_run(published) == apart_from_the_run(report)


def with_signature(
    seal: str, forms: Mapping[str, str], signer: Signer | None
) -> dict[str, str | None]:
    """The texts of the forms and of their signature, by suffix. Without a signer that is None, so
    that none from before stays beside them."""
    signature = signature_file(signer, seal, forms) if signer else None
    return {**forms, SIGNATURE: signature}


def is_signed(seal: str, files: Mapping[str, Path], signer: Signer | None) -> bool:
    """Whether the signature on disk is the signer's of the files as they are; always so without a
    signer."""
    if signer is None:
        return True
    try:
        forms = {suffix: _text(files[suffix]) for suffix in SUFFIXES}
        return _text(files[SIGNATURE]) == signature_file(signer, seal, forms)
    except (OSError, UnicodeDecodeError):
        return False


def _text(path: Path) -> str:
    return path.read_bytes().decode()


def write_all(contents: Mapping[Path, str | None], folder: Path) -> None:
    """Write every file beside its place first, then put all of them in place, or none. A file
    without a text is taken away.

    Raises:
        PublishingError: a file or the folder could not be written; all files are as they were.
    """
    token = secrets.token_hex(4)
    texts = {path: text for path, text in contents.items() if text is not None}
    new = {path: path.with_name(f".{path.name}.{token}.new") for path in texts}
    old = {path: path.with_name(f".{path.name}.{token}.old") for path in contents}
    at = folder
    try:
        publish_folder(folder)
        for at, text in texts.items():
            _write(new[at], text)
        for at in contents:
            _keep(at, old[at])
        at = folder
        _replace_all(contents, new, old)
        _sync(folder)
    except OSError as error:
        raise PublishingError(at, error) from error
    finally:
        for leftover in (*new.values(), *old.values()):
            with suppress(OSError):
                leftover.unlink(missing_ok=True)


def _write(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)
        published(path)
        file.flush()
        os.fsync(file.fileno())


def _keep(path: Path, copy: Path) -> None:
    """A copy of a file that is about to be replaced, to put it back by."""
    with suppress(FileNotFoundError):
        shutil.copy2(path, copy)


def _replace_all(paths: Iterable[Path], new: Mapping[Path, Path], old: Mapping[Path, Path]) -> None:
    placed: list[Path] = []
    try:
        for path in paths:
            if path in new:
                new[path].replace(path)
            else:
                path.unlink(missing_ok=True)
            placed.append(path)
    except OSError:
        for path in placed:
            _put_back(path, old[path])
        raise


def _put_back(path: Path, copy: Path) -> None:
    with suppress(OSError):
        if copy.exists():
            copy.rename(path)
        else:
            path.unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    """Make the new names outlive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
