"""Answers from tickets: what is in those that are named, or in those that fit a question best."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from desk.programs.question.builtin.quoting import KnownTicket, Quoter, joined
from desk.programs.question.builtin.ranking import Words

MOST_TOLD: Final = 20
"""Tickets whose fields a summary tells."""

QUOTED_OF_A_TICKET: Final = 4
"""Quotations that telling one takes."""

_UNASSIGNED: Final = "unassigned"
_FIELD_NAMES: Final = "ticket issue status assignee assigned summary"
_TOO_MANY: Final = "More tickets were found than an answer holds."
_UNKNOWN: Final = "The ticket that the question names could not be had."
_SOME_UNKNOWN: Final = "Not every ticket that the question names could be had."


class TicketField(StrEnum):
    """What can be told of a ticket."""

    STATUS = "status"
    ASSIGNEE = "assignee"
    SUMMARY = "summary"


class TicketAnswer(NamedTuple):
    """What tickets say to a question. `about` are those it rests on."""

    summary: str
    about: tuple[KnownTicket, ...]
    answered: bool


def words_of_ticket(known: KnownTicket, said: str = "") -> Words:
    """A ticket as it is compared with a question. `said` is what a search says of it besides."""
    ticket = known.ticket
    who = ticket.assignee or _UNASSIGNED
    told = f"{_FIELD_NAMES} {ticket.id} {ticket.status} {who} {ticket.summary}"
    return Words(told, before=said)


def answer_about_named(
    names: Sequence[str], tickets: Mapping[str, KnownTicket], quoter: Quoter
) -> TicketAnswer:
    """What is in the tickets that are named."""
    known = [tickets[name] for name in names if name in tickets]
    if not known:
        return TicketAnswer(_UNKNOWN, (), answered=False)
    sentences = [tell(each, quoter) for each in known[:MOST_TOLD]]
    if len(known) > MOST_TOLD:
        sentences.append(_TOO_MANY)
    if len(known) < len(names):
        sentences.append(_SOME_UNKNOWN)
    return TicketAnswer(" ".join(sentences), tuple(known), answered=True)


def answer_by_fitting(fitting: Sequence[KnownTicket], quoter: Quoter) -> TicketAnswer:
    """What is in the ticket that fits, or which tickets fit alike."""
    if len(fitting) == 1:
        return TicketAnswer(tell(fitting[0], quoter), tuple(fitting), answered=True)
    named = joined(quoter.ticket(each, each.ticket.id, None) for each in fitting)
    return TicketAnswer(f"These tickets fit: {named}.", tuple(fitting), answered=True)


def tell(known: KnownTicket, quoter: Quoter) -> str:
    """A sentence that says what is in a ticket."""
    subject = quoter.ticket(known, known.ticket.id, None)
    return f"{subject} {joined(_predicates(known, quoter))}."


def _predicates(known: KnownTicket, quoter: Quoter) -> Iterable[str]:
    ticket = known.ticket
    yield f"has the status {quoter.ticket(known, ticket.status, TicketField.STATUS)}"
    if ticket.assignee:
        yield f"is assigned to {quoter.ticket(known, ticket.assignee, TicketField.ASSIGNEE)}"
    else:
        yield "has no assignee"
    yield f"is about {quoter.ticket(known, ticket.summary[:1_000], TicketField.SUMMARY)}"
