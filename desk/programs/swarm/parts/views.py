"""The views of direction that a swarm's specialists hold, and what holds them against a price.

Light: workflows use it. A specialist leans one way over the next four weeks. A hypothesis on its
market over the same time waits for the very price that decides that, so that it carries the views:
the direction where there is one, else the range.
"""

from collections.abc import Iterable, Sequence

from desk.contracts.findings.results import ResearchResult
from desk.contracts.swarm.research import (
    MOST_SUBAGENTS,
    HeldView,
    Hypothesis,
    HypothesisKind,
)
from desk.learning.hypotheses import SIDES
from desk.programs.swarm.balance import opinions_on
from desk.programs.swarm.hypotheses import WEEKS, probability_alone


def views_on(market: str, results: Sequence[ResearchResult]) -> tuple[HeldView, ...]:
    """Who leans up or down on a market, with the probability that follows: of each specialist the
    newest view. A neutral view and an abstention say nothing that could turn out wrong."""
    held = (
        HeldView(
            agent=result.agent,
            leaning=view.leaning,
            confidence=view.confidence,
            probability=probability_alone(view.confidence),
        )
        for result, view in opinions_on(market, results)
        if view.leaning in SIDES
    )
    return tuple(held)[:MOST_SUBAGENTS]


def with_views(
    hypotheses: Iterable[Hypothesis], results: Sequence[ResearchResult]
) -> tuple[Hypothesis, ...]:
    """The hypotheses in their order, one of each market with the views that are held of it: one
    that is over the time of the views, a direction before a range."""
    given = tuple(hypotheses)
    carrying = set(_carriers(given).values())
    return tuple(
        each.model_copy(update={"views": views_on(each.market.market, results)})
        if place in carrying
        else each
        for place, each in enumerate(given)
    )


def uncarried(
    hypotheses: Sequence[Hypothesis], results: Sequence[ResearchResult]
) -> tuple[str, ...]:
    """The markets of which a specialist holds a view that no hypothesis carries."""
    carried = {each.market.market for each in hypotheses if each.views}
    markets = dict.fromkeys(result.market for result in results)
    return tuple(name for name in markets if name not in carried and views_on(name, results))


def _carriers(hypotheses: Sequence[Hypothesis]) -> dict[str, int]:
    """By market the place of the hypothesis that carries its views."""
    fitting = [place for place, each in enumerate(hypotheses) if each.weeks == WEEKS]
    ranges_last = sorted(
        fitting, key=lambda place: hypotheses[place].kind is not HypothesisKind.DIRECTION
    )
    found: dict[str, int] = {}
    for place in ranges_last:
        found.setdefault(hypotheses[place].market.market, place)
    return found
