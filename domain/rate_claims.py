"""Policy rates, decisions and differentials as claims."""

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import Final

from contracts.claims import Claim, Metric, Unit, claim_id
from contracts.markets import MarketKind, MarketSpec
from contracts.source_results import PolicyRate, RateDecision
from domain.formulas import basis_point_difference

WHOLE: Final = Decimal(1)
TENTH: Final = Decimal("0.1")


def policy_rate_claims(
    rates: Iterable[PolicyRate], as_of_day: date, evidence: str
) -> tuple[Claim, ...]:
    """The rates in force. A stale rate's day is the last one that its source covers."""
    return tuple(
        Claim(
            claim_id=claim_id(rate.area, Metric.POLICY_RATE),
            subject=rate.area,
            metric=Metric.POLICY_RATE,
            value=rate.rate,
            unit=Unit.PERCENT_A_YEAR,
            as_of=known_on(rate, as_of_day),
            evidence=(evidence,),
        )
        for rate in rates
        if rate.rate is not None
    )


def known_on(rate: PolicyRate, as_of_day: date) -> date:
    """The day that a rate can be vouched for: the as-of day, or the end of the source's cover."""
    return min(as_of_day, rate.covered_until) if rate.covered_until else as_of_day


def decision_claims(decisions: Iterable[RateDecision], evidence: str) -> tuple[Claim, ...]:
    """For each decision the rate after it and the change it made."""
    return tuple(
        Claim(
            claim_id=claim_id(decision.area, metric, decision.decided_on),
            subject=decision.area,
            metric=metric,
            value=value,
            unit=unit,
            as_of=decision.decided_on,
            evidence=(evidence,),
        )
        for decision in decisions
        for metric, value, unit in (
            (Metric.DECISION_RATE, decision.rate, Unit.PERCENT_A_YEAR),
            (Metric.DECISION_CHANGE, decision.change, Unit.BASIS_POINTS),
        )
    )


def differential_areas(spec: MarketSpec, base_area: str) -> tuple[str, str] | None:
    """Whose rate is taken against whose: base against quote area for a pair, an area against the
    base area for a policy rate. None where there is no second area."""
    if spec.kind is MarketKind.PAIR:
        return (spec.areas[0], spec.areas[1]) if len(spec.areas) == 2 else None
    area = spec.areas[0] if spec.areas else spec.market
    return (area, base_area) if area != base_area else None


def differential_claim(
    spec: MarketSpec, base_area: str, policy_rates: Sequence[Claim]
) -> Claim | None:
    """The rate differential in basis points, of the earlier of the two rates' days.

    None where there is no second area or either rate is not claimed.
    """
    areas = differential_areas(spec, base_area)
    known = {claim.subject: claim for claim in policy_rates}
    if areas is None or areas[0] not in known or areas[1] not in known:
        return None
    rate, against = known[areas[0]], known[areas[1]]
    return Claim(
        claim_id=claim_id(spec.market, Metric.DIFFERENTIAL),
        subject=spec.market,
        metric=Metric.DIFFERENTIAL,
        value=_compact(basis_point_difference(rate.value, against.value)),
        unit=Unit.BASIS_POINTS,
        as_of=min(rate.as_of, against.as_of),
        evidence=tuple(dict.fromkeys((*rate.evidence, *against.evidence))),
        formula="basis_point_difference",
        inputs=(rate.claim_id, against.claim_id),
    )


def _compact(basis_points: Decimal) -> Decimal:
    whole = basis_points.quantize(WHOLE)
    return whole if whole == basis_points else basis_points.quantize(TENTH)
