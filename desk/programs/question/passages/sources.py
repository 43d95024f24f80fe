"""The passages of all that was found for a question, each with whose words they are."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final, TypedDict

from desk.contracts.agents.turns import StateEntry
from desk.contracts.base import Instant
from desk.contracts.question.knowledge import (
    Document,
    DocumentsRead,
    PdfsRead,
    PdfText,
    SearchHit,
    WebSearched,
)
from desk.programs.question.passages.split import Span, split_markdown, split_page
from desk.trust.conflicts.question_words import stems, tokens

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
class Passage:
    """Words of a source, and where they stand.

    `thing` is what the source is asked for by: a document's id, or an address. `words` are those
    of the passage in their order, as they are compared; `own` has each once, `over` those of the
    headings over it, `before` those of the same paragraph before it, `about` those of the title.
    `dated` is the day that the source says it is of, `dated_by` the passage that says so.
    """

    span: Span
    kind: SourceKind
    source: str
    evidence_id: str
    thing: str
    place: str | None = None
    url: str | None = None
    words: tuple[str, ...] = ()
    own: frozenset[str] = frozenset()
    over: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    about: frozenset[str] = frozenset()
    dated: date | None = None
    dated_by: Span | None = None

    @property
    def text(self) -> str:
        """The words."""
        return self.span.text


def passages_in(state: Sequence[StateEntry]) -> tuple[Passage, ...]:
    """The passages of everything that was read or found, in the order in which it was brought.

    What was read whole is not repeated from a search's answer. Words that two things of one
    address have in common come once.
    """
    titles = {hit.url: hit.title for hit, _ in _hits(state)}
    found: dict[tuple[str, str], Passage] = {}
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


def _keep(found: dict[tuple[str, str], Passage], passages: Iterable[Passage]) -> None:
    for passage in passages:
        found.setdefault((passage.url or passage.source, passage.text), passage)


def _hits(state: Sequence[StateEntry]) -> Iterator[tuple[SearchHit, str]]:
    for entry in state:
        if isinstance(entry.result, WebSearched):
            yield from zip(entry.result.results, entry.result.evidence, strict=False)


def _documents(state: Sequence[StateEntry]) -> Iterator[tuple[Document, str]]:
    for entry in state:
        if isinstance(entry.result, DocumentsRead):
            yield from zip(entry.result.documents, entry.result.evidence, strict=False)


def _pdfs(state: Sequence[StateEntry]) -> Iterator[tuple[PdfText, str]]:
    for entry in state:
        if isinstance(entry.result, PdfsRead):
            yield from zip(entry.result.pdfs, entry.result.evidence, strict=False)


def _of_document(document: Document, evidence: str, url: str | None) -> Iterator[Passage]:
    spans = tuple(split_markdown(document.markdown))
    first = re.search(r"^#\s+(.+)$", document.markdown, re.MULTILINE)
    title = document.title or (first[1].strip() if first else document.doc_id)
    dated, dated_by = _dated(spans, document.published_at)
    about = stems(f"{title} {_SLUG.sub(' ', document.doc_id)}")
    for span in spans:
        place = f"section '{span.heading}'" if span.heading and span.heading != title else None
        yield Passage(
            span=span,
            kind=SourceKind.DOCUMENT,
            source=title[:500],
            evidence_id=evidence,
            thing=document.doc_id,
            place=place[:200] if place else None,
            url=url,
            about=about,
            dated=dated,
            dated_by=dated_by,
            **_compared(span),
        )


def _of_pdf(pdf: PdfText, evidence: str, found_as: str | None) -> Iterator[Passage]:
    pages = [(page.page_number, tuple(split_page(page.text))) for page in pdf.pages]
    name = pdf.url.rsplit("/", 1)[-1]
    title = pdf.title or found_as or name
    opening = next((span.heading for _, spans in pages for span in spans if span.heading), "")
    about = stems(f"{title} {opening} {_SLUG.sub(' ', name.removesuffix('.pdf'))}")
    dated, dated_by = _dated(pages[0][1] if pages else (), pdf.published_at)
    for number, spans in pages:
        for span in spans:
            yield Passage(
                span=span,
                kind=SourceKind.PDF,
                source=title[:500],
                evidence_id=evidence,
                thing=pdf.url,
                place=f"page {number}",
                url=pdf.url,
                about=about,
                dated=dated,
                dated_by=dated_by,
                **_compared(span),
            )


def _of_hit(hit: SearchHit, evidence: str) -> Iterator[Passage]:
    kind = _kind_of(hit.url)
    spans = tuple((split_page if kind is SourceKind.PDF else split_markdown)(hit.snippet))
    dated, dated_by = _dated(spans, None)
    for span in spans:
        yield Passage(
            span=span,
            kind=kind,
            source=hit.title,
            evidence_id=evidence,
            thing=hit.url,
            place=None,
            url=hit.url,
            about=stems(hit.title),
            dated=dated,
            dated_by=dated_by,
            **_compared(span),
        )


class _Compared(TypedDict):
    words: tuple[str, ...]
    own: frozenset[str]
    over: frozenset[str]
    before: frozenset[str]


def _compared(span: Span) -> _Compared:
    words = tuple(token.stem for token in tokens(span.text))
    return {
        "words": words,
        "own": frozenset(words),
        "over": stems(f"{span.heading} {span.head}"),
        "before": stems(span.before),
    }


def _kind_of(url: str) -> SourceKind:
    if url.startswith("corpus://tickets/"):
        return SourceKind.TICKET
    if url.lower().endswith(".pdf"):
        return SourceKind.PDF
    return SourceKind.DOCUMENT if url.startswith("corpus://") else SourceKind.WEB


def _address_of(doc_id: str, titles: Iterable[str]) -> str | None:
    """The address under which a search found a document."""
    return next((url for url in titles if url.rsplit("/", 1)[-1] == doc_id), None)


def _dated(spans: Sequence[Span], known: Instant | None) -> tuple[date | None, Span | None]:
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
