"""Passages that answer a question: cut out of what was found, ranked by their fit, and quoted."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from math import log
from typing import Final, NamedTuple

from desk.analytics.full_text import FullTextIndex, stem, stems, telling_stems
from desk.analytics.names.currencies import currency_words
from desk.contracts.base import Instant
from desk.contracts.question.knowledge import (
    DocumentsRead,
    KnowledgeDocument,
    PdfsRead,
    PdfText,
    Quotation,
    SearchHit,
    Ticket,
    TicketsFound,
    WebSearched,
)
from desk.contracts.runs.turns import StateEntry
from desk.programs.question.builtin.asking import TICKET_ID
from desk.trust.prose import REFERENCE, clip, split_sentences, unbacked

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
class TextSpan:
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


def split_markdown(markdown: str) -> Iterator[TextSpan]:
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


def split_page(text: str) -> Iterator[TextSpan]:
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


def _block(lines: list[str], heading: str, leads: str) -> Iterator[TextSpan]:
    if lines and lines[0].startswith("|"):
        yield from _table(lines, heading, leads)
    elif lines:
        marker = _ITEM.match(lines[0])
        first = lines[0][marker.end() :] if marker else lines[0]
        yield from _prose([first, *lines[1:]], heading)


def _prose(lines: Iterable[str], heading: str) -> Iterator[TextSpan]:
    paragraph = " ".join(lines)
    if ORDERS.search(paragraph):
        return
    before = ""
    for sentence in split_sentences(paragraph):
        text = sentence.strip()
        if text:
            yield TextSpan(_bounded(text), heading, before)
            before = f"{before} {text}".strip()[-LONGEST_BEFORE:]


def _table(lines: list[str], heading: str, leads: str) -> Iterator[TextSpan]:
    rows = [line.strip("|").strip() for line in lines if not _RULE.match(line)]
    yield from _rows(
        rows, [tuple(c.strip() for c in row.split("|")) for row in rows], heading, leads
    )


def _typed_table(lines: list[str], heading: str, leads: str) -> Iterator[TextSpan]:
    yield from _rows(lines, [tuple(_COLUMNS.split(line)) for line in lines], heading, leads)


def _rows(
    rows: list[str], cells: list[tuple[str, ...]], heading: str, leads: str
) -> Iterator[TextSpan]:
    head, columns = rows[0], cells[0]
    for row, held in zip(rows[1:], cells[1:], strict=True):
        yield TextSpan(_bounded(row), heading, leads, held, columns, _bounded(head))


def _bounded(text: str) -> str:
    if len(text) <= LONGEST_PASSAGE:
        return text
    return text[:LONGEST_PASSAGE].rsplit(" ", 1)[0]


MOST_PASSAGES: Final = 20_000
"""As many as are ranked. The first ones; a book is not read to its end."""

OPENING: Final = 3
"""Passages at the beginning of a text among which it says of when it is."""

_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        (
            *("january", "february", "march", "april", "may", "june", "july"),
            *("august", "september", "october", "november", "december"),
        ),
        start=1,
    )
}
_DATED: Final = re.compile(r"\b(\d{1,2}) (" + "|".join(_MONTHS) + r") ((?:19|20)\d{2})\b", re.I)
_SLUG: Final = re.compile(r"[^A-Za-z0-9]+")


class SourceKind(StrEnum):
    """Where words come from."""

    TICKET = "ticket"
    DOCUMENT = "document"
    PDF = "pdf"
    WEB = "web"


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """Words of a source, and where they stand.

    `thing` is what the source is asked for by: a document's id, or an address. `title` is what it
    goes by, in all forms. `dated` is the day that the source says it is of, `dated_by` the passage
    that says so.
    """

    span: TextSpan
    kind: SourceKind
    source: str
    evidence_id: str
    thing: str
    place: str | None = None
    url: str | None = None
    title: str = ""
    dated: date | None = None
    dated_by: TextSpan | None = None

    @property
    def text(self) -> str:
        """The words."""
        return self.span.text


def passages_in(state: Sequence[StateEntry]) -> tuple[SourcePassage, ...]:
    """The passages of everything that was read or found, in the order in which it was brought.

    What was read whole is not repeated from a search's answer. Words that two things of one
    address have in common come once.
    """
    titles = {hit.url: hit.title for hit, _ in _hits(state)}
    found: dict[tuple[str, str], SourcePassage] = {}
    read: set[str] = set()
    for document, evidence in _documents(state):
        url = document.url or _address_of(document.doc_id, titles)
        read.add(url or document.doc_id)
        _keep(found, _of_document(document, evidence, url))
    for pdf, evidence in _pdfs(state):
        read.add(pdf.url)
        _keep(found, _of_pdf(pdf, evidence, titles.get(pdf.url)))
    for hit, evidence in _hits(state):
        if hit.url not in read:
            _keep(found, _of_hit(hit, evidence))
    return tuple(found.values())[:MOST_PASSAGES]


def _keep(found: dict[tuple[str, str], SourcePassage], passages: Iterable[SourcePassage]) -> None:
    for passage in passages:
        found.setdefault((passage.url or passage.source, passage.text), passage)


def _hits(state: Sequence[StateEntry]) -> Iterator[tuple[SearchHit, str]]:
    for entry in state:
        if isinstance(entry.result, WebSearched):
            yield from zip(entry.result.results, entry.result.evidence, strict=False)


def _documents(state: Sequence[StateEntry]) -> Iterator[tuple[KnowledgeDocument, str]]:
    for entry in state:
        if isinstance(entry.result, DocumentsRead):
            yield from zip(entry.result.documents, entry.result.evidence, strict=False)


def _pdfs(state: Sequence[StateEntry]) -> Iterator[tuple[PdfText, str]]:
    for entry in state:
        if isinstance(entry.result, PdfsRead):
            yield from zip(entry.result.pdfs, entry.result.evidence, strict=False)


def _of_document(
    document: KnowledgeDocument, evidence: str, url: str | None
) -> Iterator[SourcePassage]:
    spans = tuple(split_markdown(document.markdown))
    first = re.search(r"^#\s+(.+)$", document.markdown, re.MULTILINE)
    title = document.title or (first[1].strip() if first else document.doc_id)
    dated, dated_by = _dated(spans, document.published_at)
    about = f"{title} {_SLUG.sub(' ', document.doc_id)}"
    for span in spans:
        place = f"section '{span.heading}'" if span.heading and span.heading != title else None
        yield SourcePassage(
            span=span,
            kind=SourceKind.DOCUMENT,
            source=title[:500],
            evidence_id=evidence,
            thing=document.doc_id,
            place=place[:200] if place else None,
            url=url,
            title=about,
            dated=dated,
            dated_by=dated_by,
        )


def _of_pdf(pdf: PdfText, evidence: str, found_as: str | None) -> Iterator[SourcePassage]:
    pages = [(page.page_number, tuple(split_page(page.text))) for page in pdf.pages]
    name = pdf.url.rsplit("/", 1)[-1]
    title = pdf.title or found_as or name
    opening = next((span.heading for _, spans in pages for span in spans if span.heading), "")
    about = f"{title} {opening} {_SLUG.sub(' ', name.removesuffix('.pdf'))}"
    dated, dated_by = _dated(pages[0][1] if pages else (), pdf.published_at)
    for number, spans in pages:
        for span in spans:
            yield SourcePassage(
                span=span,
                kind=SourceKind.PDF,
                source=title[:500],
                evidence_id=evidence,
                thing=pdf.url,
                place=f"page {number}",
                url=pdf.url,
                title=about,
                dated=dated,
                dated_by=dated_by,
            )


def _of_hit(hit: SearchHit, evidence: str) -> Iterator[SourcePassage]:
    kind = _kind_of(hit.url)
    spans = tuple((split_page if kind is SourceKind.PDF else split_markdown)(hit.snippet))
    dated, dated_by = _dated(spans, None)
    for span in spans:
        yield SourcePassage(
            span=span,
            kind=kind,
            source=hit.title,
            evidence_id=evidence,
            thing=hit.url,
            place=None,
            url=hit.url,
            title=hit.title,
            dated=dated,
            dated_by=dated_by,
        )


def _kind_of(url: str) -> SourceKind:
    if url.startswith("corpus://tickets/"):
        return SourceKind.TICKET
    if url.lower().endswith(".pdf"):
        return SourceKind.PDF
    return SourceKind.DOCUMENT if url.startswith("corpus://") else SourceKind.WEB


def _address_of(doc_id: str, titles: Iterable[str]) -> str | None:
    """The address under which a search found a document."""
    return next((url for url in titles if url.rsplit("/", 1)[-1] == doc_id), None)


def _dated(spans: Sequence[TextSpan], known: Instant | None) -> tuple[date | None, TextSpan | None]:
    """The day that a text says at its beginning it is of, or else that it is known to be of."""
    for span in spans[:OPENING]:
        found = _DATED.search(span.text)
        if found:
            day, month, year = int(found[1]), _MONTHS[found[2].lower()], int(found[3])
            try:
                return date(year, month, day), span
            except ValueError:
                continue
    return known.date() if known else None, None


ENOUGH: Final = 0.6
"""The share of what is asked that an answer has."""

FEW: Final = 3
"""A question of no more words than these is answered by nothing that lacks one of them which stands
elsewhere."""

UNKNOWN: Final = 0.4
"""What a word that stands nowhere weighs, of what a rare one does: it may be a manner of
speaking."""

BY_SCORE: Final = 0.3
"""How much of the order is bm25's, which knows how often a word stands in how long a text."""

