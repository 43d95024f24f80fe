"""The Markdown and the HTML beside a JSON file, compared with it."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from desk.contracts.question.answers import AnswerReport
from desk.documents.page_comparison import Comparison, compared_html, compared_markdown
from starters.published.audit.contents import Held


class ComparedPage(NamedTuple):
    """A page beside the JSON, and the result of comparing the two. `signed` says that the publisher
    signed this page. A signed page of another version is then not compared with this version's
    wording."""

    path: Path
    comparison: Comparison
    signed: bool = False

    @property
    def same(self) -> bool:
        """Whether all of it is what the JSON says, or what the publisher signed with the JSON."""
        return not (self.comparison.wrong or self.comparison.unverified)


def forms_beside(
    path: Path, held: Held, texts: Mapping[Path, str], *, signed: bool = False
) -> tuple[ComparedPage, ...]:
    """Compares the Markdown and the HTML of the same name, as far as they exist.

    Args:
        path: The JSON file.
        held: The contents of the JSON file.
        texts: The texts of the files beside it that exist.
        signed: Whether the publisher signed the JSON and these pages.
    """
    forms = _forms(path, held, texts)
    return tuple(_as_signed(form) for form in forms) if signed else tuple(forms)


def _as_signed(form: ComparedPage) -> ComparedPage:
    other = form.comparison.other_version
    return ComparedPage(form.path, Comparison() if other else form.comparison, signed=True)


def _forms(path: Path, held: Held, texts: Mapping[Path, str]) -> Iterator[ComparedPage]:
    # A source's answer is the page's evidence and not its text.
    told = held.model_dump(mode="json", exclude={"evidence"})
    for suffix, compared in ((".md", compared_markdown), (".html", compared_html)):
        page = path.with_suffix(suffix)
        if page != path and page in texts:
            yield ComparedPage(
                page, _compared(compared, texts[page], _renderer(suffix, held), held, told)
            )


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
    # The renderers take half a second to import, and are needed only if there is a page.
    if isinstance(held, AnswerReport):
        from desk.documents.answer.html import render_answer_html
        from desk.documents.answer.markdown import render_answer_markdown

        return render_answer_markdown if suffix == ".md" else render_answer_html
    from desk.programs.week.document.rendering.html import render_html
    from desk.programs.week.document.rendering.markdown import render_markdown

    return render_markdown if suffix == ".md" else render_html
