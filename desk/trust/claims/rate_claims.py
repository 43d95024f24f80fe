"""Policy rates, decisions and differentials as claims."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from itertools import takewhile
from typing import Final
from zoneinfo import ZoneInfo

from desk.analytics.figures import as_number
from desk.analytics.formulas import basis_point_difference, count, cuts_among, rises_among
from desk.analytics.prices.rates_view import direction
from desk.analytics.prices.series import window_days
from desk.analytics.units import UNITS
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id, span_id
from desk.contracts.findings.source_results import (
    DecisionCalendar,
    PolicyRate,
    RateDecision,
    RateDecisions,
    ScheduledDecision,
)
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.weeks import TimeWindow

WHOLE: Final = Decimal(1)
TENTH: Final = Decimal("0.1")
IN_A_ROW: Final = {
    1: Metric.RISES_IN_A_ROW,
    -1: Metric.CUTS_IN_A_ROW,
    0: Metric.HOLDS_IN_A_ROW,
}


def policy_rate_claims(
    rates: Iterable[PolicyRate], as_of_day: date, evidence: str
) -> tuple[Claim, ...]:
    """Returns the rates in force. A stale rate is dated on the last day that its source covers."""
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


def target_range_claims(
    rates: Iterable[PolicyRate], as_of_day: date, evidence: str
) -> tuple[Claim, ...]:
    """Returns both ends of each target range."""
    return tuple(
        Claim(
            claim_id=claim_id(rate.area, metric),
            subject=rate.area,
            metric=metric,
            value=end,
            unit=Unit.PERCENT_A_YEAR,
            as_of=known_on(rate, as_of_day),
            evidence=(evidence,),
        )
        for rate in rates
        for metric, end in (
            (Metric.TARGET_RANGE_LOW, rate.low),
            (Metric.TARGET_RANGE_HIGH, rate.high),
        )
        if end is not None
    )


def known_on(rate: PolicyRate, as_of_day: date) -> date:
    """Returns the last day for which a rate is known: the as-of day, or the last day that the
    source covers."""
    return min(as_of_day, rate.covered_until) if rate.covered_until else as_of_day


def decision_claims(decisions: Iterable[RateDecision], evidence: str) -> tuple[Claim, ...]:
    """Returns for each decision the rate after it and the change."""
    return tuple(
        Claim(
            claim_id=claim_id(decision.area, metric, decision.decided_on),
            subject=decision.area,
            metric=metric,
            value=value,
            unit=unit,
            as_of=decision.decided_on,
            precision=decision.precision,
            evidence=(evidence,),
        )
        for decision in decisions
        for metric, value, unit in (
            (Metric.DECISION_RATE, decision.rate, Unit.PERCENT_A_YEAR),
            (Metric.DECISION_CHANGE, decision.change, Unit.BASIS_POINTS),
        )
    )


def in_a_row_claims(answer: RateDecisions, evidence: str) -> tuple[Claim, ...]:
    """Returns for the newest decision of each area how many meetings in a row decided the same.

    None for a first decision of its direction, or if the answer does not reach back to a meeting
    with another decision, because there may have been more.
    """
    meetings: dict[str, list[RateDecision]] = {}
    for decision in sorted((*answer.before, *answer.decisions), key=lambda d: d.decided_on):
        meetings.setdefault(decision.area, []).append(decision)
    decided = {decision.area for decision in answer.decisions}
    claims = (_in_a_row(meetings[area], evidence) for area in sorted(decided))
    return tuple(claim for claim in claims if claim)


WITHIN: Final = {
    Metric.CUTS_WITHIN: cuts_among,
    Metric.RISES_WITHIN: rises_among,
    Metric.DECISIONS_WITHIN: count,
}
"""The counts of a bank's decisions within some days, and their formulas."""