_RANKING_COLUMNS: Final = {"own": 4.0, "over": 2.0, "title": 1.5, "before": 1.0}
_CREDIT: Final = {"own": 1.0, "over": 0.9, "title": 0.8, "before": 0.75}
"""What a word counts by where it stands: in the order, and in the share."""

_NAME: Final = re.compile(r"(?<=[^.?!:\s]\s)[A-Z][\w&]*|\b\w*\d[\w.,:]*")
"""A word with a capital within a sentence, or one with a digit."""


class Words(NamedTuple):
    """Words that may answer, and what stands around them."""

    own: str
    over: str = ""
    title: str = ""
    before: str = ""


class Fit(NamedTuple):
    """How well the words at a place fit a question. `share` is how much of it they have, by weight,
    with those around them; `has` are its words that they have, `lacks` the others."""

    place: int
    score: float
    share: float
    has: frozenset[str]
    lacks: frozenset[str]
    answers: bool


class QuestionTerms(NamedTuple):
    """What a question asks for: its telling words, and those of them that an answer cannot lack."""

    terms: tuple[str, ...]
    names: frozenset[str]


def asked(question: str) -> QuestionTerms:
    """The words of a question, tickets' ids aside."""
    plain = TICKET_ID.sub(" ", question)
    terms = telling_stems(plain)
    currencies = {stem(word) for word in currency_words()}
    names = frozenset(each for name in _NAME.findall(plain) for each in stems(name)) | currencies
    return QuestionTerms(terms, names & frozenset(terms))


