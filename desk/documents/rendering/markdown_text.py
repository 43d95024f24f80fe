"""Markdown that reads well in a terminal: padded tables, and outside text made harmless."""

import re
from collections.abc import Sequence

from desk.analytics.links import web_link
from desk.documents.rendering.wording import one_line

_SPECIAL = re.compile(r"([\\`*\[\]<|])")


def escaped(text: str) -> str:
    """Text from outside, on one line, with what Markdown would act on escaped."""
    return _SPECIAL.sub(r"\\\1", one_line(text))


def link(words: str, url: str | None) -> str:
    """A link where the address may be linked to, else the words alone."""
    target = web_link(url)
    if target is None:
        return escaped(words)
    safe = target.replace("<", "%3C").replace(">", "%3E").replace("|", "%7C")
    return f"[{escaped(words)}](<{safe}>)"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[str]) -> str:
    """A table with aligned columns: those named in `left` to the left, others to the right."""
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
    """A list, one item a line."""
    return "\n".join(f"- {line}" for line in lines)


def _line(cells: Sequence[str], widths: Sequence[int], lefts: Sequence[bool]) -> str:
    padded = (
        cell.ljust(width) if is_left else cell.rjust(width)
        for cell, width, is_left in zip(cells, widths, lefts, strict=True)
    )
    return f"| {' | '.join(padded)} |"
