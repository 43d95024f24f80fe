"""Texts in passages: sentences, items of lists and rows of tables, with what stands over them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from desk.trust.prose.sentences import split_sentences

LONGEST_PASSAGE: Final = 1_000
"""The bound of a quotation."""

LONGEST_BEFORE: Final = 2_000
"""Of what stands before a passage, the last of it: a paragraph may be as long as its document."""

_HEADING: Final = re.compile(r"#{1,6}\s+(.*?)\s*#*$")
_ITEM: Final = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+")
_RULE: Final = re.compile(r"\|?[\s|:-]+\|?$")
_COLUMNS: Final = re.compile(r"\s{2,}")
_ENDS: Final = (".", "!", "?", ":", ";", ",")
_LONGEST_HEADING: Final = 80

ORDERS: Final = re.compile(
    r"\b(?:ignore|disregard|forget)\s+(?:all\s+|any\s+|your\s+|the\s+|previous\s+|prior\s+|above\s+){1,3}"
    r"(?:instructions|prompts?|rules|questions)|\bsystem (?:message|prompt)\b|\byou are now\b",
    re.IGNORECASE,
)
"""What a paragraph says that speaks to whoever reads it with a machine. It is quoted by nobody."""


@dataclass(frozen=True, slots=True)
class Span:
    """A passage as it is found in a text.

    `heading` is that over it, or the last one before it. `before` is what the same paragraph says
    before it; of a table, what the paragraph says that leads up to it. Of a row of a table `cells`
    and `columns` are those of the row and of its head, and `head` is the head as it is written.
    """

    text: str
    heading: str = ""
    before: str = ""
    cells: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    head: str = ""


def split_markdown(markdown: str) -> Iterator[Span]:
    """The passages of a Markdown text in their order."""
    heading, leads, block = "", "", list[str]()
    for line in [*markdown.splitlines(), ""]:
        plain = line.strip()
        title = _HEADING.match(plain)
        row = plain.startswith("|")
        if title or not plain or _ITEM.match(plain) or (block and row != block[0].startswith("|")):
            yield from _block(block, heading, leads)
            leads = " ".join(block)[-LONGEST_BEFORE:] or leads
            block = []
        if title:
            heading, leads = title[1], ""
        elif plain and not plain.startswith(("```", "~~~")):
            block.append(plain)


def split_page(text: str) -> Iterator[Span]:
    """The passages of a page of a PDF file, whose lines are broken where they were full."""
    heading, leads, prose, rows = "", "", list[str](), list[str]()
    lines = [line.strip() for line in text.splitlines()]
    for plain, following in zip([*lines, ""], [*lines[1:], "", ""], strict=True):
        heads = _is_heading(plain, following)
        is_row = len(_COLUMNS.split(plain)) > 1
        if rows and not is_row:
            yield from _typed_table(rows, heading, leads)
            rows = []
        goes_on = bool(prose) and not prose[-1].endswith(_ENDS)
        if prose and (not plain or is_row or (not goes_on and heads)):
            yield from _prose(prose, heading)
            leads, prose = " ".join(prose)[-LONGEST_BEFORE:], []
        if is_row:
            rows.append(plain)
        elif plain and not prose and heads:
            heading, leads = plain, ""
        elif plain:
            prose.append(plain)


def _is_heading(line: str, following: str) -> bool:
    """Whether a line stands alone: it is short, ends no sentence, and none goes on after it."""
    alone = len(line) <= _LONGEST_HEADING and not line.endswith(_ENDS) and ". " not in line
    return alone and line[:1].isupper() and not following[:1].islower()


def _block(lines: list[str], heading: str, leads: str) -> Iterator[Span]:
    if lines and lines[0].startswith("|"):
        yield from _table(lines, heading, leads)
    elif lines:
        marker = _ITEM.match(lines[0])
        first = lines[0][marker.end() :] if marker else lines[0]
        yield from _prose([first, *lines[1:]], heading)


def _prose(lines: Iterable[str], heading: str) -> Iterator[Span]:
    paragraph = " ".join(lines)
    if ORDERS.search(paragraph):
        return
    before = ""
    for sentence in split_sentences(paragraph):
        text = sentence.strip()
        if text:
            yield Span(_bounded(text), heading, before)
            before = f"{before} {text}".strip()[-LONGEST_BEFORE:]


def _table(lines: list[str], heading: str, leads: str) -> Iterator[Span]:
    rows = [line.strip("|").strip() for line in lines if not _RULE.match(line)]
    yield from _rows(
        rows, [tuple(c.strip() for c in row.split("|")) for row in rows], heading, leads
    )


def _typed_table(lines: list[str], heading: str, leads: str) -> Iterator[Span]:
    yield from _rows(lines, [tuple(_COLUMNS.split(line)) for line in lines], heading, leads)


def _rows(
    rows: list[str], cells: list[tuple[str, ...]], heading: str, leads: str
) -> Iterator[Span]:
    head, columns = rows[0], cells[0]
    for row, held in zip(rows[1:], cells[1:], strict=True):
        yield Span(_bounded(row), heading, leads, held, columns, _bounded(head))


def _bounded(text: str) -> str:
    if len(text) <= LONGEST_PASSAGE:
        return text
    return text[:LONGEST_PASSAGE].rsplit(" ", 1)[0]
