"""The pages that stand beside a report's or an answer's JSON: whether they say what it says."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from desk.contracts.question.answers import AnswerReport
from desk.contracts.week.report import ResearchReport
from desk.documents.pages.comparison import Comparison, compared_html, compared_markdown

Held = ResearchReport | AnswerReport
"""What a JSON file holds: the report of a week, or the answer to a question."""


class Form(NamedTuple):
    """A page beside the JSON, and how it compares with it. `signed` says that the publisher signed
    it as it is; one of another version is then not judged by how this version words it."""

    path: Path
    comparison: Comparison
    signed: bool = False

    @property
    def same(self) -> bool:
        """Whether all of it is what the JSON says, or what the publisher signed with the JSON."""
        return not (self.comparison.wrong or self.comparison.unverified)


def forms_beside(
    path: Path, held: Held, read: Callable[[Path], str], *, signed: bool = False
) -> tuple[Form, ...]:
    """The Markdown and the HTML of the same name, as far as they are there, each compared.

    Args:
        path: The JSON file.
        held: What it holds.
        read: Reads a file's text.
        signed: Whether the publisher signed the JSON and these pages.
    """
    forms = _forms(path, held, read)
    return tuple(_as_signed(form) for form in forms) if signed else tuple(forms)


def _as_signed(form: Form) -> Form:
    other = form.comparison.other_version
    return Form(form.path, Comparison() if other else form.comparison, signed=True)


def _forms(path: Path, held: Held, read: Callable[[Path], str]) -> Iterator[Form]:
    # What a source answered is evidence for the page and not its text.
    told = held.model_dump(mode="json", exclude={"evidence"})
    for suffix, compared in ((".md", compared_markdown), (".html", compared_html)):
        page = path.with_suffix(suffix)
        if page != path and page.is_file():
            yield Form(page, _compared(compared, read(page), _renderer(suffix, held), held, told))


def _compared(
    compared: Callable[[str, str, JsonValue], Comparison],
    text: str,
    render: Callable[[Held], str],
    held: Held,
    told: JsonValue,
) -> Comparison:
    try:
        expected = render(held)
    except (ValueError, LookupError, ArithmeticError) as error:
        # A report that contradicts itself has other findings too.
        return Comparison((f"the JSON cannot be rendered: {error}",))
    return compared(text, expected, told)


def _renderer(suffix: str, held: Held) -> Callable[..., str]:
    # What draws a page takes half a second to import; only where there is a page is it needed.
    if isinstance(held, AnswerReport):
        from desk.documents.rendering.answer.html import render_answer_html
        from desk.documents.rendering.answer.markdown import render_answer_markdown

        return render_answer_markdown if suffix == ".md" else render_answer_html
    from desk.documents.rendering.report.html import render_html
    from desk.documents.rendering.report.markdown import render_markdown

    return render_markdown if suffix == ".md" else render_html
