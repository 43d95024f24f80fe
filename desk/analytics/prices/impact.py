"""The impact of events. docs/method.md describes the rules."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from desk.contracts.findings.results import Impact

LARGE_MOVE: Final = Decimal(2)
NOTABLE_MOVE: Final = Decimal(1)
"""In standard deviations of the pair's trailing weekly moves."""

YEAR: Final = 12
QUARTER: Final = 3
"""How many months an extreme had lasted when it was broken."""

AT_THE_EDGE: Final = Decimal(1)
NEAR_THE_EDGE: Final = Decimal(10)
"""Percent of a band's width."""

SOON: Final = timedelta(days=7)


def floating_pair_impact(z_score: Decimal | None, months_broken: int) -> Impact:
    """The impact of a week's move of a floating pair.

    Args:
        z_score: the move in standard deviations as printed; None if there is too little history.
        months_broken: how many months the oldest broken extreme had lasted; 0 if none was broken.
    """
    size = abs(z_score) if z_score is not None else Decimal(0)
    if size >= LARGE_MOVE or months_broken >= YEAR:
        return Impact.HIGH
    if size >= NOTABLE_MOVE or months_broken >= QUARTER:
        return Impact.MEDIUM
    return Impact.LOW


def pegged_pair_impact(position: Decimal, previous: Decimal | None) -> Impact:
    """The impact of a pegged pair's position in its band, in percent of the band's width.

    Args:
        position: after the window; below 0 or above 100 is outside the band.
        previous: before the window; None if unknown, which counts as far from the edge.
    """
    distance = distance_to_edge(position)
    came_from_afar = previous is None or distance_to_edge(previous) > AT_THE_EDGE
    if distance < 0 or (distance <= AT_THE_EDGE and came_from_afar):
        return Impact.HIGH
    return Impact.MEDIUM if distance <= NEAR_THE_EDGE else Impact.LOW


def distance_to_edge(position: Decimal) -> Decimal:
    """The distance of a band position from the nearer edge, in percent. Negative outside the
    band."""
    return min(position, 100 - position)


def decision_impact(change: Decimal) -> Impact:
    """The impact of a rate decision: a change matters more than a hold."""
    return Impact.HIGH if change else Impact.MEDIUM


def scheduled_impact(day: date, as_of: date) -> Impact:
    """The impact of a scheduled decision without a known outcome: medium up to a week ahead."""
    return Impact.MEDIUM if day - as_of <= SOON else Impact.LOW