def within_claims(
    answer: RateDecisions, area: str, first: date, last: date, evidence: str
) -> tuple[Claim, ...]:
    """Returns how many of an area's decisions within some days were cuts, how many rises, and how
    many there were in all; and how far they moved its rate, if the rate before them is known. Empty
    without a decision in these days."""
    known = {d.decided_on: d for d in answer.decisions if d.area == area and d.decided_on <= last}
    within = [known[day] for day in sorted(known) if day >= first]
    before = max((day for day in known if day < first), default=None)
    if not within:
        return ()
    changes = [claim_id(area, Metric.DECISION_CHANGE, each.decided_on) for each in within]
    measured = [
        (metric, formula.__name__, formula(*(each.change for each in within)), changes)
        for metric, formula in WITHIN.items()
    ]
    if before is not None:
        ends = [
            claim_id(area, Metric.DECISION_RATE, day) for day in (within[-1].decided_on, before)
        ]
        moved = _compact(basis_point_difference(within[-1].rate, known[before].rate))
        measured.append((Metric.CHANGE_WITHIN, basis_point_difference.__name__, moved, ends))
    return tuple(
        Claim(
            claim_id=span_id(area, metric, first, last),
            subject=area,
            metric=metric,
            value=value,
            unit=UNITS[metric],
            as_of=last,
            evidence=(evidence,),
            formula=formula,
            inputs=tuple(inputs),
        )
        for metric, formula, value, inputs in measured
    )


def next_decision_claims(
    calendar: DecisionCalendar, window: TimeWindow, evidence: str
) -> tuple[Claim, ...]:
    """Returns for each area in a calendar the next decision day at the end of a window. A decision
    on that day itself is the next one until it is announced; if no hour is known, until the bank's
    own day is over."""
    _, as_of_day = window_days(window)
    ahead: dict[str, date] = {}
    for each in sorted(calendar.scheduled, key=lambda scheduled: scheduled.day):
        if each.day > as_of_day or (each.day == as_of_day and not _is_announced(each, window.end)):
            ahead.setdefault(each.area, each.day)
    return tuple(
        Claim(
            claim_id=claim_id(area, Metric.NEXT_DECISION),
            subject=area,
            metric=Metric.NEXT_DECISION,
            value=as_number(day),
            unit=Unit.CALENDAR_DAY,
            as_of=as_of_day,
            evidence=(evidence,),
        )
        for area, day in ahead.items()
    )


def _is_announced(scheduled: ScheduledDecision, at: datetime) -> bool:
    if scheduled.time_zone is None:
        return False
    hour = scheduled.announced_at_local or time.max
    return datetime.combine(scheduled.day, hour, ZoneInfo(scheduled.time_zone)) <= at


def _in_a_row(meetings: Sequence[RateDecision], evidence: str) -> Claim | None:
    newest = meetings[-1]
    alike = list(takewhile(lambda d: direction(d) == direction(newest), reversed(meetings)))
    if len(alike) < 2 or len(alike) == len(meetings):
        return None
    metric = IN_A_ROW[direction(newest)]
    return Claim(
        claim_id=claim_id(newest.area, metric, newest.decided_on),
        subject=newest.area,
        metric=metric,
        value=Decimal(len(alike)),
        unit=Unit.COUNT,
        as_of=newest.decided_on,
        evidence=(evidence,),
        formula="in_a_row",
    )


def differential_areas(spec: MarketSpec, base_area: str) -> tuple[str, str] | None:
    """Returns the two areas of a rate differential: base and quote area for a pair; for a policy
    rate its area and the area that it is compared with, the base area by default. None if there is
    no second area."""
    if len(spec.areas) == 2:
        return spec.areas[0], spec.areas[1]
    if spec.kind is MarketKind.PAIR:
        return None
    area = spec.areas[0] if spec.areas else spec.market
    return (area, base_area) if area != base_area else None


def differential_claim(
    spec: MarketSpec, base_area: str, policy_rates: Sequence[Claim]
) -> Claim | None:
    """Returns the rate differential in basis points, dated on the earlier of the two rates' days.

    None if there is no second area, or if one of the rates is not claimed.
    """
    areas = differential_areas(spec, base_area)
    rates = (claim for claim in policy_rates if claim.metric is Metric.POLICY_RATE)
    known = {claim.subject: claim for claim in rates}
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
