"""The formulas of derived claims. A claim names the one it was computed with.

Scalar formulas take and return `Decimal`, with arguments in the order of the claim's inputs, and
are exact up to the context's 28 digits. The caller rounds. Formulas over the moves of a series, in
floats, are in `desk.analytics.prices.moves`.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final


def percent_change(previous: Decimal, last: Decimal) -> Decimal:
    """The simple change from one level to another, in percent of the first.

    Raises:
        ValueError: a level is not above zero.
    """
    if previous <= 0 or last <= 0:
        raise ValueError(f"levels are positive, not {previous} and {last}")
    return (last / previous - 1) * 100


def basis_point_difference(rate: Decimal, against: Decimal) -> Decimal:
    """The first rate minus the second, both in percent a year, in basis points."""
    return (rate - against) * 100


def range_position(value: Decimal, low: Decimal, high: Decimal) -> Decimal:
    """The position of a value between two bounds: 0 percent at the low, 100 percent at the high.

    A value outside the bounds gives a result below 0 or above 100.

    Raises:
        ValueError: the high is not above the low.
    """
    if high <= low:
        raise ValueError(f"a range needs a high above its low, not {low} to {high}")
    return (value - low) / (high - low) * 100


def band_position(value: Decimal, low: Decimal, high: Decimal) -> Decimal:
    """The position of a pegged pair in its band. See `range_position`. `low` and `high` are the
    edges of the band.

    Raises:
        ValueError: the upper edge is not above the lower.
    """
    return range_position(value, low, high)


def highest(values: Sequence[Decimal]) -> Decimal:
    """The highest of some levels.

    Raises:
        ValueError: there are none.
    """
    return max(values)


def lowest(values: Sequence[Decimal]) -> Decimal:
    """The lowest of some levels.

    Raises:
        ValueError: there are none.
    """
    return min(values)


def streak(values: Sequence[Decimal]) -> int:
    """The number of last steps of a series, oldest first, with the same direction.

    Positive for rises, negative for falls, 0 if the last step was flat or there is none.
    """
    directions = [(after > before) - (after < before) for before, after in pairwise(values)]
    if not directions or directions[-1] == 0:
        return 0
    length = 0
    for direction in reversed(directions):
        if direction != directions[-1]:
            break
        length += 1
    return length * directions[-1]


def cuts_among(*changes: Decimal) -> Decimal:
    """The number of changes below zero."""
    return Decimal(sum(change < 0 for change in changes))


def rises_among(*changes: Decimal) -> Decimal:
    """The number of changes above zero."""
    return Decimal(sum(change > 0 for change in changes))


def count(*values: Decimal) -> Decimal:
    """The number of values."""
    return Decimal(len(values))


CLAIM_FORMULAS: Final[Mapping[str, Callable[..., Decimal]]] = {
    formula.__name__: formula
    for formula in (
        *(percent_change, basis_point_difference, range_position),
        *(cuts_among, rises_among, count),
    )
}
"""The formulas whose inputs are all claims, by the name that claims use. Their arguments are in the
order of the claim's inputs."""
