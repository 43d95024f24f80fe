"""The version of the desk that rendered a page, and the mark in the page that names it."""

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
_WITHIN: Final = re.compile(rf"Rendered by <code>{_MARK}</code>\. ")


class Unmarked(NamedTuple):
    """A page without the mark of its version. The version is None if there was no mark."""

    text: str
    version: str | None


@cache
def rendering_mark() -> str:
    """Returns a mark such as `research-desk 1f0c…`. Two pages of one report with the same mark are
    equal, except for differences of the drawing library in charts.

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
    """Adds a last line to a Markdown page that names its version."""
    return f"{text}\nRendered by {rendering_mark()}.\n"


def unmarked(page: str) -> Unmarked:
    """Splits a page, HTML or Markdown, from the mark of its version."""
    for line in (_HTML_LINE, _MARKDOWN_LINE):
        found = line.search(page)
        if found:
            text = page[: found.start()] + page[found.end() :]
            return Unmarked(_WITHIN.sub("", text), found[1])
    return Unmarked(page, None)


def other_version(page: str) -> str | None:
    """Returns the mark of the version that rendered a page if that is another version. None if it
    is this one, or is not named."""
    version = unmarked(page).version
    mark = f"{NAME} {version}"
    return mark if version is not None and mark != rendering_mark() else None
