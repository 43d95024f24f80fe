"""The pages of a report that stand beside its JSON: whether they say what the JSON says."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from contracts.report import ResearchReport
from reporting.wording import one_line

SHOWN: Final = 160
"""Characters of a line that are shown."""

_CHART: Final = re.compile(r"<svg\b.*?</svg>", re.DOTALL)


class Form(NamedTuple):
    """A page beside the JSON, and where it first says something else; None where it does not.

    `charts_differ` says that its charts are drawn otherwise, as another version of the drawing
    library does; what they show is not looked at.
    """

    path: Path
    difference: str | None
    charts_differ: bool = False


def forms_beside(
    path: Path, report: ResearchReport, read: Callable[[Path], str]
) -> tuple[Form, ...]:
    """The Markdown and the HTML of the same name, as far as they are there, each compared.

    Args:
        path: The JSON file.
        report: What it holds.
        read: Reads a file's text.
    """
    return tuple(_forms(path, report, read))


def _forms(path: Path, report: ResearchReport, read: Callable[[Path], str]) -> Iterator[Form]:
    markdown, page = path.with_suffix(".md"), path.with_suffix(".html")
    # What draws the page takes half a second to import; only where there is a page is it needed.
    if markdown != path and markdown.is_file():
        from reporting.markdown import render_markdown

        yield Form(markdown, difference(read(markdown), _rendered(render_markdown, report)))
    if page != path and page.is_file():
        from reporting.html import render_html

        text, expected = read(page), _rendered(render_html, report)
        parted = difference(_without_charts(text), _without_charts(expected))
        yield Form(page, parted, charts_differ=parted is None and text != expected)


def _rendered(render: Callable[[ResearchReport], str], report: ResearchReport) -> str:
    """The page, or why there is none: a report that contradicts itself has other findings too."""
    try:
        return render(report)
    except (ValueError, LookupError, ArithmeticError) as error:
        return f"the report cannot be rendered: {error}"


def _without_charts(page: str) -> str:
    """The page with every chart empty but in its place."""
    return _CHART.sub("<svg></svg>", page)


def difference(text: str, expected: str) -> str | None:
    """The first line in which two texts differ, shortened and without control characters."""
    if text == expected:
        return None
    ours, theirs = text.split("\n"), expected.split("\n")
    pairs = zip(ours, theirs, strict=False)
    at = next((n for n, (one, two) in enumerate(pairs) if one != two), min(len(ours), len(theirs)))
    return f"line {at + 1}: {_excerpt(ours, theirs, at)}"


def _excerpt(ours: list[str], theirs: list[str], at: int) -> str:
    """The two lines from a little before the place where they part."""
    one, two = (lines[at] if at < len(lines) else "" for lines in (ours, theirs))
    same = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), None)
    start = max(0, (same if same is not None else min(len(one), len(two))) - SHOWN // 4)
    return " | ".join(f"`{one_line(line[start : start + SHOWN])}`" for line in (one, two))
