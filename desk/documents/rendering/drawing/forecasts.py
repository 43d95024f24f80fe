"""Forecasts in a market's chart: a range at the day of each forecast."""

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

from desk.documents.rendering.drawing.svg import Drawing, Point, corners

RANGE_WIDTH: Final = 5.0
RESULT_SIZE: Final = 2.1
"""The distance from the middle of a mark to its edge."""
RANGE: Final = "var(--bar)"
RESULT: Final = "var(--ink)"


class DrawnRange(NamedTuple):
    """The range in which a forecast put two of three fixings of a day, the fixing once it is known,
    and whether it is in the range."""

    day: date
    low: Decimal
    high: Decimal
    value: Decimal | None = None
    within: bool = False


def draw_ranges(
    drawing: Drawing,
    ranges: Sequence[DrawnRange],
    across: Callable[[date], float],
    up: Callable[[Decimal], float],
) -> None:
    """Draws a bar for each range."""
    half = RANGE_WIDTH / 2
    if ranges:
        drawing.areas(
            (
                corners((across(e.day) - half, up(e.low)), (across(e.day) + half, up(e.high)))
                for e in ranges
            ),
            RANGE,
        )


def draw_results(
    drawing: Drawing,
    ranges: Sequence[DrawnRange],
    across: Callable[[date], float],
    up: Callable[[Decimal], float],
) -> None:
    """Draws a dot for each fixing that was in its range, and a cross for each that was not."""
    for each in ranges:
        if each.value is None:
            continue
        at = across(each.day), up(each.value)
        if each.within:
            drawing.dot(at, RESULT_SIZE, RESULT)
        else:
            _draw_cross(drawing, at)


def _draw_cross(drawing: Drawing, at: Point) -> None:
    (x, y), size = at, RESULT_SIZE
    drawing.line([(x - size, y - size), (x + size, y + size)], RESULT, 1)
    drawing.line([(x - size, y + size), (x + size, y - size)], RESULT, 1)
