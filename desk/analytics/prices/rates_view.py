"""The rate decisions of a window, and its scheduled days without a recorded outcome."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from desk.contracts.findings.source_results import (
    DatePrecision,
    DecisionCalendar,
    PolicyRate,
    PolicyRates,
    RateDecision,
    RateDecisions,
    ScheduledDecision,
)

EFFECTIVE_LAG: Final = timedelta(days=8)
"""A decision takes effect at most this long after its announcement."""


@dataclass(frozen=True, slots=True)
class RatesView:
    """The rates of some areas over a window.

    `decisions` fell in the window, oldest first. The scheduled days are divided by what is known:
    `ahead` are on the as-of day or later; `unresolved` are past and beyond the source's coverage;
    `uneventful` are past and covered, without a recorded change.
    """

    decisions: tuple[RateDecision, ...]
    ahead: tuple[ScheduledDecision, ...]
    unresolved: tuple[ScheduledDecision, ...]
    uneventful: tuple[ScheduledDecision, ...]


def view_rates(
    decisions: RateDecisions,
    calendar: DecisionCalendar,
    areas: Collection[str],
    first_day: date,
    as_of_day: date,
) -> RatesView:
    """Classifies the known decisions and scheduled days of some areas in the window from
    `first_day` to `as_of_day`, inclusive.

    A decision in the source has been announced, even if the bank's local day is already the one
    after the desk's.
    """
    decided = tuple(d for d in decisions.decisions if d.area in areas and d.decided_on >= first_day)
    days = (s for s in calendar.scheduled if s.area in areas and s.day >= first_day)
    scheduled = [day for day in days if not _is_known(day, decided)]
    past = [s for s in scheduled if s.day < as_of_day]
    covered = [s for s in past if _is_covered(s, decisions)]
    return RatesView(
        decisions=decided,
        ahead=tuple(s for s in scheduled if s.day >= as_of_day),
        unresolved=tuple(s for s in past if s not in covered),
        uneventful=tuple(covered),
    )


def rate_of(rates: PolicyRates, area: str) -> PolicyRate | None:
    """One area's entry, with or without a rate."""
    return next((rate for rate in rates.rates if rate.area == area), None)


def _is_known(scheduled: ScheduledDecision, decided: Sequence[RateDecision]) -> bool:
    return any(d.area == scheduled.area and _may_be(scheduled.day, d) for d in decided)


def _may_be(day: date, decision: RateDecision) -> bool:
    """Whether a decision, dated as precisely as it is, may be the one scheduled for a day."""
    if decision.precision is DatePrecision.MONTH:
        return (day.year, day.month) == (decision.decided_on.year, decision.decided_on.month)
    if decision.precision is DatePrecision.EFFECTIVE:
        return timedelta(0) <= decision.decided_on - day <= EFFECTIVE_LAG
    return decision.decided_on == day


def _is_covered(scheduled: ScheduledDecision, decisions: RateDecisions) -> bool:
    until = decisions.covered_until.get(scheduled.area)
    return until is not None and scheduled.day <= until


def direction(decision: RateDecision) -> int:
    """1 for a rise, -1 for a cut, 0 for a hold."""
    return (decision.change > 0) - (decision.change < 0)
