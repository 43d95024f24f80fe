"""Publishes answers, and finds published ones."""

import re
from pathlib import Path
from typing import Final

from desk.contracts.findings.document import PublishedFiles
from desk.contracts.question.answers import AnswerReport
from desk.documents.answer.html import render_answer_html
from desk.documents.answer.json_form import answer_from_json, answer_to_json, same_answer
from desk.documents.answer.markdown import render_answer_markdown
from desk.documents.publishing.publish import DocumentKind
from desk.documents.publishing.signature import Signer

ANSWERS: Final = "answers"

_NO_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")

ANSWER: Final = DocumentKind(
    folder=ANSWERS,
    markdown=render_answer_markdown,
    html=render_answer_html,
    json=answer_to_json,
    from_json=answer_from_json,
    are_same=same_answer,
)


def publish_answer(
    answer: AnswerReport, directory: Path, signer: Signer | None = None
) -> PublishedFiles:
    """Writes an answer's three forms under its workflow's id.

    `answers/{workflow id}.{md,html,json}` are the latest answer of that id; with a signer, `….sig`
    is its signature of them. An answer that exists already, of the same run with the same content,
    and signed if there is a signer, is not written again. If writing fails, all files stay
    unchanged.

    Raises:
        PublishingError: a file or directory could not be written.
    """
    ANSWER.publish(answer, directory, [_stem(answer.workflow_id)], signer)
    return answer_files(directory, answer.workflow_id)


def answer_files(directory: Path, workflow_id: str) -> PublishedFiles:
    """Returns the files of a run's answer."""
    return ANSWER.named(directory, _stem(workflow_id))


def read_answer_file(path: Path) -> AnswerReport | None:
    """Reads the answer in a JSON file. Returns None if there is none or it is damaged."""
    return ANSWER.read(path)


def _stem(workflow_id: str) -> str:
    return _NO_NAME.sub("-", workflow_id).strip(".-") or "answer"
