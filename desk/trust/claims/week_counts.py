"""Counts over a week's claims: how many banks cut, raised and held, and against how many currencies
the dollar rose and fell.

The inputs of a count are the claims that were counted.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Final

from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.markets import MarketSpec

WEEK: Final = "WEEK"
"""The subject of counts over all markets of a week."""

DOLLAR: Final = "USD"
FEWEST: Final = 2
"""Fewer than this many are named instead of counted."""

_BANKS: Final[Mapping[Metric, Callable[[Claim], bool]]] = {
    Metric.BANKS_CUT: lambda claim: claim.value < 0,
    Metric.BANKS_RAISED: lambda claim: claim.value > 0,
    Metric.BANKS_HELD: lambda claim: claim.value == 0,
}
_DOLLAR: Final[Mapping[Metric, Callable[[Claim], bool]]] = {
    Metric.DOLLAR_ROSE: lambda claim: _dollar_side(claim) > 0,
    Metric.DOLLAR_FELL: lambda claim: _dollar_side(claim) < 0,
}
WEEK_METRICS: Final = frozenset({*_BANKS, *_DOLLAR})


def week_counts(
    claims: Mapping[str, Claim], specs: Iterable[MarketSpec] = (), since: date | None = None
) -> dict[str, Claim]:
    """The counts over a week's claims, by id. The dollar is also counted over each group of
    `specs`.

    If a bank decided more than once, its newest decision counts; decisions from before `since` do
    not. If `specs` are given, only their pairs count. Fewer than two of a kind are not counted.
    """
    specs = tuple(specs)
    markets = {spec.market for spec in specs}
    decided = sorted(_of(claims, Metric.DECISION_CHANGE), key=lambda claim: claim.as_of)
    newest = {c.subject: c for c in decided if since is None or c.as_of >= since}
    moves = [
        claim
        for claim in _of(claims, Metric.MOVE)
        if DOLLAR in claim.subject.split("/") and (not markets or claim.subject in markets)
    ]
    groups: dict[str, list[Claim]] = {WEEK: moves}
    for spec in specs:
        own = (claim for claim in moves if claim.subject == spec.market)
        groups.setdefault(spec.group.upper(), []).extend(own)
    counted = [
        *_counts(WEEK, _BANKS, list(newest.values())),
        *(count for group, moved in groups.items() for count in _counts(group, _DOLLAR, moved)),
    ]
    return {claim.claim_id: claim for claim in counted}


def _of(claims: Mapping[str, Claim], metric: Metric) -> Iterator[Claim]:
    return (claims[name] for name in sorted(claims) if claims[name].metric is metric)


def _counts(
    subject: str, metrics: Mapping[Metric, Callable[[Claim], bool]], counted: list[Claim]
) -> Iterator[Claim]:
    if len(counted) < FEWEST:
        return
    for metric, holds in metrics.items():
        yield Claim(
            claim_id=claim_id(subject, metric),
            subject=subject,
            metric=metric,
            value=Decimal(sum(map(holds, counted))),
            unit=Unit.COUNT,
            as_of=max(claim.as_of for claim in counted),
            formula=metric.value,
            inputs=tuple(claim.claim_id for claim in counted),
        )


def _dollar_side(move: Claim) -> int:
    side = (move.value > 0) - (move.value < 0)
    return side if move.subject.startswith(DOLLAR) else -side
