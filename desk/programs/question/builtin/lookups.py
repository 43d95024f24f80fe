"""The agents that look up tickets and search the web."""

from typing import Final

from desk.agents.answer_form import (
    ParsedHits,
    ParsedTicket,
    UnreadableAnswer,
    parse_answer,
    publication_instant,
)
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import Query
from desk.contracts.agents.tools import MAX_CALLS_A_TURN, ToolResult, ToolStatus
from desk.contracts.question.knowledge import (
    MOST_ITEMS,
    MOST_LINKS,
    SearchHit,
    Ticket,
    TicketsFound,
    WebSearched,
)
from desk.contracts.question.tickets import ticket_ids
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.programs.question.builtin.asking import (
    LONGEST_QUERY,
    ask_about,
    asked_for,
    distinct,
    hits_before,
    hits_in,
    named_tickets,
    parameter_list,
    query_of,
    results_of,
    stop_if_nobody_answered,
    why_not,
)
from desk.trust.prose import LONGEST_TEXT, clip

MOST_FOUND: Final = 8
"""The maximum number of found tickets that are fetched."""


def fetch_tickets(request: TurnRequest) -> Turn:
    """Fetches the tickets that are named; if none is named, searches for some first; then delivers
    them.

    A ticket that the tool does not know is listed as missing, and is not a failure. If none was
    named, the absence of a matching ticket is not listed as missing.

    Raises:
        TaskNotPossible: there is no question, or no tool could be called.
    """
    query = query_of(request)
    searched = results_of(request, Capability.WEB_SEARCH)
    fetched = results_of(request, Capability.TICKET)
    wanted = named_tickets(query) or _found(request, searched)
    if fetched or request.last or (searched and not wanted):
        stop_if_nobody_answered(request, (*searched, *fetched))
        return Turn(result=_tickets_found(request, wanted, searched, fetched))
    if wanted:
        calls = (ask_about(request, Capability.TICKET, w, ticket_id=w) for w in wanted)
        return Turn(calls=distinct(calls), note="Fetch the tickets")
    call = ask_about(
        request,
        Capability.WEB_SEARCH,
        "tickets",
        query=(query.parameters.get("search") or query.question)[:LONGEST_QUERY],
        kinds=["ticket"],
        limit=MAX_CALLS_A_TURN,
    )
    return Turn(calls=(call,), note="Look for tickets that the question is about")


def _found(request: TurnRequest, searched: tuple[ToolResult, ...]) -> tuple[str, ...]:
    """Returns the tickets that a search found, here or at an earlier node."""
    hits = hits_in(searched) if searched else hits_before(request)
    named = (ticket_ids(hit.url.rsplit("/", 1)[-1]) or ticket_ids(hit.title or "") for hit in hits)
    return tuple(dict.fromkeys(ids[0] for ids in named if ids))[:MOST_FOUND]


def _tickets_found(
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
    """Parses the ticket of an answer.

    Raises:
        ValueError: the answer is not a ticket, or is longer than a ticket may be.
    """
    answer = parse_answer(result, ParsedTicket)
    return Ticket(
        id=answer.id,
        status=answer.status,
        assignee=answer.assignee or None,
        summary=answer.summary,
        url=answer.url,
        updated_at=publication_instant(result),
        description=clip(answer.description, LONGEST_TEXT) if answer.description else None,
        links=answer.links[:MOST_LINKS],
    )


def _failed(result: ToolResult) -> bool:
    return result.status is not ToolStatus.OK


MOST_PAGES: Final = 6
MOST_OF_ALL: Final = 10
LONGEST_TITLE: Final = 500


def search_web(request: TurnRequest) -> Turn:
    """Searches twice, among web pages and among everything; delivers the hits without duplicate
    addresses.

    Raises:
        TaskNotPossible: there is no question, or no search could be called.
    """
    words = _words(query_of(request))
    searched = results_of(request, Capability.WEB_SEARCH)
    if searched or request.last:
        stop_if_nobody_answered(request, searched)
        return Turn(result=_hits_found(request, searched))
    search = Capability.WEB_SEARCH
    pages = ask_about(request, search, "web", query=words, kinds=["web"], limit=MOST_PAGES)
    everything = ask_about(request, search, "all", query=words, limit=MOST_OF_ALL)
    return Turn(calls=(pages, everything), note="Search for the question")


def _words(query: Query) -> str:
    """Returns the question, with the tickets of the parameters if it names none itself."""
    question = query.parameters.get("search") or query.question
    named = () if ticket_ids(question) else parameter_list(query, "ticket", "tickets", "issue")
    return " ".join((question[:LONGEST_QUERY], *named))


def _hits_found(request: TurnRequest, searched: tuple[ToolResult, ...]) -> WebSearched:
    found: dict[str, tuple[SearchHit, str]] = {}
    missing = []
    for result in searched:
        if result.status is not ToolStatus.OK:
            missing.append(why_not(result, "the search"))
            continue
        try:
            hits = parse_answer(result, ParsedHits).results
        except UnreadableAnswer as error:
            missing.append(f"the search could not be read: {error}")
            continue
        for hit in hits:
            shown = SearchHit(
                title=(hit.title or hit.url)[:LONGEST_TITLE],
                snippet=(hit.snippet or "")[:LONGEST_TEXT],
                url=hit.url[:2_000],
            )
            found.setdefault(hit.url, (shown, result.evidence_id))
    kept = tuple(found.values())[:MOST_ITEMS]
    if not kept and not missing:
        missing.append("the search found nothing")
    return WebSearched(
        task_id=request.assignment.task_id,
        agent=request.assignment.agent,
        results=tuple(hit for hit, _ in kept),
        evidence=tuple(evidence for _, evidence in kept),
        missing=tuple(missing),
    )
