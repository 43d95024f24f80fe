"""Markdown that is readable in a terminal: the frame of every document, padded tables, and text
from outside escaped."""

import re
from collections.abc import Iterable, Iterator, Sequence

from desk.analytics.links import web_link
from desk.documents.rendering.rendering_version import marked_markdown
from desk.documents.rendering.words.wording import one_line, printable

Titled = tuple[str, str]
"""A section's title and Markdown. Sections without a body are left out."""

_SPECIAL = re.compile(r"([\\`*\[\]<|])")


def markdown_document(
    title: str,
    lead: Iterable[str],
    sections: Iterable[Titled],
    *,
    method: Sequence[str],
    run: Sequence[str],
) -> str:
    """Returns a document's Markdown form: its first lines, its sections, its method, and how it was
    run.

    Args:
        title: Its title, as plain text.
        lead: Paragraphs of Markdown above the first section.
        sections: Its sections, in order.
        method: Explanations for its reader, a line each.
        run: When, by whom and in which workflow it was made, a line each.
    """
    closing = (("Method", bullets(method)), ("Run", bullets(run)))
    return marked_markdown(markdown_body(title, lead, (*sections, *closing)))


def markdown_body(title: str, lead: Iterable[str], sections: Iterable[Titled]) -> str:
    """Returns the first lines and the sections, without the end of the document."""
    parts = (f"# {escaped(title)}", *lead, *_headed(sections))
    return printable("\n\n".join(parts)) + "\n"


def _headed(sections: Iterable[Titled]) -> Iterator[str]:
    for title, body in sections:
        if body:
            yield f"## {escaped(title)}"
            yield body


def escaped(text: str) -> str:
    """Returns text from outside, on one line, with Markdown's special characters escaped."""
    return _SPECIAL.sub(r"\\\1", one_line(text))


def link(words: str, url: str | None) -> str:
    """Returns a link if the address is safe to link to, otherwise the words alone."""
    target = web_link(url)
    if target is None:
        return escaped(words)
    safe = target.replace("<", "%3C").replace(">", "%3E").replace("|", "%7C")
    return f"[{escaped(words)}](<{safe}>)"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[str]) -> str:
    """Returns a table with aligned columns: those named in `left` to the left, others to the
    right."""
    texts = [tuple(escaped(cell) for cell in row) for row in rows]
    widths = [
        max(3, len(title), *(len(row[at]) for row in texts)) if texts else max(3, len(title))
        for at, title in enumerate(columns)
    ]
    lefts = [title in left for title in columns]
    rule = [
        "-" * width if is_left else "-" * (width - 1) + ":"
        for width, is_left in zip(widths, lefts, strict=True)
    ]
    lines = [_line(row, widths, lefts) for row in (columns, tuple(rule), *texts)]
    return "\n".join(lines)


def bullets(lines: Sequence[str]) -> str:
    """Returns a list, one item a line."""
    return "\n".join(f"- {line}" for line in lines)


def _line(cells: Sequence[str], widths: Sequence[int], lefts: Sequence[bool]) -> str:
    padded = (
        cell.ljust(width) if is_left else cell.rjust(width)
        for cell, width, is_left in zip(cells, widths, lefts, strict=True)
    )
    return f"| {' | '.join(padded)} |"
