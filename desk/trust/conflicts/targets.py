"""Where specialists take a price to be going: levels that contradict each other, and the direction
that a level implies. Light: workflows use it.

Two targets of one market and day contradict each other as figures when they lie further apart than
their tolerance. A target on one side of the last price is besides a view of the direction, unless
its result has one of its own: nobody votes twice.
"""

from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from typing import Final

from desk.analytics.tolerances import LITTLE_CHANGED
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import Leaning, ResearchResult, View, ViewKind
from desk.trust.conflicts.positions import Stand

LEANS: Final = frozenset({Leaning.UP, Leaning.DOWN})


def with_implied_views(
    results: Sequence[ResearchResult], contested: Collection[str]
) -> tuple[ResearchResult, ...]:
    """The results with the views of direction that their targets imply. Left out are targets of
    markets that are `contested` as figures, so that nobody is asked twice."""
    return tuple(_with_implied(result, results, contested) for result in results)


def last_price(
    subject: str, result: ResearchResult, results: Iterable[ResearchResult]
) -> Decimal | None:
    """The last price as a result states it; where it does not, as all others that do agree."""
    own = _stated(subject, Metric.LAST, (result,))
    stated = own or _stated(subject, Metric.LAST, results)
    return next(iter(stated)) if len(stated) == 1 else None


def target_side(value: Decimal, last: Decimal) -> Leaning:
    """On which side of the last price a target lies; neutral where it is little away from it."""
    away = value - last
    if abs(away) * 100 < LITTLE_CHANGED * last:
        return Leaning.NEUTRAL
    return Leaning.UP if away > 0 else Leaning.DOWN


def across_last(stands: Sequence[Stand], results: Iterable[ResearchResult]) -> bool:
    """Whether some targets lie above the last price and some below it."""
    known = tuple(results)
    lasts = [(s.claim, last_price(s.claim.subject, s.result, known)) for s in stands]
    sides = {target_side(claim.value, last) for claim, last in lasts if last is not None}
    return sides >= LEANS


def _with_implied(
    result: ResearchResult, results: Sequence[ResearchResult], contested: Collection[str]
) -> ResearchResult:
    implied = tuple(
        view
        for claim in result.claims
        if claim.metric is Metric.TARGET and claim.subject not in contested
        if (view := _implied(claim, result, results)) is not None
    )
    return result.model_copy(update={"views": (*result.views, *implied)}) if implied else result


def _implied(
    claim: Claim, result: ResearchResult, results: Sequence[ResearchResult]
) -> View | None:
    if any(v.kind is ViewKind.DIRECTION for v in result.views):
        return None
    last = last_price(claim.subject, result, results)
    side = Leaning.NEUTRAL if last is None else target_side(claim.value, last)
    if side not in LEANS:
        return None
    return View(
        subject=claim.subject,
        kind=ViewKind.DIRECTION,
        leaning=side,
        confidence=result.confidence,
        claims=(claim.claim_id,),
    )


def _stated(subject: str, metric: Metric, results: Iterable[ResearchResult]) -> set[Decimal]:
    return {
        claim.value
        for result in results
        for claim in result.claims
        if (claim.subject, claim.metric) == (subject, metric)
    }
