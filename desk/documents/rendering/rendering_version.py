"""The version of the desk that rendered a page, and the line in the page that names it."""

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

NAME: Final = "research-desk"

_PACKAGES: Final = ("contracts", "analytics", "trust", "runs", "learning", "programs", "documents")
"""The packages that determine what a page shows."""
_DIGITS: Final = 12
_MARK: Final = rf"{NAME} ([0-9a-f]{{{_DIGITS}}})"
_HTML_LINE: Final = re.compile(rf'^<meta name="generator" content="{_MARK}">\n', re.MULTILINE)
_MARKDOWN_LINE: Final = re.compile(rf"\nRendered by {_MARK}\.\n\Z")


class Unmarked(NamedTuple):
    """A page without the line that names its version. The version is None if there was no such
    line."""

    text: str
    version: str | None


@cache
def rendering_mark() -> str:
    """`research-desk 1f0c…`. Two pages of one report with the same mark are equal, except for what
    the drawing library makes of charts.

    The digits are of the SHA-256 of the rendering code, so that no release needs to set a version.
    """
    root = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((root / package).rglob("*")):
            if path.suffix in {".py", ".j2", ".css", ".js"}:
                digest.update(path.relative_to(root).as_posix().encode() + b"\0")
                digest.update(path.read_bytes() + b"\0")
    return f"{NAME} {digest.hexdigest()[:_DIGITS]}"


def marked_markdown(text: str) -> str:
    """A Markdown page with a last line that names its version."""
    return f"{text}\nRendered by {rendering_mark()}.\n"


def unmarked(page: str) -> Unmarked:
    """A page, HTML or Markdown, split from the line that names its version."""
    for line in (_HTML_LINE, _MARKDOWN_LINE):
        found = line.search(page)
        if found:
            return Unmarked(page[: found.start()] + page[found.end() :], found[1])
    return Unmarked(page, None)
