"""Splits text: into passages for a search, and into parts of a requested length."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt

PASSAGE = 1_200
"""The most characters of a passage. A shorter text is one passage."""

LONGEST_HTML = 1_000_000
_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE_ENDS = re.compile(r"(?<=[.!?。！？])\s+|\n")
_BREAKS = ("\n\n", "\n", " ")


def passages(text: str) -> Iterator[str]:
    """The text in order, in whole paragraphs if these are short enough, else in whole sentences.
    Each passage is an exact part of the text, apart from white space."""
    passage = ""
    for piece in _pieces(text):
        if passage and len(passage) + len(piece) + 2 > PASSAGE:
            yield passage
            passage = piece
        else:
            passage = f"{passage}\n\n{piece}" if passage else piece
    if passage:
        yield passage


def _pieces(text: str) -> Iterator[str]:
    for paragraph in _PARAGRAPHS.split(text):
        if len(paragraph) <= PASSAGE:
            yield from (paragraph.strip(),) if paragraph.strip() else ()
        else:
            yield from _cut_at(_SENTENCE_ENDS, paragraph)


def _cut_at(ends: re.Pattern[str], paragraph: str) -> Iterator[str]:
    for sentence in filter(None, map(str.strip, ends.split(paragraph))):
        while len(sentence) > PASSAGE:
            end = sentence.rfind(" ", PASSAGE // 2, PASSAGE)
            end = PASSAGE if end < 0 else end
            yield sentence[:end]
            sentence = sentence[end:].strip()
        if sentence:
            yield sentence


def part_of(text: str, offset: int, limit: int) -> str:
    """At most `limit` characters from `offset` on. If the text continues, the part ends with a
    paragraph, a line or a word, if one ends in its second half."""
    part = text[offset : offset + limit]
    if offset + limit >= len(text):
        return part
    for mark in _BREAKS:
        end = part.rfind(mark, limit // 2)
        if end >= 0:
            return part[: end + len(mark)]
    return part


def html_of(markdown: str) -> str:
    """Converts Markdown to HTML that runs nothing and loads nothing: markup in it is shown as text,
    links lead to no script, and a picture becomes a link."""
    # A new renderer each time, because a renderer has state and tools run concurrently.
    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    return str(reader.render(markdown))
