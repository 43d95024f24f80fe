"""The Search agent: what a search for the question finds, pages of the web first."""

from typing import Final

from desk.agents.answer_form import ToldHits, UnreadableAnswer, told
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import Query
from desk.contracts.agents.tools import ToolResult, ToolStatus
from desk.contracts.agents.turns import Turn, TurnRequest
from desk.contracts.question.knowledge import MOST_ITEMS, SearchHit, WebSearched
from desk.programs.question.builtin.asking import (
    LONGEST_QUERY,
    ask_about,
    query_of,
    results_of,
    stop_if_nobody_answered,
    why_not,
)
from desk.programs.question.question_reading import parameter_list, ticket_ids
from desk.trust.prose.prose import LONGEST_TEXT

MOST_PAGES: Final = 6
MOST_OF_ALL: Final = 10
LONGEST_TITLE: Final = 500


def take_turn(request: TurnRequest) -> Turn:
    """Search twice, among pages of the web and among everything; deliver what was found, each
    address once.

    Raises:
        TaskNotPossible: there is no question, or no search could be asked.
    """
    words = _words(query_of(request))
    searched = results_of(request, Capability.WEB_SEARCH)
    if searched or request.last:
        stop_if_nobody_answered(request, searched)
        return Turn(result=_deliver(request, searched))
    search = Capability.WEB_SEARCH
    pages = ask_about(request, search, "web", query=words, kinds=["web"], limit=MOST_PAGES)
    everything = ask_about(request, search, "all", query=words, limit=MOST_OF_ALL)
    return Turn(calls=(pages, everything), note="Search for the question")


def _words(query: Query) -> str:
    """The question, and the tickets of the parameters where it names none itself."""
    question = query.parameters.get("search") or query.question
    named = () if ticket_ids(question) else parameter_list(query, "ticket", "tickets", "issue")
    return " ".join((question[:LONGEST_QUERY], *named))


def _deliver(request: TurnRequest, searched: tuple[ToolResult, ...]) -> WebSearched:
    found: dict[str, tuple[SearchHit, str]] = {}
    missing = []
    for result in searched:
        if result.status is not ToolStatus.OK:
            missing.append(why_not(result, "the search"))
            continue
        try:
            hits = told(result, ToldHits).results
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
