"""The JIRA agent: the tickets that a question is about."""

from typing import Final

from desk.agents.answer_form import ToldTicket, UnreadableAnswer, told, told_when
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import Query
from desk.contracts.agents.tools import MAX_CALLS_A_TURN, ToolResult, ToolStatus
from desk.contracts.agents.turns import Turn, TurnRequest
from desk.contracts.question.knowledge import Ticket, TicketsFound
from desk.programs.question.builtin.asking import (
    LONGEST_QUERY,
    ask_about,
    asked_for,
    distinct,
    hits_before,
    hits_in,
    query_of,
    results_of,
    stop_if_nobody_answered,
    why_not,
)
from desk.programs.question.question_reading import (
    lists_tickets,
    parameter_list,
    ticket_ids,
    wants_unassigned,
)
from desk.trust.prose.prose import clip

MOST_FOUND: Final = 5
"""Tickets of a search that are fetched, where the question is not after all of a kind."""

_NAMES_TICKETS: Final = ("ticket", "tickets", "issue")
UNASSIGNED: Final = "unassigned"


def take_turn(request: TurnRequest) -> Turn:
    """Fetch the tickets that are named; without any, look for some first; then deliver them.

    A ticket that the tool does not know is among the missing, and no failure. Where none was named,
    that no ticket is about the question is nothing missing.

    Raises:
        TaskNotPossible: there is no question, or no tool could be asked.
    """
    query = query_of(request)
    searched = results_of(request, Capability.WEB_SEARCH)
    fetched = results_of(request, Capability.TICKET)
    wanted = _named(request, query) or _found(request, query, searched)
    if fetched or request.last or (searched and not wanted):
        stop_if_nobody_answered(request, (*searched, *fetched))
        return Turn(result=_deliver(request, wanted, searched, fetched))
    if wanted:
        calls = (ask_about(request, Capability.TICKET, w, ticket_id=w) for w in wanted)
        return Turn(calls=distinct(calls), note="Fetch the tickets")
    call = ask_about(
        request,
        Capability.WEB_SEARCH,
        "tickets",
        query=_search_words(query),
        kinds=["ticket"],
        limit=MAX_CALLS_A_TURN,
    )
    return Turn(calls=(call,), note="Look for tickets that the question is about")


def _named(request: TurnRequest, query: Query) -> tuple[str, ...]:
    """The tickets that are named, those of the parameters first."""
    given = parameter_list(query, *_NAMES_TICKETS)
    return tuple(dict.fromkeys((*given, *ticket_ids(query.question))))


def _found(request: TurnRequest, query: Query, searched: tuple[ToolResult, ...]) -> tuple[str, ...]:
    """The tickets that a search found, here or at a node before."""
    hits = hits_in(searched) if searched else hits_before(request)
    named = (ticket_ids(hit.url.rsplit("/", 1)[-1]) or ticket_ids(hit.title or "") for hit in hits)
    known = tuple(dict.fromkeys(ids[0] for ids in named if ids))
    return known if lists_tickets(query.question) else known[:MOST_FOUND]


def _search_words(query: Query) -> str:
    question = query.parameters.get("search") or query.question
    nobody = f" {UNASSIGNED}" if wants_unassigned(question) else ""
    return f"{question[:LONGEST_QUERY]}{nobody}"


def _deliver(
    request: TurnRequest,
    wanted: tuple[str, ...],
    searched: tuple[ToolResult, ...],
    fetched: tuple[ToolResult, ...],
) -> TicketsFound:
    tickets: dict[str, tuple[Ticket, str]] = {}
    missing = [why_not(r, "the search for tickets") for r in searched if _failed(r)]
    for result in fetched:
        name = asked_for(result)
        if _failed(result):
            missing.append(why_not(result, name))
            continue
        try:
            ticket = _ticket(result)
        except (UnreadableAnswer, ValueError) as error:
            missing.append(f"{name} could not be read: {clip(str(error), 300)}")
        else:
            tickets.setdefault(ticket.id, (ticket, result.evidence_id))
    left = wanted[MAX_CALLS_A_TURN:]
    if left:
        missing.append(f"not fetched, because there were too many: {clip(', '.join(left), 300)}")
    return TicketsFound(
        task_id=request.assignment.task_id,
        agent=request.assignment.agent,
        tickets=tuple(ticket for ticket, _ in tickets.values()),
        evidence=tuple(evidence for _, evidence in tickets.values()),
        missing=tuple(missing),
    )


def _ticket(result: ToolResult) -> Ticket:
    """The ticket of an answer.

    Raises:
        ValueError: it is none, or it is longer than a ticket may be.
    """
    answer = told(result, ToldTicket)
    return Ticket(
        id=answer.id,
        status=answer.status,
        assignee=answer.assignee or None,
        summary=answer.summary,
        url=answer.url,
        updated_at=told_when(result),
    )


def _failed(result: ToolResult) -> bool:
    return result.status is not ToolStatus.OK
