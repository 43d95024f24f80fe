"""The direction of a pair's move, in the sense that a page uses throughout."""

from collections.abc import Sequence
from typing import Final

from desk.analytics.names.markets import DOLLAR
from desk.contracts.agents.config import Upward
from desk.contracts.markets import MarketKind
from desk.contracts.week.report import Mover, ResearchReport
from desk.programs.week.document.sections.summary import dollar_direction

UP: Final = "up"
DOWN: Final = "down"
NEITHER: Final = ""

WORDS: Final = {
    Upward.DOLLAR: ("the dollar fell", "the dollar rose"),
    Upward.CURRENCY: ("the currency fell", "the currency rose"),
}
"""The meaning of a bar to the left and of one to the right."""


def way(market: str, move: float, up: Upward) -> str:
    """Returns `up` if the dollar rose, or if the currency did and `up` is the currency; `down` if
    it fell. Empty for no move and for a pair without the dollar.

    Args:
        market: the pair, as it is quoted.
        move: of the pair as it is quoted, in any unit.
        up: what goes up.
    """
    base, _, quote = market.partition("/")
    if DOLLAR not in (base, quote) or not move:
        return NEITHER
    dollar_rose = (move > 0) == (base == DOLLAR)
    return UP if dollar_rose == (up is Upward.DOLLAR) else DOWN


def is_turned(market: str, up: Upward) -> bool:
    """Returns whether a chart of the pair is drawn upside down to match the page's sense."""
    return way(market, 1, up) == DOWN


def ranked(report: ResearchReport) -> Sequence[Mover]:
    """Returns the pairs with the dollar, from the largest rise to the largest fall."""
    up = report.config.report.up
    rows = [row for row in report.movers if dollar_direction(row) or not row.move]
    return sorted(rows, key=lambda row: (-signed(row, up), row.market))


def unmoved(report: ResearchReport) -> tuple[str, ...]:
    """Returns the pairs without a move to show."""
    told = {row.market for row in report.movers}
    pairs = (part for part in report.markets if part.kind is MarketKind.PAIR)
    return tuple(part.market for part in pairs if part.market not in told)


def signed(row: Mover, up: Upward) -> float:
    """Returns the move of a pair in percent, positive if it went up in the page's sense."""
    return (
        abs(float(row.move)) * {UP: 1, DOWN: -1, NEITHER: 0}[way(row.market, float(row.move), up)]
    )


def bar_width(row: Mover, rows: Sequence[Mover]) -> float:
    """Returns the length of a pair's bar in percent of the longest."""
    longest = max((abs(float(each.move)) for each in rows), default=0.0)
    return round(abs(float(row.move)) / longest * 100, 1) if longest else 0.0
