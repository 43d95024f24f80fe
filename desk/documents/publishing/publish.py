"""Putting a document's files where readers find them: all of them or none."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from pydantic import ValidationError

from desk.contracts.question.answers import AnswerReport
from desk.contracts.week.report import ResearchReport, Revision
from desk.contracts.week.run import PublishedFiles
from desk.contracts.week.signature import SUFFIX as SIGNATURE
from desk.documents.publishing.files import write_all
from desk.documents.publishing.signature import Signer, signature_file
from desk.documents.rendering.answer.html import render_answer_html
from desk.documents.rendering.answer.markdown import render_answer_markdown
from desk.documents.rendering.json_form import (
    answer_from_json,
    answer_to_json,
    apart_from_the_run,
    from_json,
    same_answer,
    to_json,
)
from desk.documents.rendering.report.html import render_html
from desk.documents.rendering.report.markdown import render_markdown

DEFAULT_SLUG: Final = "asia-g10-fx"
FOLDER: Final = "weekly"
ANSWERS: Final = "answers"
SUFFIXES: Final = ("md", "html", "json")
"""The forms. A signature of them stands beside them where the publisher has a key."""

_NO_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")

_Published = TypeVar("_Published", ResearchReport, AnswerReport)
_Files = Mapping[str, Path]
"""A document's files by suffix, that of their signature included."""


@dataclass(frozen=True)
class _Kind(Generic[_Published]):
    """How documents of a kind are rendered and read, and whether two of them say the same,
    whichever attempt wrote them."""

    markdown: Callable[[_Published], str]
    html: Callable[[_Published], str]
    json: Callable[[_Published], str]
    from_json: Callable[[str], _Published]
    are_same: Callable[[_Published, _Published], bool]

    def read(self, path: Path) -> _Published | None:
        """The document that a JSON file holds; None where there is none or it is damaged."""
        try:
            return self.from_json(path.read_text(encoding="utf-8"))
        except (OSError, ValidationError, UnicodeDecodeError):
            return None

    def write(
        self, document: _Published, sets: Sequence[_Files], folder: Path, signer: Signer | None
    ) -> None:
        """Write the forms of a document as each of some sets of files, where not all of them hold
        it already.

        Raises:
            PublishingError: a file or the folder could not be written; all are as they were.
        """
        if all(
            self._is_held(document, files) and _is_signed(document.seal, files, signer)
            for files in sets
        ):
            return
        forms = {
            "md": self.markdown(document),
            "html": self.html(document),
            "json": self.json(document),
        }
        # Without a signer, a signature from before is taken away.
        signature = signature_file(signer, document.seal, forms) if signer else None
        texts: dict[str, str | None] = {**forms, SIGNATURE: signature}
        write_all({files[suffix]: texts[suffix] for files in sets for suffix in texts}, folder)

    def _is_held(self, document: _Published, files: _Files) -> bool:
        """Whether a set of files is complete and holds the document."""
        published = self.read(files["json"])
        if published is None or not all(files[suffix].is_file() for suffix in SUFFIXES):
            return False
        return self.are_same(published, document)


_REPORT: Final = _Kind(
    markdown=render_markdown,
    html=render_html,
    json=to_json,
    from_json=from_json,
    are_same=lambda one, other: apart_from_the_run(one) == apart_from_the_run(other),
)
_ANSWER: Final = _Kind(
    markdown=render_answer_markdown,
    html=render_answer_html,
    json=answer_to_json,
    from_json=answer_from_json,
    are_same=same_answer,
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
    _REPORT.write(report, sets, folder, signer)
    return _named(latest)


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
    return _REPORT.read(path)


def _is_superseded(report: ResearchReport, latest: Path) -> bool:
    """Whether a later revision of the same run is out already, as when a slow attempt ends late."""
    published = read_published(latest)
    return (
        published is not None
        and published.timings.run_id == report.timings.run_id
        and published.revision > report.revision
    )


def publish_answer(
    answer: AnswerReport, directory: Path, signer: Signer | None = None
) -> PublishedFiles:
    """Write an answer's three forms under its workflow's id.

    `answers/{workflow id}.{md,html,json}` hold the latest answer of that id, and with a signer
    `….sig` its signature of them. One that is there already, of the same run, with the same content
    and signed where there is a signer, is left as it is. A reader never sees half a file. When
    writing fails, all files are as they were.

    Raises:
        PublishingError: a file or directory could not be written.
    """
    folder = directory / ANSWERS
    files = _files(folder, _stem(answer.workflow_id))
    _ANSWER.write(answer, [files], folder, signer)
    return _named(files)


def answer_files(directory: Path, workflow_id: str) -> PublishedFiles:
    """Where the answer of a run stands."""
    return _named(_files(directory / ANSWERS, _stem(workflow_id)))


def read_answer_file(path: Path) -> AnswerReport | None:
    """The answer that a published JSON file holds; None where there is none or it is damaged."""
    return _ANSWER.read(path)


def _stem(workflow_id: str) -> str:
    return _NO_NAME.sub("-", workflow_id).strip(".-") or "answer"


def _files(folder: Path, stem: str) -> dict[str, Path]:
    return {suffix: folder / f"{stem}.{suffix}" for suffix in (*SUFFIXES, SIGNATURE)}


def _named(files: _Files) -> PublishedFiles:
    return PublishedFiles(
        markdown=str(files["md"]), html=str(files["html"]), json_file=str(files["json"])
    )


def _is_signed(seal: str, files: _Files, signer: Signer | None) -> bool:
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
