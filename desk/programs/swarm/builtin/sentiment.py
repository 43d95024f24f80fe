"""The sentiment specialist: how much is written about a market, and how it sounds."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from desk.contracts.agents.capabilities import USUAL_ROUTES, Capability
from desk.contracts.episode.analysis import Analysis, Mentions, NewsDigest
from desk.contracts.findings.claims import Metric
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.programs.builtin.evidence import market_of
from desk.programs.swarm.builtin.delivery import Note, deliver, noted
from desk.programs.swarm.conclusion.reading import (
    SpecialistReading,
    about,
    questions,
    read_analyses,
    stop_if_nobody_answered,
)
from desk.programs.swarm.tasks import SPECIALITIES

KINDS: Final[dict[Capability, type[Analysis]]] = {
    Capability.SENTIMENT: Analysis,
    Capability.NEWS_DIGEST: NewsDigest,
}
SOCIAL: Final[dict[Capability, type[Analysis]]] = {Capability.MENTIONS: Mentions}
"""Asked where they can be reached."""

RESTS_ON: Final = (Metric.NEWS_TONE, Metric.NEWS_COUNT)
"""What a view may rest on: how much is said in social feeds is no reason for any."""

FLAT: Final = Decimal(10)
"""Points of the scale from a hundred below zero to a hundred above: nearer to zero than this the
news sound of nothing, by convention."""


def take_turn(request: TurnRequest) -> Turn:
    """Ask for the news and their tone side by side; with them, submit.

    What is written is not repeated: it is another's words, and stands with the tool results.

    Raises:
        TaskNotPossible: no tool could be asked.
    """
    market = market_of(request)
    kinds = KINDS | (SOCIAL if _offered(request) else {})
    if not request.exchanges:
        return questions(request, about(market, *kinds), "the news")
    reading = read_analyses(request, kinds)
    stop_if_nobody_answered(reading, Capability.SENTIMENT)
    speciality = SPECIALITIES[AgentId.SENTIMENT_SPECIALIST]
    return Turn(result=deliver(reading, speciality, _notes(reading), RESTS_ON))


def _offered(request: TurnRequest) -> bool:
    """Whether social feeds can be asked in this run: one without a network does without them."""
    servers = {tool.server for tool in request.assignment.tools}
    return not servers.isdisjoint(route.server for route in USUAL_ROUTES[Capability.MENTIONS])


def _notes(reading: SpecialistReading) -> Iterator[Note]:
    evidence = tuple(source.evidence_id for source in reading.sources)[:8]
    told = (
        ("coverage", tell_coverage(reading)),
        ("tone", tell_tone(reading)),
        ("social feeds", tell_mentions(reading)),
    )
    return noted(told, evidence)


def tell_coverage(reading: SpecialistReading) -> str:
    """How much was written about the market; empty where that is not known."""
    count = reading.value(Metric.NEWS_COUNT)
    if count is None:
        return ""
    reference = reading.reference(Metric.NEWS_COUNT)
    if count == 0:
        return f"No recent stories about {reading.name} were found ({reference})."
    return f"Stories about {reading.name} over the last two weeks: {reference}."


def tell_mentions(reading: SpecialistReading) -> str:
    """How much is said of the market in public social feeds and how far it reached; empty where
    that is not known."""
    if reading.value(Metric.MENTION_COUNT) is None:
        return ""
    count = reading.reference(Metric.MENTION_COUNT)
    said = f"Posts about {reading.name} in public social feeds over the last week: {count}"
    if reading.value(Metric.MENTION_REACH) is None:
        return f"{said}. What they say is no finding."
    reach = reading.reference(Metric.MENTION_REACH)
    return f"{said}, with {reach} likes, reposts and comments. What they say is no finding."


def tell_tone(reading: SpecialistReading) -> str:
    """How the news about the market sound, by a list of words; empty where none has any."""
    tone = reading.value(Metric.NEWS_TONE)
    if tone is None:
        return ""
    sounds = "flat" if abs(tone) < FLAT else "good" if tone > 0 else "bad"
    return (
        f"Judged by a word list, the news about {reading.name} sound {sounds}:"
        f" {reading.reference(Metric.NEWS_TONE)} on a scale from bad to good."
    )