def fits(question: str, held: Sequence[Words]) -> list[Fit]:
    """What has a word of a question in it, best first; of what fits alike, the first of all."""
    terms, names = asked(question)
    known = [_credits(frozenset(terms), each) for each in held]
    weights = {term: _rarity(sum(term in has for has in known), len(held)) for term in terms}
    needed = names if len(terms) > FEW else names | frozenset().union(*known)
    whole = sum(weights.values()) or 1.0
    with closing(FullTextIndex(_RANKING_COLUMNS, held)) as index:
        found = index.search(" ".join(TICKET_ID.sub(" ", question).split()))
    best = found[0].score if found else 1.0
    ranked = []
    for place, score in found:
        has = known[place]
        share = sum(weights[term] * credit for term, credit in has.items()) / whole
        answers = share >= ENOUGH and needed <= has.keys()
        order = share + BY_SCORE * score / best
        lacks = frozenset(terms) - has.keys()
        ranked.append(Fit(place, order, share, frozenset(has), lacks, answers))
    return sorted(ranked, key=lambda fit: (-fit.score, fit.place))


def _credits(terms: frozenset[str], held: Words) -> dict[str, float]:
    """What each of some terms counts that stand in words or around them."""
    found: dict[str, float] = {}
    for column, credit in reversed(list(_CREDIT.items())):
        for term in terms & stems(getattr(held, column)):
            found[term] = max(found.get(term, 0.0), credit)
    return found


