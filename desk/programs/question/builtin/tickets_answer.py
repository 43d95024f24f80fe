"""Answers from tickets: the fields of those that are named, and which of them fit a question."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from desk.contracts.agents.tasks import Query
from desk.contracts.question.knowledge import Ticket
from desk.programs.question.builtin.quoting import KnownTicket, Quoter, joined
from desk.programs.question.question_reading import (
    TicketField,
    fields_of,
    lists_tickets,
    names_in,
    parameter_list,
    status_of,
    ticket_ids,
    topic_of,
    wants_unassigned,
)
from desk.trust.conflicts import stems

ENOUGH: Final = 0.8
"""The share of a topic that the summary of a ticket about it has."""

MOST_TOLD: Final = 20
"""Tickets whose fields a summary tells."""

_TOO_MANY: Final = "More tickets were found than an answer holds."
_NONE_FITS: Final = "None of the tickets that were found fits the question."
_UNKNOWN: Final = "The ticket that the question names could not be had."
_SOME_UNKNOWN: Final = "Not every ticket that the question names could be had."


class TicketAnswer(NamedTuple):
    """What tickets say to a question. `about` are those it rests on."""

    summary: str
    about: tuple[KnownTicket, ...]
    answered: bool


class OnTopic(NamedTuple):
    """The ticket that is about what a question is about, and how much of it."""

    known: KnownTicket
    coverage: float


def named_tickets(query: Query) -> tuple[str, ...]:
    """The tickets that a question or its parameters name."""
    given = parameter_list(query, "ticket", "tickets", "issue")
    return tuple(dict.fromkeys(n.upper() for n in (*given, *ticket_ids(query.question))))


def beyond_fields(query: Query, tickets: Mapping[str, KnownTicket]) -> frozenset[str]:
    """What a question about named tickets asks besides what the tickets themselves say."""
    known = (tickets[name].ticket for name in named_tickets(query) if name in tickets)
    said = frozenset[str]().union(*(_said(ticket) for ticket in known))
    return topic_of(query.question) - said


def answer_about_named(
    query: Query, tickets: Mapping[str, KnownTicket], quoter: Quoter
) -> TicketAnswer:
    """The fields that are asked of the tickets that are named."""
    names = named_tickets(query)
    known = [tickets[name] for name in names if name in tickets]
    if not known:
        return TicketAnswer(_UNKNOWN, (), answered=False)
    fields = fields_of(query.question) or tuple(TicketField)
    sentences = [tell(each, fields, quoter) for each in known[:MOST_TOLD]]
    if len(known) > MOST_TOLD:
        sentences.append(_TOO_MANY)
    if len(known) < len(names):
        sentences.append(_SOME_UNKNOWN)
    return TicketAnswer(" ".join(sentences), tuple(known), answered=True)


def is_list(question: str) -> bool:
    """Whether all tickets of some kind are asked for."""
    return lists_tickets(question)


def answer_by_listing(
    query: Query, tickets: Mapping[str, KnownTicket], quoter: Quoter
) -> TicketAnswer:
    """The tickets that fit: by whom they are assigned to, by their status, by their topic."""
    fitting = tuple(_fitting(query.question, tickets.values()))
    if not fitting:
        return TicketAnswer(_NONE_FITS, (), answered=False)
    named = joined(quoter.ticket(each, each.ticket.id, None) for each in fitting)
    verb = "These tickets fit" if len(fitting) > 1 else "One ticket fits"
    return TicketAnswer(f"{verb}: {named}.", fitting, answered=True)


def on_topic(question: str, tickets: Iterable[KnownTicket]) -> OnTopic | None:
    """The ticket whose summary has most of what a question is about; None where none has enough."""
    topic = topic_of(question)
    if len(topic) < 2:
        return None
    scored = [OnTopic(each, _share(topic, each.ticket)) for each in tickets]
    best = max(scored, key=lambda each: each.coverage, default=None)
    return best if best and best.coverage >= ENOUGH else None


def answer_on_topic(question: str, known: KnownTicket, quoter: Quoter) -> TicketAnswer:
    """What is asked of the ticket that is about it, and which ticket that is."""
    asked = fields_of(question)
    fields = tuple(dict.fromkeys((*asked, TicketField.SUMMARY)))
    return TicketAnswer(tell(known, fields, quoter), (known,), answered=True)


def tell(known: KnownTicket, fields: Iterable[TicketField], quoter: Quoter) -> str:
    """A sentence that says what is in some fields of a ticket."""
    subject = quoter.ticket(known, known.ticket.id, None)
    return f"{subject} {joined(_predicate(known, field, quoter) for field in fields)}."


def _predicate(known: KnownTicket, field: TicketField, quoter: Quoter) -> str:
    ticket = known.ticket
    match field:
        case TicketField.STATUS:
            return f"has the status {quoter.ticket(known, ticket.status, 'status')}"
        case TicketField.ASSIGNEE if ticket.assignee:
            return f"is assigned to {quoter.ticket(known, ticket.assignee, 'assignee')}"
        case TicketField.ASSIGNEE:
            return "has no assignee"
        case _:
            return f"is about {quoter.ticket(known, ticket.summary[:1_000], 'summary')}"


def _fitting(question: str, tickets: Iterable[KnownTicket]) -> Iterable[KnownTicket]:
    everything = list(tickets)
    status, nobody = status_of(question), wants_unassigned(question)
    assignees = {each.ticket.assignee for each in everything if each.ticket.assignee}
    people = [name for name in names_in(question) if name in assignees]
    topic = topic_of(question) - stems(" ".join(people))
    if status or nobody or people:
        # What no ticket holds is a manner of speaking: "on somebody's plate".
        topic &= frozenset[str]().union(*(stems(each.ticket.summary) for each in everything))
    if not (status or nobody or people or topic):
        return everything
    return (
        each
        for each in everything
        if (not status or each.ticket.status.lower() == status)
        and (not nobody or not each.ticket.assignee)
        and (not people or each.ticket.assignee in people)
        and (not topic or _share(topic, each.ticket) >= ENOUGH)
    )


def _share(topic: frozenset[str], ticket: Ticket) -> float:
    return len(topic & stems(ticket.summary)) / len(topic)


def _said(ticket: Ticket) -> frozenset[str]:
    return stems(f"{ticket.id} {ticket.summary} {ticket.status} {ticket.assignee or ''}")
