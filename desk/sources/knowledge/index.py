"""Full-text search over what a corpus held at an instant: SQLite's FTS5, ranked by bm25."""

import re
import sqlite3
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import NamedTuple

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

MOST_TERMS = 64
"""Words of a query that are looked for, the first ones; others are dropped."""

KEPT_INDEXES = 4

_EMPTY_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        a about all an and any are as at be been by can could did do does for from had has have how
        i if in into is it its me of on or our s shall should so t tell than that the their them
        there these they this those to us was we were what when where which who whom whose why will
        with would you your
        """,
    )
)
"""Words of a question that say nothing of what it is about."""

_WORD = re.compile(r"\w+(?:[-./:@&'’+]\w+)*")
_PART = re.compile(r"\w+")
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CHARACTER = re.compile(f"([{_UNSPACED}])")
_RUN = re.compile(f"[{_UNSPACED}]+")


class Hit(NamedTuple):
    """A thing that was found, by the passage that fits best."""

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
    """Indexes of a corpus, one for each time between two changes of it, made when first needed.

    An index holds what had been published and nothing else: what is to come cannot even change
    the order of what is found.
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
        """At most `limit` things of these kinds that hold a word of the query, best first; ties by
        address. Each thing once."""
        return self._at(as_of).search(query, kinds, limit)

    def _at(self, as_of: datetime) -> "_Index":
        epoch = bisect_right(self.instants, as_of)
        with self._lock:
            if epoch not in self._kept:
                self._kept[epoch] = _Index(_passages(self._corpus.snapshot(as_of), self._pdfs))
            self._kept.move_to_end(epoch)
            while len(self._kept) > KEPT_INDEXES:
                self._kept.popitem(last=False)
            return self._kept[epoch]


class _Index:
    def __init__(self, held: Iterator[_Passage]) -> None:
        self._held = tuple(held)
        self._lock = threading.Lock()
        self._table = sqlite3.connect(":memory:", check_same_thread=False)
        self._table.execute(
            "CREATE VIRTUAL TABLE passages USING fts5("
            "title, text, tokenize = 'porter unicode61 remove_diacritics 2')"
        )
        self._table.executemany(
            "INSERT INTO passages(rowid, title, text) VALUES (?, ?, ?)",
            ((row, _spaced(each.title), _spaced(each.text)) for row, each in enumerate(self._held)),
        )

    def search(self, query: str, kinds: Collection[Kind], limit: int) -> tuple[Hit, ...]:
        asked = _match(query)
        found: dict[str, Hit] = {}
        for row in self._rows(asked) if asked else ():
            each = self._held[row]
            if each.kind in kinds and len(found) < limit:
                found.setdefault(each.url, Hit(each.kind, each.title, each.text, each.url))
        return tuple(found.values())

    def _rows(self, asked: str) -> list[int]:
        ranked = "SELECT rowid, bm25(passages, 2.0, 1.0) FROM passages WHERE passages MATCH ?"
        with self._lock:
            scored = self._table.execute(ranked, (asked,)).fetchall()
        scored.sort(key=lambda found: (found[1], self._held[found[0]].url, found[0]))
        return [row for row, _ in scored]


def _match(query: str) -> str:
    """The query as FTS5 reads it: any of its words, each in quotes, so that nothing in it is an
    operator. What holds no word matches nothing."""
    words = [word for word in _WORD.findall(query) if _PART.search(word)]
    telling = [word for word in words if word.casefold() not in _EMPTY_WORDS] or words
    terms = dict.fromkeys(term for word in telling for term in _terms(word))
    return " OR ".join(f'"{term}"' for term in list(terms)[:MOST_TERMS])


def _terms(word: str) -> Iterator[str]:
    """A word, the parts of a compound one, and of a script without spaces each two characters."""
    runs = _RUN.findall(word)
    yield from (" ".join(run[at : at + 2]) for run in runs for at in range(max(1, len(run) - 1)))
    rest = _RUN.sub(" ", word).strip()
    parts = _PART.findall(rest)
    if rest:
        yield rest
    yield from parts if len(parts) > 1 else ()


def _spaced(text: str) -> str:
    return _CHARACTER.sub(r" \1 ", text)


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
    told = f"{ticket.ticket_id}, {ticket.status}, {who}, {ticket.summary.rstrip('.')}."
    labels = f"\n\nLabels: {', '.join(ticket.labels)}." if ticket.labels else ""
    for part in passages(f"{told} {ticket.description}{labels}"):
        yield _Passage(Kind.TICKET, title, part, ticket.url)


def _of_text(text: WrittenText) -> Iterator[_Passage]:
    for part in list(passages(text.markdown)) or [""]:
        yield _Passage(text.kind, text.title, part, text.url)


def _of_pdf(pdf: PdfFile, pdfs: PdfTexts) -> Iterator[_Passage]:
    """Of a file that cannot be read the title alone: who asks for it is told why."""
    try:
        numbers = range(1, pdfs.page_count(pdf.path) + 1)
        texts = [pdfs.page(pdf.path, number).text for number in numbers]
    except UnreadablePdf:
        texts = []
    for part in [part for text in texts for part in passages(text)] or [""]:
        yield _Passage(Kind.PDF, pdf.title, part, pdf.url)
