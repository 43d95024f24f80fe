"""The dollar index, as claims computed from the fixings of its six pairs."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Final

from desk.analytics.formulas import percent_change
from desk.analytics.prices.dollar_index import PAIRS, index_of_pairs
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id

DOLLAR_INDEX: Final = "DOLLAR"
"""The subject of claims about the dollar as a whole."""

FORMULA: Final = "dollar_index"
_HUNDREDTH: Final = Decimal("0.01")


def dollar_index_claims(claims: Mapping[str, Claim]) -> dict[str, Claim]:
    """Returns the index at the end of the window and before it, and its move, by id.

    Empty if a fixing of one of the six pairs is not claimed, or if the fixings are of different
    days.
    """
    ends = {metric: _index(claims, metric) for metric in (Metric.PREVIOUS, Metric.LAST)}
    previous, last = ends[Metric.PREVIOUS], ends[Metric.LAST]
    if previous is None or last is None:
        return {}
    move = _claim(
        Metric.MOVE,
        percent_change(previous.value, last.value).quantize(_HUNDREDTH),
        last.as_of,
        percent_change.__name__,
        (previous.claim_id, last.claim_id),
    )
    return {claim.claim_id: claim for claim in (previous, last, move)}


def _index(claims: Mapping[str, Claim], metric: Metric) -> Claim | None:
    fixings = {pair: claims.get(claim_id(pair, metric)) for pair in PAIRS.values()}
    found = {pair: claim for pair, claim in fixings.items() if claim is not None}
    days = {claim.as_of for claim in found.values()}
    if len(found) < len(PAIRS) or len(days) > 1:
        return None
    value = index_of_pairs({pair: claim.value for pair, claim in found.items()})
    names = tuple(claim.claim_id for claim in found.values())
    return _claim(metric, value, days.pop(), FORMULA, names)


def _claim(
    metric: Metric, value: Decimal, day: date, formula: str, inputs: tuple[str, ...]
) -> Claim:
    return Claim(
        claim_id=claim_id(DOLLAR_INDEX, metric),
        subject=DOLLAR_INDEX,
        metric=metric,
        value=value,
        unit=Unit.PERCENT if metric is Metric.MOVE else Unit.LEVEL,
        as_of=day,
        formula=formula,
        inputs=inputs,
    )
