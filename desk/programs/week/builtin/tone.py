"""How the news that an agent was given sounds, by lists of words."""

from collections.abc import Iterable

from desk.agents.capabilities import capability_of
from desk.contracts.agents.capabilities import OWN_SOURCES, USUAL_ROUTES, Capability
from desk.contracts.agents.tasks import TaskAssignment
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.agents.turns import TurnRequest
from desk.contracts.findings.results import MOST_SOURCES, MOST_TONES, ResearchResult
from desk.programs.builtin.evidence import ask
from desk.trust.claims.events import news_in
from desk.trust.ledger import attributed


def _tools(*capabilities: Capability) -> frozenset[tuple[str, str]]:
    routes = (route for capability in capabilities for route in USUAL_ROUTES[capability])
    return frozenset((route.server, route.tool) for route in routes)


_NEWS = _tools(Capability.NEWS_SEARCH)
_BANK_NEWS = _tools(Capability.BANK_NEWS)
_LIVE = frozenset(pair for pair in _BANK_NEWS if pair[0] not in OWN_SOURCES)
"""The central banks' server has no news unless it is started for it."""


def news_questions(task: TaskAssignment, query: str, areas: Iterable[str]) -> tuple[ToolCall, ...]:
    """What is asked about the news of a market and of its banks, where a source of news is on the
    task's list; else nothing."""
    listed = {(tool.server, tool.tool) for tool in task.tools}
    asked = []
    if listed & _NEWS:
        asked.append(ask(task, Capability.NEWS_SEARCH, query=query))
    if listed & _BANK_NEWS and (asked or listed & _LIVE):
        asked.append(ask(task, Capability.BANK_NEWS, areas=[*areas]))
    return tuple(asked)


def silent_news(request: TurnRequest) -> tuple[str, ...]:
    """Which of those questions had no answer. Why not is another's words, and stands with the
    tool result."""
    asked = (Capability.NEWS_SEARCH, Capability.BANK_NEWS)
    return tuple(
        f"{capability_of(result.call)}: {result.call.server} did not answer".replace("_", " ")
        for result in request.results
        if capability_of(result.call) in asked and result.status is not ToolStatus.OK
    )


def with_tone(request: TurnRequest, result: ResearchResult) -> ResearchResult:
    """The result with the tones of the news among the tools' answers, whichever tool gave it, and
    with a view of each bank's stance of which the result has none. Both are of low confidence.

    The same result when there is no news. Why there is none is for whoever asked to say.
    """
    if any(map(_may_be_news, request.results)):
        return _toned(request, result)
    return result


def _may_be_news(answer: ToolResult) -> bool:
    return isinstance(answer.content, dict) and bool(answer.content.get("items"))


def _toned(request: TurnRequest, result: ResearchResult) -> ResearchResult:
    # The lists of words take a tenth of a second to load; a worker that sees no news has none.
    from desk.documents.report.markets.tone import banks_in, merged, tones_by_words, word_stances

    window = request.assignment.window
    found = tones_by_words(request.results, result.market, banks_in(request.results), window)
    if not found:
        return result
    used = {tone.evidence_id for tone in found} - {source.evidence_id for source in result.sources}
    answers = {answer.evidence_id: answer for answer in reversed(request.results)}
    sources = tuple(
        attributed(answer, news.source)
        for name, answer in answers.items()
        if name in used and (news := news_in(answer, window)) is not None
    )
    return result.model_copy(
        update={
            "tones": merged((*result.tones, *found))[:MOST_TONES],
            "views": (*result.views, *word_stances(found, result.views)),
            "sources": (*result.sources, *sources)[:MOST_SOURCES],
        }
    )
