"""Quotations of an answer: words of sources, each with an id by which the prose refers to it."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from desk.contracts.agents.turns import StateEntry
from desk.contracts.question.knowledge import Quotation, Ticket, TicketsFound, WebSearched
from desk.programs.question.builtin.passages import Passage
from desk.trust.prose import REFERENCE, clip, unbacked

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

    def passage(self, passage: Passage) -> str:
        """The reference to a passage. Of a row of a table the place names its head."""
        columns = f"columns {passage.span.head}" if passage.span.head else None
        place = ", ".join(part for part in (passage.place, columns) if part) or None
        return self._reference(passage, passage.text, place)

    def dated(self, passage: Passage) -> str | None:
        """The reference to where a passage's source says of when it is, if it does."""
        if passage.dated_by is None:
            return None
        return self._reference(passage, passage.dated_by.text, None)

    def ticket(self, known: KnownTicket, words: str, field: str | None) -> str:
        """The reference to a field of a ticket."""
        return self._quote(words, known.ticket.id, field, known.url, known.evidence_id)

    def _reference(self, passage: Passage, words: str, place: str | None) -> str:
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