def _rarity(holding: int, among: int) -> float:
    if not holding:
        return UNKNOWN * log(1 + 2 * among)
    return log(1 + (among - holding + 0.5) / (holding + 0.5))


MOST_QUOTATIONS: Final = 100
"""The bound of `Synthesis.quotations`."""


class KnownTicket(NamedTuple):
    """A ticket that was found, with its address where that is known."""

    ticket: Ticket
    evidence_id: str
    url: str | None


class Quoter:
    """Gives words of sources their ids. The same words of the same place have one id."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str | None], Quotation] = {}

    @property
    def quotations(self) -> tuple[Quotation, ...]:
        """All that was quoted, in its order."""
        return tuple(self._known.values())

    def has_room_for(self, count: int) -> bool:
        """Whether an answer holds so many more of them."""
        return len(self._known) + count <= MOST_QUOTATIONS

    def take_over(self, other: "Quoter") -> None:
        """Goes on where another has got to, before anything was quoted here."""
        self._known = dict(other._known)

    def passage(self, passage: SourcePassage) -> str:
        """The reference to a passage. Of a row of a table the place names its head."""
        columns = f"columns {passage.span.head}" if passage.span.head else None
        place = ", ".join(part for part in (passage.place, columns) if part) or None
        return self._reference(passage, passage.text, place)

    def dated(self, passage: SourcePassage) -> str | None:
        """The reference to where a passage's source says of when it is, if it does."""
        if passage.dated_by is None:
            return None
        return self._reference(passage, passage.dated_by.text, None)

    def ticket(self, known: KnownTicket, words: str, field: str | None) -> str:
        """The reference to a field of a ticket."""
        return self._quote(words, known.ticket.id, field, known.url, known.evidence_id)

    def _reference(self, passage: SourcePassage, words: str, place: str | None) -> str:
        return self._quote(words, passage.source, place, passage.url, passage.evidence_id)

    def _quote(
        self, words: str, source: str, place: str | None, url: str | None, evidence_id: str
    ) -> str:
        key = (evidence_id, words, place)
        if key not in self._known:
            self._known[key] = Quotation(
                quotation_id=f"q{len(self._known) + 1}",
                text=words[:1_000],
                source=source[:500],
                place=clip(place, 200) if place else None,
                url=url,
                evidence_id=evidence_id,
            )
        return f"[[{self._known[key].quotation_id}]]"


def tickets_in(state: Sequence[StateEntry]) -> dict[str, KnownTicket]:
    """The tickets of a graph's state by id; of two with one id the first."""
    addresses = _addresses(state)
    found: dict[str, KnownTicket] = {}
    for entry in state:
        if isinstance(entry.result, TicketsFound):
            for ticket, evidence in zip(entry.result.tickets, entry.result.evidence, strict=False):
                url = ticket.url or addresses.get(ticket.id.upper())
                found.setdefault(ticket.id.upper(), KnownTicket(ticket, evidence, url))
    return found


def safe_line(words: str, instead: str) -> str:
    """Words that are no prose of ours, such as an error, as they may be printed in prose: without
    references, and in other words where they hold figures."""
    plain = " ".join(REFERENCE.sub("", words).replace("[[", "").replace("]]", "").split())
    return plain if plain and not unbacked(plain) else instead


def joined(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _addresses(state: Sequence[StateEntry]) -> dict[str, str]:
    """The addresses that searches found, by what they end in."""
    return {
        hit.url.rsplit("/", 1)[-1].upper(): hit.url
        for entry in state
        if isinstance(entry.result, WebSearched)
        for hit in entry.result.results
    }
