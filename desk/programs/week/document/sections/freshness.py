"""How far prices, policy rates and decisions were known at the as-of instant."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from desk.analytics.prices.fixings import last_expected_day
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.source_results import PolicyRate
from desk.contracts.week.report import CalendarRow, Freshness, Mover, RateRow, RatesKnown
from desk.contracts.weeks import TimeWindow
from desk.programs.week.document.sections.calendar import is_decided
from desk.programs.week.document.sections.tables import policy_rate_facts


def freshness_of(
    movers: Sequence[Mover],
    rates: Sequence[RateRow],
    calendar: Sequence[CalendarRow],
    evidence: Iterable[ToolResult],
    window: TimeWindow,
) -> Freshness:
    """How current a week's tables were at its as-of instant.

    A price is current if its fixing is of the last day for which one was due. A policy rate is
    current if every change up to the window is known. A decision within the window counts
    separately, by whether its outcome is on record.
    """
    expected = last_expected_day(window.end)
    facts = policy_rate_facts(evidence)
    known = [row.area for row in rates if row.rate is not None]
    stale = [area for area in known if _is_stale(facts.get(area), window)]
    held = [row for row in calendar if not row.ahead]
    return Freshness(
        prices=len(movers),
        stale_prices=sum(row.last_on < expected for row in movers),
        prices_to=max((row.last_on for row in movers), default=None),
        rates=len(known),
        stale_rates=len(stale),
        rates_to=_known_to(stale, facts),
        rates_known=tuple(_by_day(stale, facts)),
        decisions=len(held),
        open_decisions=sum(not is_decided(row) for row in held),
    )


def _is_stale(fact: PolicyRate | None, window: TimeWindow) -> bool:
    if fact is None or not fact.stale:
        return False
    return fact.covered_until is None or fact.covered_until < window.start.date()


def _by_day(stale: Sequence[str], facts: Mapping[str, PolicyRate]) -> Iterator[RatesKnown]:
    """The areas by the day up to which their changes are known, the oldest first."""
    days = sorted({facts[area].covered_until or date.min for area in stale})
    for day in days:
        areas = tuple(a for a in stale if (facts[a].covered_until or date.min) == day)
        yield RatesKnown(areas=areas, to=None if day == date.min else day)


def _known_to(stale: Sequence[str], facts: Mapping[str, PolicyRate]) -> date | None:
    """The day up to which the changes in all these areas are known."""
    days = [facts[area].covered_until for area in stale]
    known = [day for day in days if day is not None]
    return min(known) if known and len(known) == len(days) else None
