"""The sentiment specialist: how much is written about a market, and in which tone."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from desk.contracts.agents.capabilities import Capability
from desk.contracts.episode.analysis import Analysis, AnalystRatings, Mentions, NewsDigest
from desk.contracts.findings.claims import Metric
from desk.contracts.markets import MarketKind
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.programs.builtin.evidence import is_offered, market_of
from desk.programs.swarm.builtin.delivery import Note, noted
from desk.programs.swarm.builtin.reading import (
    SpecialistReading,
    about,
    questions,
    read_analyses,
    stop_if_nobody_answered,
)
from desk.programs.swarm.builtin.widening import Widening, ask_on_or_deliver, opening
from desk.programs.swarm.conclusion.wording import joined
from desk.programs.swarm.tasks import SPECIALITIES

KINDS: Final[dict[Capability, type[Analysis]]] = {
    Capability.SENTIMENT: Analysis,
    Capability.NEWS_DIGEST: NewsDigest,
}
BESIDES: Final[dict[Capability, type[Analysis]]] = {
    Capability.MENTIONS: Mentions,
    Capability.RATINGS: AnalystRatings,
}
"""Asked if the source can be reached; only companies have ratings."""

RESTS_ON: Final = (
    Metric.NEWS_TONE,
    Metric.RATINGS_RAISED,
    Metric.RATINGS_CUT,
    Metric.ESTIMATES_RAISED,
    Metric.ESTIMATES_CUT,
    Metric.NEWS_COUNT,
)
"""The metrics that a view may rest on. The volume in social feeds is not among them."""

RATED: Final = (Metric.ANALYST_RATINGS, Metric.RATINGS_RAISED, Metric.RATINGS_CUT)
REVISED: Final = (Metric.ESTIMATES_RAISED, Metric.ESTIMATES_CUT)

FLAT: Final = Decimal(10)
"""On the scale from -100 to 100: closer to zero than this the tone is neutral, by convention."""


def take_turn(request: TurnRequest) -> Turn:
    """Asks for the news and their tone. Once the answers are there, delivers the result.

    News are not quoted: they are other people's words and stay with the tool results.

    Raises:
        TaskNotPossible: no tool could be asked.
    """
    market = market_of(request)
    kinds = KINDS | besides(request)
    if not request.exchanges:
        return questions(request, about(market, *kinds), "the news")
    reading = read_analyses(opening(request, WIDENING), kinds)
    stop_if_nobody_answered(reading, Capability.SENTIMENT)
    speciality = SPECIALITIES[AgentId.SENTIMENT_SPECIALIST]
    return ask_on_or_deliver(request, reading, WIDENING, speciality, _notes, RESTS_ON)


WIDENING: Final = Widening(
    capability=Capability.SENTIMENT,
    metric=Metric.NEWS_TONE,
    lead="The tone of the news",
    votes=False,
)


def besides(request: TurnRequest) -> dict[Capability, type[Analysis]]:
    """Returns the further capabilities to ask for in this run, about this market."""
    stock = market_of(request).kind is MarketKind.STOCK
    return {
        capability: kind
        for capability, kind in BESIDES.items()
        if is_offered(request.assignment, capability)
        and (stock or capability is not Capability.RATINGS)
    }


def _notes(reading: SpecialistReading) -> Iterator[Note]:
    evidence = tuple(source.evidence_id for source in reading.sources)[:8]
    told = (
        ("coverage", news_count_words(reading)),
        ("tone", tone_sentence(reading)),
        ("analysts", ratings_words(reading)),
        ("social feeds", mentions_words(reading)),
    )
    return noted(told, evidence)


def news_count_words(reading: SpecialistReading) -> str:
    """Says how much was written about the market; empty if unknown."""
    count = reading.value(Metric.NEWS_COUNT)
    if count is None:
        return ""
    reference = reading.reference(Metric.NEWS_COUNT)
    if count == 0:
        return f"No recent stories about {reading.name} were found ({reference})."
    return f"Stories about {reading.name} over the last two weeks: {reference}."


def mentions_words(reading: SpecialistReading) -> str:
    """Says how much was posted about the market in public social feeds, and its reach; empty if
    unknown."""
    if reading.value(Metric.MENTION_COUNT) is None:
        return ""
    count = reading.reference(Metric.MENTION_COUNT)
    said = f"Posts about {reading.name} in public social feeds over the last week: {count}"
    if reading.value(Metric.MENTION_REACH) is None:
        return f"{said}. What they say is no finding."
    reach = reading.reference(Metric.MENTION_REACH)
    return f"{said}, with {reach} likes, reposts and comments. What they say is no finding."


def ratings_words(reading: SpecialistReading) -> str:
    """Says how many analysts changed their rating of a company, and in which direction; empty if
    unknown."""
    if not reading.has(*RATED):
        return ""
    given, raised, cut = map(reading.reference, RATED)
    told = [
        f"Of {given} analysts' ratings of {reading.name} over the last three months {raised} were"
        f" raised and {cut} cut."
    ]
    if reading.has(*REVISED):
        raised, cut = map(reading.reference, REVISED)
        told.append(
            f"Over the last month {raised} estimates of its earnings were raised and {cut} cut."
        )
    return joined((*told, "These are opinions and no facts."))


def tone_sentence(reading: SpecialistReading) -> str:
    """Describes the tone of the news about the market by a word list; empty if no story has a
    tone."""
    tone = reading.value(Metric.NEWS_TONE)
    if tone is None:
        return ""
    sounds = "flat" if abs(tone) < FLAT else "good" if tone > 0 else "bad"
    return (
        f"Judged by a word list, the news about {reading.name} sound {sounds}:"
        f" {reading.reference(Metric.NEWS_TONE)} on a scale from bad to good."
    )
