"""The small line over a year in a list or a row of a table."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Final

WIDTH: Final = 100
HEIGHT: Final = 22
MARGIN: Final = 2
MOST_POINTS: Final = 60
"""More points cannot be distinguished in such a small line."""


def spark_points(
    points: Sequence[tuple[date, Decimal]],
    *,
    in_steps: bool = False,
    turned: bool = False,
    first: date | None = None,
) -> str:
    """Returns the points of an SVG polyline in a box of `WIDTH` by `HEIGHT`, thinned out, always
    with the last one.

    With `in_steps` a value is constant until the next one. `turned` draws it upside down. `first`
    is the first day of the year, if the line begins later. Empty with fewer than two points.
    """
    if len(points) < 2:
        return ""
    every = 1 if in_steps else max(1, len(points) // MOST_POINTS)
    kept = sorted({*range(0, len(points), every), len(points) - 1})
    low, high = (end(value for _, value in points) for end in (min, max))
    start, last = first or points[0][0], points[-1][0]
    drawn: list[tuple[float, float]] = []
    for day, value in (points[at] for at in kept):
        across = (day - start).days / ((last - start).days or 1) * WIDTH
        share = float((value - low) / (high - low)) if high > low else 0.5
        down = MARGIN + (share if turned else 1 - share) * (HEIGHT - 2 * MARGIN)
        if in_steps and drawn:
            drawn.append((across, drawn[-1][1]))
        drawn.append((across, down))
    return " ".join(f"{across:.0f},{down:.1f}" for across, down in drawn)
