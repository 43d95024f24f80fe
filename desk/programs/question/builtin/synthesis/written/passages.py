"""Splits texts into passages: paragraphs, list items and table rows, each with its context and its
place."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, NamedTuple

from desk.contracts.base import Instant
from desk.contracts.question.knowledge import (
    DocumentsRead,
    Found,
    PdfsRead,
    Ticket,
    TicketsFound,
    WebSearched,
    things_of,
)
from desk.contracts.runs.turns import StateEntry
from desk.trust.prose import split_sentences

LONGEST_PASSAGE: Final = 400
"""The maximum number of characters of a passage of several sentences. A longer paragraph is
split."""

LONGEST_SENTENCE: Final = 1_000
"""The limit of a quotation."""

LONGEST_LED: Final = 3_000
"""The maximum number of characters of the words that lead to a thing."""

MOST_PASSAGES: Final = 20_000
"""The maximum number of passages that are ranked: the first ones, so that the end of a long book is
not read."""

_HEADING: Final = re.compile(r"#{1,6}\s+(.*?)\s*#*$")
_ITEM: Final = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+")
_RULE: Final = re.compile(r"\|?[\s|:-]+\|?$")
_COLUMNS: Final = re.compile(r"\s{2,}")
_ENDS: Final = (".", "!", "?", ":", ";", ",")
_LONGEST_HEADING: Final = 80


class TableRow(NamedTuple):
    """A row of a table: the heads of its columns, and its cells."""

    heads: tuple[str, ...]
    cells: tuple[str, ...]


class Span(NamedTuple):
    """A passage as found in a text: the heading above it, and for a row the text before the
    table."""

    text: str
    heading: str = ""
    before: str = ""
    row: TableRow | None = None


class SourceKind(StrEnum):
    """The kinds of sources."""

    TICKET = "ticket"
    DOCUMENT = "document"
    PDF = "pdf"
    WEB = "web"


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """Words of a source, and their place.

    `thing` is the identifier of the source: a ticket's or document's id, or an address. `within` is
    the page or section, `place` the same with further details. `linked` are the words that link to
    the source, such as those of the ticket that names a document. `ticket` is the ticket whose
    fields the words are, if they are not running text.
    """

    span: Span
    kind: SourceKind
    source: str
    evidence_id: str
    thing: str
    within: str | None = None
    place: str | None = None
    url: str | None = None
    linked: str = ""
    ticket: Ticket | None = None

    @property
    def text(self) -> str:
        """The words."""
        return self.span.text

    @property
    def columns(self) -> tuple[str, str, str, str]:
        """The words, and their context: headings, the title, and what leads up to them or links to
        their source."""
        heads = " ".join(self.span.row.heads) if self.span.row else ""
        title = f"{self.source} {re.sub(r'[^A-Za-z0-9]+', ' ', self.thing.rsplit('/', 1)[-1])}"
        around = f"{self.span.before} {self.linked}"
        return self.text, f"{self.span.heading} {heads}", title, around


def passages_in(
    state: Sequence[StateEntry], named: Sequence[str] = ()
) -> tuple[SourcePassage, ...]:
    """Returns the passages of everything that was read or found, in the order of the nodes.

    A text that was read whole is not repeated from a search's answer. Things that tickets `named`
    in the question link to are also matched by the tickets' words.
    """
    read: dict[tuple[str, str], SourcePassage] = {}
    titles = {hit.url: hit.title for hit, _ in _items(state, WebSearched)}
    linked = _linked(state, named)
    for ticket, evidence in _items(state, TicketsFound):
        _keep(read, _of_ticket(ticket, evidence))
    for document, evidence in _items(state, DocumentsRead):
        url = document.url or next((u for u in titles if u.endswith(f"/{document.doc_id}")), None)
        title = document.title or _first_heading(document.markdown) or document.doc_id
        kind = SourceKind.WEB if document.doc_id == url else SourceKind.DOCUMENT
        found = SourcePassage(Span(""), kind, title[:500], evidence, document.doc_id, url=url)
        spans = split_markdown(document.markdown)
        _keep(read, (_placed(found, span, document.published_at) for span in spans))
    for pdf, evidence in _items(state, PdfsRead):
        title = pdf.title or titles.get(pdf.url) or pdf.url.rsplit("/", 1)[-1]
        found = SourcePassage(Span(""), SourceKind.PDF, title[:500], evidence, pdf.url, url=pdf.url)
        for page in pdf.pages:
            place = f"page {page.page_number}"
            spans = split_page(page.text)
            _keep(read, (_placed(found, span, pdf.published_at, place) for span in spans))
    whole = {each for passage in read.values() for each in (passage.url, passage.thing)}
    for hit, evidence in _items(state, WebSearched):
        kind = _kind_of(hit.url)
        found = SourcePassage(Span(""), kind, hit.title, evidence, hit.url, url=hit.url)
        if hit.url not in whole and kind is not SourceKind.TICKET:
            split = split_page if kind is SourceKind.PDF else split_markdown
            _keep(read, (replace(found, span=span) for span in split(hit.snippet)))
    everything = tuple(read.values())[:MOST_PASSAGES]
    return tuple(replace(each, linked=linked.get(each.url or "", "")) for each in everything)


def _linked(state: Sequence[StateEntry], named: Sequence[str]) -> dict[str, str]:
    """Returns for the address of each thing that named tickets lead to the words that lead there:
    first those of the ticket, then those of each page or document on the way."""
    documents = {d.url: d for d, _ in _items(state, DocumentsRead) if d.url}
    linked: dict[str, str] = {}
    for ticket, _ in _items(state, TicketsFound):
        if ticket.id.upper() in named:
            words = f"{ticket.id} {ticket.summary}"
            steps = [(link, words) for link in ticket.links]
            for link, leads in steps:
                if link not in linked:
                    linked[link] = leads
                    if (page := documents.get(link)) is not None:
                        beyond = f"{leads} {page.title or ''} {page.markdown[:LONGEST_SENTENCE]}"
                        steps += [(each, beyond[:LONGEST_LED]) for each in page.links]
    return linked


def split_markdown(markdown: str) -> Iterator[Span]:
    """Yields the passages of a Markdown text in order."""
    heading, leads, block = "", "", list[str]()
    for line in [*markdown.splitlines(), ""]:
        plain = line.strip()
        title = _HEADING.match(plain)
        is_row = plain.startswith("|")
        ends = title or not plain or _ITEM.match(plain)
        if block and (ends or is_row != block[0].startswith("|")):
            yield from _block(block, heading, leads)
            leads, block = " ".join(block)[-LONGEST_SENTENCE:], []
        if title:
            heading, leads = title[1], ""
        elif plain and not plain.startswith(("```", "~~~")):
            block.append(plain)


def split_page(text: str) -> Iterator[Span]:
    """Yields the passages of a page of a PDF file, whose lines are broken where they were full and
    whose tables have blanks between their columns."""
    heading, leads, prose, rows = "", "", list[str](), list[str]()
    lines = [line.strip() for line in text.splitlines()]
    for plain, following in zip([*lines, ""], [*lines[1:], "", ""], strict=True):
        heads = _is_heading(plain, following)
        is_row = len(_COLUMNS.split(plain)) > 1
        if rows and not is_row:
            yield from _table(rows, [tuple(_COLUMNS.split(row)) for row in rows], heading, leads)
            rows = []
        goes_on = bool(prose) and not prose[-1].endswith(_ENDS)
        if prose and (not plain or is_row or (not goes_on and heads)):
            yield from _prose(prose, heading, leads)
            leads, prose = " ".join(prose)[-LONGEST_SENTENCE:], []
        if is_row:
            rows.append(plain)
        elif plain and not prose and heads:
            heading, leads = plain, ""
        elif plain:
            prose.append(plain)


def _is_heading(line: str, following: str) -> bool:
    """Returns whether a line is a heading: it is short, does not end a sentence, and the next line
    does not continue it."""
    alone = len(line) <= _LONGEST_HEADING and not line.endswith(_ENDS) and ". " not in line
    return alone and line[:1].isupper() and not following[:1].islower()


def _block(lines: list[str], heading: str, leads: str) -> Iterator[Span]:
    if lines[0].startswith("|"):
        rows = [line.strip("|").strip() for line in lines if not _RULE.match(line)]
        cells = [tuple(cell.strip() for cell in row.split("|")) for row in rows]
        yield from _table(rows, cells, heading, leads)
    else:
        marker = _ITEM.match(lines[0])
        first = lines[0][marker.end() :] if marker else lines[0]
        yield from _prose([first, *lines[1:]], heading, leads if marker else "")


def _table(
    rows: list[str], cells: list[tuple[str, ...]], heading: str, leads: str
) -> Iterator[Span]:
    for row, held in zip(rows[1:], cells[1:], strict=True):
        yield Span(_bounded(row), heading, leads, TableRow(cells[0], held))


def _prose(lines: Iterable[str], heading: str, leads: str) -> Iterator[Span]:
    """Yields a paragraph, or if it is long its sentences, as many together as fit into a
    passage."""
    held = ""
    for sentence in split_sentences(" ".join(lines)):
        if held and len(held) + len(sentence) > LONGEST_PASSAGE:
            yield Span(_bounded(held.strip()), heading, leads)
            leads, held = held, ""
        held += sentence
    if held.strip():
        yield Span(_bounded(held.strip()), heading, leads)


def _bounded(text: str) -> str:
    return text if len(text) <= LONGEST_SENTENCE else text[:LONGEST_SENTENCE].rsplit(" ", 1)[0]


def _of_ticket(ticket: Ticket, evidence: str) -> Iterator[SourcePassage]:
    """Yields a ticket's fields with their names as one passage, and each passage of its
    description."""
    fields = ticket.model_dump(include={"id", "status", "assignee", "summary"})
    told = " ".join(f"{name} {value or 'unassigned'}" for name, value in fields.items())
    found = SourcePassage(
        Span(f"ticket {told}", before=ticket.description or ""),
        SourceKind.TICKET,
        ticket.id,
        evidence,
        ticket.id,
        url=ticket.url,
        ticket=ticket,
    )
    yield found
    for span in split_markdown(ticket.description or ""):
        about = span._replace(before=ticket.summary)
        yield replace(found, span=about, place="description", ticket=None)


def _placed(
    found: SourcePassage, span: Span, published: Instant | None, page: str | None = None
) -> SourcePassage:
    section = f"section '{span.heading}'" if span.heading not in ("", found.source) else None
    day = f"published {published.date().isoformat()}" if published else None
    within = page or section
    place = ", ".join(filter(None, (within, *_heads(span), day)))
    return replace(found, span=span, within=within, place=place[:200] or None)


def _heads(span: Span) -> Iterator[str]:
    if span.row:
        yield f"columns {' | '.join(span.row.heads)}"


def _first_heading(markdown: str) -> str | None:
    first = re.search(r"^#\s+(.+)$", markdown, re.MULTILINE)
    return first[1].strip() if first else None


def _kind_of(url: str) -> SourceKind:
    if url.startswith("corpus://tickets/"):
        return SourceKind.TICKET
    if url.lower().endswith(".pdf"):
        return SourceKind.PDF
    return SourceKind.DOCUMENT if url.startswith("corpus://") else SourceKind.WEB


def _keep(read: dict[tuple[str, str], SourcePassage], passages: Iterable[SourcePassage]) -> None:
    for passage in passages:
        read.setdefault((passage.url or passage.thing, passage.text), passage)


def _items(state: Sequence[StateEntry], kind: type[Found]) -> Iterator[tuple[Any, str]]:
    """Yields the things of a kind that nodes found, each with its evidence."""
    for entry in state:
        if isinstance(entry.result, kind):
            yield from zip(things_of(entry.result), entry.result.evidence, strict=False)
