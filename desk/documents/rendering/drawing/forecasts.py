"""Forecasts in a market's chart: a range at the day of each forecast."""

from collections.abc import Callable, Iterable
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RANGE_WIDTH: Final = 5.0
RANGE: Final = "#030301"
RESULT: Final = "#030302"
RANGE_COLOURS: Final = {RANGE: "var(--bar)", RESULT: "var(--ink)"}


class DrawnRange(NamedTuple):
    """The range in which a forecast put two of three fixings of a day, the fixing once it is known,
    and whether it is in the range."""

    day: date
    low: Decimal
    high: Decimal
    value: Decimal | None = None
    within: bool = False


def draw_ranges(
    axes: "Axes",
    ranges: Iterable[DrawnRange],
    across: Callable[[date], float],
    up: Callable[[Decimal], float],
) -> None:
    """A bar for each range, with a dot if the fixing was in the range and a cross if not.

    All bars are one shape, and all dots one line without a stroke: an element for each would take
    half of the time of a chart.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    drawn = tuple(ranges)
    if not drawn:
        return
    bars = [_bar(across(each.day), up(each.low), up(each.high)) for each in drawn]
    shape = Path.make_compound_path(
        *(Path([*corners, corners[0]], closed=True) for corners in bars)
    )
    axes.add_artist(PathPatch(shape, color=RANGE, linewidth=0, zorder=1))
    for style, within in (("o", True), ("x", False)):
        known = [
            (across(e.day), up(e.value))
            for e in drawn
            if e.value is not None and e.within is within
        ]
        if known:
            x, y = zip(*known, strict=True)
            axes.add_artist(
                Line2D(x, y, color=RESULT, marker=style, markersize=4.2, linestyle="", zorder=4)
            )


def _bar(x: float, low: float, high: float) -> list[tuple[float, float]]:
    """The corners of a bar around a day."""
    left, right = x - RANGE_WIDTH / 2, x + RANGE_WIDTH / 2
    return [(left, low), (right, low), (right, high), (left, high)]
