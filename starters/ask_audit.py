"""What `desk audit` looks at where the file is an answer."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from domain.answer_audit import AnswerCounts
from starters.audit_forms import Form, difference

if TYPE_CHECKING:
    from contracts.answers import AnswerReport


def is_answer(text: str) -> bool:
    """Whether a JSON text is an answer and no report of a week."""
    if '"summary_prose":' not in text:
        return False
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(told, dict) and "summary_prose" in told


def answer_forms(
    path: Path, answer: "AnswerReport", read: Callable[[Path], str]
) -> tuple[Form, ...]:
    """The Markdown and the HTML of the same name, as far as they are there, each compared."""
    return tuple(_forms(path, answer, read))


def counted_words(counts: AnswerCounts) -> str:
    """`6 quotations, 0 claims, 5 tool results and 7 references`; what else there is besides, as the
    conflicts and hypotheses of a swarm and the steps and insights of an episode."""
    besides = {
        "conflicts": counts.conflicts,
        "hypotheses": counts.hypotheses,
        "steps": counts.steps,
        "insights": counts.insights,
    }
    told = "".join(f", {count:,} {what}" for what, count in besides.items() if count)
    return (
        f"{counts.quotations:,} quotations, {counts.claims:,} claims{told},"
        f" {counts.tool_results:,} tool results and {counts.references:,} references"
    )


def _forms(path: Path, answer: "AnswerReport", read: Callable[[Path], str]) -> Iterator[Form]:
    from reporting.answer_html import render_answer_html
    from reporting.answer_markdown import render_answer_markdown

    for suffix, render in ((".md", render_answer_markdown), (".html", render_answer_html)):
        page = path.with_suffix(suffix)
        if page != path and page.is_file():
            yield Form(page, difference(read(page), _rendered(render, answer)))


def _rendered(render: Callable[["AnswerReport"], str], answer: "AnswerReport") -> str:
    """The page, or why there is none: an answer that contradicts itself has other findings too."""
    try:
        return render(answer)
    except (ValueError, LookupError, ArithmeticError) as error:
        return f"the answer cannot be rendered: {error}"
