"""Documents as they were published: a week's report, and answers of each program that gives one.

The JSON files are of the version that wrote them and are never written again. The pages beside them
are what today's version renders of them, without the line that names it:
`python -m tests.published` writes them anew after a change that is meant.
"""

from pathlib import Path

from desk.documents.answer.html import render_answer_html
from desk.documents.answer.json_form import answer_to_json
from desk.documents.answer.markdown import render_answer_markdown
from desk.documents.answer.publishing import read_answer_file
from desk.documents.rendering.rendering_version import unmarked
from desk.programs.week.document.json_form import to_json
from desk.programs.week.document.publishing import read_published
from desk.programs.week.document.rendering.html import render_html
from desk.programs.week.document.rendering.markdown import render_markdown

FOLDER = Path(__file__).parent
REPORTS = ("week", "traced")
"""A week of one market in dispute; and one written by hand, which has a bit of everything and does
not follow from its evidence."""
ANSWERS = ("question", "market", "swarm", "episode")


def forms(name: str) -> dict[str, str]:
    """The forms of a published document, rendered today, by suffix."""
    rendered = _of_report(name) if name in REPORTS else _of_answer(name)
    return {suffix: unmarked(text).text for suffix, text in rendered.items()}


def _of_report(name: str) -> dict[str, str]:
    report = read_published(FOLDER / f"{name}.json")
    assert report is not None
    return {"md": render_markdown(report), "html": render_html(report), "json": to_json(report)}


def _of_answer(name: str) -> dict[str, str]:
    answer = read_answer_file(FOLDER / f"{name}.json")
    assert answer is not None
    return {
        "md": render_answer_markdown(answer),
        "html": render_answer_html(answer),
        "json": answer_to_json(answer),
    }
