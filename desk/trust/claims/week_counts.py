"""Counts over a week's claims: how many banks cut, raised and held, and against how many currencies
the dollar rose, fell and was little changed.

The inputs of a count are the claims that were counted.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Final

from desk.analytics.comparison import is_little_changed
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.markets import MarketSpec

WEEK: Final = "WEEK"
"""The subject of counts over all markets of a week."""

DOLLAR: Final = "USD"
FEWEST: Final = 2
"""Fewer than this many are named instead of counted."""

_Holds = Callable[[Claim], bool]

_BANKS: Final[Mapping[Metric, _Holds]] = {
    Metric.BANKS_CUT: lambda claim: claim.value < 0,
    Metric.BANKS_RAISED: lambda claim: claim.value > 0,
    Metric.BANKS_HELD: lambda claim: claim.value == 0,
}
DOLLAR_SIDES: Final[Mapping[Metric, int]] = {
    Metric.DOLLAR_ROSE: 1,
    Metric.DOLLAR_FELL: -1,
    Metric.DOLLAR_LITTLE_CHANGED: 0,
}
"""The counts of the dollar, each with the sign of the moves that it counts."""

_BY_SIGN: Final = (Metric.DOLLAR_ROSE, Metric.DOLLAR_FELL)
"""The counts in reports of earlier versions, in which a move of any size was a rise or a fall."""

WEEK_METRICS: Final = frozenset({*_BANKS, *DOLLAR_SIDES})


def week_counts(
    claims: Mapping[str, Claim],
    specs: Iterable[MarketSpec] = (),
    since: date | None = None,
    *,
    by_sign: bool = False,
) -> dict[str, Claim]:
    """Returns the counts over a week's claims, by id. The dollar is also counted over each group of
    `specs`. A move that is called little changed is neither a rise nor a fall; `by_sign` counts as
    earlier versions did, by the sign of every move.

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
    pegged = frozenset(spec.market for spec in specs if spec.band)
    dollar = (
        _counted_by(_dollar_side, _BY_SIGN)
        if by_sign
        else _counted_by(_unless_little(pegged), DOLLAR_SIDES)
    )
    groups: dict[str, list[Claim]] = {WEEK: moves}
    for spec in specs:
        own = (claim for claim in moves if claim.subject == spec.market)
        groups.setdefault(spec.group.upper(), []).extend(own)
    counted = [
        *_counts(WEEK, _BANKS, list(newest.values())),
        *(count for group, moved in groups.items() for count in _counts(group, dollar, moved)),
    ]
    return {claim.claim_id: claim for claim in counted}


def counts_by_sign(counts: Iterable[Claim]) -> bool:
    """Returns whether the counts of a report are those of an earlier version."""
    return not any(claim.metric is Metric.DOLLAR_LITTLE_CHANGED for claim in counts)


_Side = Callable[[Claim], int]


def _counted_by(side_of: _Side, metrics: Iterable[Metric]) -> Mapping[Metric, _Holds]:
    return {metric: _on(DOLLAR_SIDES[metric], side_of) for metric in metrics}


def _on(side: int, side_of: _Side) -> _Holds:
    return lambda claim: side_of(claim) == side


def _unless_little(pegged: Container[str]) -> _Side:
    """Returns a function for the sign of a move, 0 for one that is little changed."""

    def side_of(claim: Claim) -> int:
        little = is_little_changed(claim.value, pegged=claim.subject in pegged)
        return 0 if little else _dollar_side(claim)

    return side_of


def _of(claims: Mapping[str, Claim], metric: Metric) -> Iterator[Claim]:
    return (claims[name] for name in sorted(claims) if claims[name].metric is metric)


def _counts(
    subject: str, metrics: Mapping[Metric, _Holds], counted: list[Claim]
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
