"""The JSON file of a report or an answer, read for the audit."""

import json
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from desk.contracts.base import most_values
from desk.contracts.question.answers import AnswerReport
from desk.contracts.week.report import ResearchReport
from desk.documents.answer.json_form import answer_from_json, answer_without_run_fields
from desk.documents.page_comparison import SHOWN, difference
from desk.platform.files import read_text_file
from desk.programs.week.document.json_form import apart_from_the_run, from_json
from starters.published.published_files import LARGEST_REPORT
from starters.terminal.exit_status import CommandError


def is_answer_json(text: str) -> bool:
    """Returns whether a JSON text is an answer rather than the report of a week."""
    if '"summary_prose":' not in text:
        return False
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(told, dict) and "summary_prose" in told


Held = ResearchReport | AnswerReport
"""The contents of a JSON file: the report of a week, or the answer to a question."""

MOST_VALUES: Final = 1_000_000
"""The most values in the JSON of a report: 20 times those of such a week."""


def first_difference(report: Held, other: Held) -> str | None:
    """Returns where two reports first differ, apart from the run's own times and ids. Returns None
    if they do not."""
    return difference(_apart_from_the_run(report), _apart_from_the_run(other))


def _apart_from_the_run(held: Held) -> str:
    if isinstance(held, AnswerReport):
        return answer_without_run_fields(held)
    return apart_from_the_run(held)


def read_text(path: Path) -> str:
    """Reads a file.

    Raises:
        CommandError: it cannot be read as text.
    """
    try:
        return read_text_file(path, LARGEST_REPORT)
    except FileNotFoundError:
        raise CommandError(f"{path} is missing") from None
    except IsADirectoryError:
        raise CommandError(f"{path} is a folder; name the .json file in it") from None
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is not a report: not text from byte {error.start} on") from None


def parse_contents(path: Path, text: str) -> Held:
    """Parses the text of a JSON file as a report or an answer.

    Raises:
        CommandError: it is neither.
    """
    if most_values(text) > MOST_VALUES:
        raise CommandError(f"{path} is not a report: it has more than {MOST_VALUES:,} values")
    try:
        return answer_from_json(text) if is_answer_json(text) else from_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))
        where = f"at {place}: " if place else ""
        raise CommandError(f"{path} is not a report: {where}{first['msg'][:SHOWN]}") from None
