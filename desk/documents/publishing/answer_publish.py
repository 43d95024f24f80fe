"""Putting an answer's files where readers find them: all of them or none."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from desk.contracts.question.answers import AnswerReport
from desk.contracts.week.run import PublishedFiles
from desk.contracts.week.signature import SUFFIX as SIGNATURE
from desk.documents.publishing.publish import SUFFIXES, is_signed, with_signature, write_all
from desk.documents.publishing.signature import Signer
from desk.documents.rendering.answer.html import render_answer_html
from desk.documents.rendering.answer.json_form import answer_from_json, answer_to_json, same_answer
from desk.documents.rendering.answer.markdown import render_answer_markdown

FOLDER: Final = "answers"

_NO_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")


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
    files = answer_files(directory, answer.workflow_id)
    written = Path(files.json_file)
    paths = {suffix: written.with_suffix(f".{suffix}") for suffix in (*SUFFIXES, SIGNATURE)}
    if not (_holds(answer, paths) and is_signed(answer.seal, paths, signer)):
        forms = {
            "md": render_answer_markdown(answer),
            "html": render_answer_html(answer),
            "json": answer_to_json(answer),
        }
        texts = with_signature(answer.seal, forms, signer)
        write_all({paths[suffix]: texts[suffix] for suffix in texts}, directory / FOLDER)
    return files


def answer_files(directory: Path, workflow_id: str) -> PublishedFiles:
    """Where the answer of a run stands."""
    stem = _NO_NAME.sub("-", workflow_id).strip(".-") or "answer"
    markdown, html, json_file = (str(directory / FOLDER / f"{stem}.{end}") for end in SUFFIXES)
    return PublishedFiles(markdown=markdown, html=html, json_file=json_file)


def read_answer_file(path: Path) -> AnswerReport | None:
    """The answer that a published JSON file holds; None where there is none or it is damaged."""
    try:
        return answer_from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError):
        return None


def _holds(answer: AnswerReport, paths: Mapping[str, Path]) -> bool:
    """Whether the files are complete and hold the answer, by whichever attempt."""
    published = read_answer_file(paths["json"])
    if published is None or not all(paths[suffix].is_file() for suffix in SUFFIXES):
        return False
    return same_answer(published, answer)
