"""The moves of the week: which are large or rare, and whose currencies they are."""

from collections.abc import Iterable
from decimal import Decimal

from desk.analytics.names.markets import AREAS, DOLLAR
from desk.contracts.week.report import Mover
from desk.programs.week.document.sections.lead.lead_week import LeadWeek
from desk.programs.week.document.sections.summary import is_unusual


def largest(movers: Iterable[Mover]) -> list[Mover]:
    """The movers with the largest moves first, in either direction."""
    return sorted(movers, key=lambda row: (-abs(row.move), row.market))


def rarity(row: Mover) -> Decimal:
    """Sorts the moves with the highest z-score, in either direction, first."""
    return -abs(row.z_score or Decimal(0))


def kind_of_move(row: Mover, week: LeadWeek) -> str | None:
    """How usual a move was, if that is known."""
    if week.says_only_known and row.z_score is None:
        return None
    usual = "a larger move than usual" if week.is_larger(row) else "an ordinary move"
    return "an unusual move" if is_unusual(row) else usual


def currency(row: Mover) -> str:
    """The currency against the dollar; for a pair without the dollar, the first one."""
    base, quote = row.market.split("/")
    return quote if base == DOLLAR else base


def areas_of(rows: Iterable[Mover]) -> tuple[str, ...]:
    """The areas of the pairs' currencies other than the dollar, each once."""
    found = (AREAS.get(currency(row)) for row in rows)
    return tuple(dict.fromkeys(area for area in found if area))


def pairs_of(area: str, week: LeadWeek) -> list[Mover]:
    """The pair of an area's currency with the dollar."""
    return [row for row in week.report.movers if AREAS.get(currency(row)) == area]


def sign(value: Decimal) -> int:
    """+1, -1, or 0 for zero."""
    return (value > 0) - (value < 0)
