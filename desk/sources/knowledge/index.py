"""Full-text search over a corpus as of an instant: SQLite's FTS5, ranked by bm25."""

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from desk.analytics.retrieval.full_text import FullTextIndex, Match
from desk.sources.knowledge.documents import (
    Corpus,
    Kind,
    PdfFile,
    Snapshot,
    TicketState,
    WrittenText,
)
from desk.sources.knowledge.pdf import PdfTexts, UnreadablePdf
from desk.sources.knowledge.text import passages

CACHED_INDEXES = 4

RELATED_SHARE = 3
"""One in so many results is reserved for what the best result's title leads to."""


class Hit(NamedTuple):
    """A found thing, with its best passage."""

    kind: Kind
    title: str
    passage: str
    url: str


class _Passage(NamedTuple):
    kind: Kind
    title: str
    text: str
    url: str


class KnowledgeIndexes:
    """Indexes of a corpus, one for each time between two changes of it, built at its first use.

    An index contains what had been published and nothing else: later contents cannot even change
    the order of the results.
    """

    def __init__(self, corpus: Corpus, pdfs: PdfTexts) -> None:
        self._corpus = corpus
        self._pdfs = pdfs
        self.instants = corpus.instants()
        self._lock = threading.Lock()
        self._kept: OrderedDict[int, _Index] = OrderedDict()

    def search(
        self, query: str, as_of: datetime, kinds: Collection[Kind], limit: int
    ) -> tuple[Hit, ...]:
        """At most `limit` things of these kinds that contain a word of the query, or of the title
        of the best match; best first, ties by address. Each thing once."""
        return self._at(as_of).search(query, kinds, limit)

    def _at(self, as_of: datetime) -> "_Index":
        epoch = bisect_right(self.instants, as_of)
        with self._lock:
            if epoch not in self._kept:
                self._kept[epoch] = _Index(_passages(self._corpus.snapshot(as_of), self._pdfs))
            self._kept.move_to_end(epoch)
            while len(self._kept) > CACHED_INDEXES:
                self._kept.popitem(last=False)
            return self._kept[epoch]


class _Index:
    def __init__(self, held: Iterator[_Passage]) -> None:
        # Rows are in the order of their addresses, which is also the order of equal matches.
        self._held = sorted(held, key=lambda each: each.url)
        rows = ((each.title, each.text) for each in self._held)
        self._lock = threading.Lock()
        self._texts = FullTextIndex({"title": 2.0, "text": 1.0}, rows)

    def search(self, query: str, kinds: Collection[Kind], limit: int) -> tuple[Hit, ...]:
        """Searches by the query's words. A third of the results, if there are more, are those that
        the title of the best match leads to, of whatever kind that is: a question may name a thing
        by what another one says of it."""
        with self._lock:
            matches = self._texts.search(query)
            title = self._held[matches[0].row].title if matches else ""
            further = self._texts.search(title) if title else []
        own, led = self._of_kinds(matches, kinds), self._of_kinds(further, kinds)
        best = limit - limit // RELATED_SHARE
        first = {hit.url: hit for hit in own[:best]}
        related = [hit for hit in led if hit.url not in first][: limit - best]
        in_order = (*first.values(), *related, *own[best:])
        return tuple({hit.url: hit for hit in in_order}.values())[:limit]

    def _of_kinds(self, matches: Iterable[Match], kinds: Collection[Kind]) -> list[Hit]:
        """The things of some kinds, each by its best passage."""
        found: dict[str, Hit] = {}
        for match in matches:
            each = self._held[match.row]
            if each.kind in kinds:
                found.setdefault(each.url, Hit(each.kind, each.title, each.text, each.url))
        return list(found.values())


def _passages(held: Snapshot, pdfs: PdfTexts) -> Iterator[_Passage]:
    for ticket in held.tickets:
        yield from _of_ticket(ticket)
    for text in held.texts:
        yield from _of_text(text)
    for pdf in held.pdfs:
        yield from _of_pdf(pdf, pdfs)


def _of_ticket(ticket: TicketState) -> Iterator[_Passage]:
    title = f"{ticket.ticket_id}: {ticket.summary}"[:500]
    who = ticket.assignee or "unassigned"
    summary = f"{ticket.ticket_id}, {ticket.status}, {who}, {ticket.summary.rstrip('.')}."
    labels = f"\n\nLabels: {', '.join(ticket.labels)}." if ticket.labels else ""
    for part in passages(f"{summary} {ticket.description}{labels}"):
        yield _Passage(Kind.TICKET, title, part, ticket.url)


def _of_text(text: WrittenText) -> Iterator[_Passage]:
    for part in list(passages(text.markdown)) or [""]:
        yield _Passage(text.kind, text.title, part, text.url)


def _of_pdf(pdf: PdfFile, pdfs: PdfTexts) -> Iterator[_Passage]:
    """For an unreadable file only the title: the tool that returns the file says why."""
    try:
        numbers = range(1, pdfs.page_count(pdf.path) + 1)
        texts = [pdfs.page(pdf.path, number).text for number in numbers]
    except UnreadablePdf:
        texts = []
    for part in [part for text in texts for part in passages(text)] or [""]:
        yield _Passage(Kind.PDF, pdf.title, part, pdf.url)
