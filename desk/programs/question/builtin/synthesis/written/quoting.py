"""How an answer quotes texts."""

from typing import Final, NamedTuple

from desk.analytics.names.listing import listed
from desk.contracts.question.knowledge import Quotation, Ticket
from desk.programs.question.builtin.synthesis.written.passages import SourcePassage

MOST_QUOTATIONS: Final = 100
"""The limit of `Synthesis.quotations`."""

QUOTED_OF_A_TICKET: Final = 4
"""The number of quotations that describing one ticket takes."""


class Draft(NamedTuple):
    """A summary, its status, and the passages that it quotes. They are `nearest` if none of them
    matches the question."""

    summary: str
    answered: bool
    found: bool = False
    told: tuple[SourcePassage, ...] = ()
    nearest: bool = False


class Quoter:
    """Assigns ids to quotations. The same words at the same place have one id."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str | None], Quotation] = {}

    @property
    def quotations(self) -> tuple[Quotation, ...]:
        """All quotations, in order."""
        return tuple(self._known.values())

    @property
    def has_room(self) -> bool:
        """Whether an answer has room for the quotations of another passage."""
        return len(self._known) + QUOTED_OF_A_TICKET <= MOST_QUOTATIONS

    def passage(self, passage: SourcePassage) -> str:
        """Returns the reference to a passage; for a ticket the sentence with its fields."""
        if passage.ticket is not None:
            return self.ticket(passage, passage.ticket)
        return self.quote(passage.text, passage, passage.place)

    def ticket(self, passage: SourcePassage, ticket: Ticket, first: str | None = None) -> str:
        """Returns a sentence with a ticket's fields, after a field that is given alone."""
        told = {
            "status": f"has the status {self._field(passage, ticket.status, 'status')}",
            "assignee": f"is assigned to {self._field(passage, ticket.assignee, 'assignee')}"
            if ticket.assignee
            else "has no assignee",
            "summary": f"is about {self._field(passage, ticket.summary, 'summary')}",
        }
        alone = f"{self._field(passage, getattr(ticket, first), first)}. " if first else ""
        subject = self.quote(ticket.id, passage, None)
        rest = (words for name, words in told.items() if name != first)
        return f"{alone}{subject} {listed(rest)}"

    def quote(self, words: str, passage: SourcePassage, place: str | None) -> str:
        """Returns the reference to words of a passage's source."""
        key = (passage.evidence_id, words, place)
        if key not in self._known:
            self._known[key] = Quotation(
                quotation_id=f"q{len(self._known) + 1}",
                text=words,
                source=passage.source,
                place=place,
                url=passage.url,
                evidence_id=passage.evidence_id,
            )
        return f"[[{self._known[key].quotation_id}]]"

    def _field(self, passage: SourcePassage, value: str, name: str) -> str:
        return self.quote(value[:1_000], passage, name)
