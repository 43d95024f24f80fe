"""The stock research agent: a company's news, their tone, and its accounts."""

from collections.abc import Callable
from typing import Final, NamedTuple

from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.turns import Turn, TurnRequest
from desk.contracts.episode.stock import StockAction
from desk.programs.builtin.evidence import market_of
from desk.programs.episode.builtin.part import deliver_part, read_part
from desk.programs.swarm.builtin.delivery import noted
from desk.programs.swarm.builtin.fundamental import ACCOUNTS, read_company, tell_company
from desk.programs.swarm.builtin.sentiment import KINDS, tell_coverage, tell_tone
from desk.programs.swarm.conclusion.reading import (
    Reading,
    about,
    questions,
    stop_if_nobody_answered,
)


class _News(NamedTuple):
    """What is asked of the news for a part, what for, and how it is told."""

    action: StockAction
    capability: Capability
    what: str
    topic: str
    tell: Callable[[Reading], str]


_STORIES: Final = _News(
    StockAction.FETCH_NEWS, Capability.NEWS_DIGEST, "the news", "coverage", tell_coverage
)
_TONE: Final = _News(
    StockAction.FETCH_SENTIMENT, Capability.SENTIMENT, "the tone of the news", "tone", tell_tone
)


def fetch_news(request: TurnRequest) -> Turn:
    """Ask for what was written about the company; with it, submit how much there is.

    What is written is not repeated: it is another's words, and stands with the tool results.

    Raises:
        TaskNotPossible: the tool could not be asked.
    """
    return _fetch(request, _STORIES)


def fetch_sentiment(request: TurnRequest) -> Turn:
    """Ask how the news about the company sound; with that, submit.

    Raises:
        TaskNotPossible: the tool could not be asked.
    """
    return _fetch(request, _TONE)


def fetch_fundamentals(request: TurnRequest) -> Turn:
    """Ask for ratios, earnings and accounts side by side; with them, submit.

    Raises:
        TaskNotPossible: no tool could be asked.
    """
    market = market_of(request)
    if not request.exchanges:
        return questions(request, about(market, *ACCOUNTS), "the accounts")
    reading = read_company(request)
    stop_if_nobody_answered(reading, ACCOUNTS[0])
    notes = noted(tell_company(reading))
    return Turn(result=deliver_part(reading, StockAction.FETCH_FUNDAMENTALS, notes))


def _fetch(request: TurnRequest, part: _News) -> Turn:
    market = market_of(request)
    if not request.exchanges:
        return questions(request, about(market, part.capability), part.what)
    reading = read_part(request, part.action, {part.capability: KINDS[part.capability]})
    stop_if_nobody_answered(reading, part.capability)
    evidence = tuple(source.evidence_id for source in reading.sources)[:8]
    notes = noted(((part.topic, part.tell(reading)),), evidence)
    return Turn(result=deliver_part(reading, part.action, notes))
