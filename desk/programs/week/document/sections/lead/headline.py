"""The headline: how the dollar did and who changed rates, or else the move of the week."""

from typing import Final

from desk.contracts.findings.claims import Metric
from desk.programs.week.document.sections.lead.decisions import (
    BANKS_NAMED,
    changed_rates,
    who_changed,
)
from desk.programs.week.document.sections.lead.editions import SAYS_NO_FIXING
from desk.programs.week.document.sections.lead.lead_week import LeadWeek
from desk.programs.week.document.sections.lead.movers import largest
from desk.programs.week.document.sections.lead.phrases import capitalised, figure
from desk.programs.week.document.sections.summary import dollar_counts
from desk.trust.prose import Form

NO_FIXING: Final = "No move is known: the sources have no fixing of the week for any pair."


def headline(week: LeadWeek) -> str:
    """The week in a sentence."""
    parts = headline_parts(week)
    if parts:
        return f"{capitalised('; '.join(parts))}."
    first = next(iter(largest(week.report.movers)), None)
    if first is None:
        return NO_FIXING if week.edition >= SAYS_NO_FIXING else "No currency has a move to report."
    if week.is_of_one_pair:
        moved, at = figure(first.market, Metric.MOVE, Form.MOVED), "to" if first.move else "at"
        return f"{first.market} {moved} {at} {figure(first.market, Metric.LAST)}."
    return f"{first.market} moved most ({figure(first.market, Metric.MOVE)})."


def headline_parts(week: LeadWeek) -> list[str]:
    """What the dollar did and which banks changed their rates; empty if neither is known."""
    return [part for part in (dollar_words(week), _changed_words(week)) if part]


def dollar_words(week: LeadWeek) -> str | None:
    """`The dollar fell against 11 of 18 currencies and rose against 7`."""
    counted = dollar_counts(week.claims, week.edition)
    return f"The dollar {counted}" if counted else None


def _changed_words(week: LeadWeek) -> str | None:
    """`the Federal Reserve and the Bank of England cut rates, the Bank of Japan raised rates`."""
    return who_changed(changed_rates(week), BANKS_NAMED, week)
