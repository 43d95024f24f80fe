"""Forecasts as they stand in a chart of a market: a range at the day that each was for."""

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
    """Where a forecast put two of three fixings of a day; the fixing, once it is known, and whether
    it lies within."""

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
    """A bar for each range, a dot on it where the fixing came within, a cross where it did not."""
    from matplotlib.patches import Rectangle

    for each in ranges:
        x, ends = across(each.day), sorted((up(each.low), up(each.high)))
        corner, height = (x - RANGE_WIDTH / 2, ends[0]), ends[1] - ends[0]
        axes.add_patch(Rectangle(corner, RANGE_WIDTH, height, color=RANGE, linewidth=0, zorder=1))
        if each.value is not None:
            style = "o" if each.within else "x"
            end = ([x], [up(each.value)])
            axes.plot(*end, color=RESULT, marker=style, markersize=4.2, linestyle="", zorder=4)
