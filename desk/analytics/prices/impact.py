"""How much an event matters. The rules are written down in docs/method.md."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from desk.contracts.findings.results import Impact

LARGE_MOVE: Final = Decimal(2)
NOTABLE_MOVE: Final = Decimal(1)
"""In standard deviations of the pair's trailing weekly moves."""

YEAR: Final = 12
QUARTER: Final = 3
"""Months for which an extreme had stood when it was broken."""

AT_THE_EDGE: Final = Decimal(1)
NEAR_THE_EDGE: Final = Decimal(10)
"""Percent of a band's width."""

SOON: Final = timedelta(days=7)


def floating_pair_impact(z_score: Decimal | None, months_broken: int) -> Impact:
    """The impact of a week's move of a floating pair.

    Args:
        z_score: the move in standard deviations as printed; None when there is too little history.
        months_broken: for how many months the oldest extreme broken had stood; 0 for none.
    """
    size = abs(z_score) if z_score is not None else Decimal(0)
    if size >= LARGE_MOVE or months_broken >= YEAR:
        return Impact.HIGH
    if size >= NOTABLE_MOVE or months_broken >= QUARTER:
        return Impact.MEDIUM
    return Impact.LOW


def pegged_pair_impact(position: Decimal, previous: Decimal | None) -> Impact:
    """The impact of where a pegged pair stands in its band, in percent of the band's width.

    Args:
        position: after the window; below 0 or above 100 is outside the band.
        previous: before the window; None when unknown, which counts as having been elsewhere.
    """
    distance = distance_to_edge(position)
    came_from_afar = previous is None or distance_to_edge(previous) > AT_THE_EDGE
    if distance < 0 or (distance <= AT_THE_EDGE and came_from_afar):
        return Impact.HIGH
    return Impact.MEDIUM if distance <= NEAR_THE_EDGE else Impact.LOW


def distance_to_edge(position: Decimal) -> Decimal:
    """How far a band position is from the nearer edge, in percent; negative outside the band."""
    return min(position, 100 - position)


def decision_impact(change: Decimal) -> Impact:
    """The impact of a rate decision: a change matters more than a hold."""
    return Impact.HIGH if change else Impact.MEDIUM


def scheduled_impact(day: date, as_of: date) -> Impact:
    """The impact of a scheduled decision whose outcome is not known: medium up to a week ahead."""
    return Impact.MEDIUM if day - as_of <= SOON else Impact.LOW
