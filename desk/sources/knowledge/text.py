"""Text in parts: the passages that a search finds, and as much of a document as is asked for."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt

PASSAGE = 1_200
"""Characters that a passage has at most; a text that is shorter is one passage."""

LONGEST_HTML = 1_000_000
_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE_ENDS = re.compile(r"(?<=[.!?。！？])\s+|\n")
_BREAKS = ("\n\n", "\n", " ")


def passages(text: str) -> Iterator[str]:
    """The words of a text in their order, as whole paragraphs where these are short enough, then
    as whole sentences; each passage stands in the text letter by letter, white space aside."""
    held = ""
    for piece in _pieces(text):
        if held and len(held) + len(piece) + 2 > PASSAGE:
            yield held
            held = piece
        else:
            held = f"{held}\n\n{piece}" if held else piece
    if held:
        yield held


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
    """At most `limit` characters from `offset` on; where the text goes on, the part ends with a
    paragraph, a line or a word if one ends in its second half."""
    part = text[offset : offset + limit]
    if offset + limit >= len(text):
        return part
    for mark in _BREAKS:
        end = part.rfind(mark, limit // 2)
        if end >= 0:
            return part[: end + len(mark)]
    return part


def html_of(markdown: str) -> str:
    """Markdown as HTML that runs nothing and loads nothing: markup in it is shown as text, links
    lead to no script, and a picture is a link."""
    # A renderer keeps notes while it works; tools run side by side.
    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    return str(reader.render(markdown))
