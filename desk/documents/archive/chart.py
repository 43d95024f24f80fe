"""A market's figure from week to week as bars, in as few words as a page can draw them with."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NamedTuple

SLOT: Final = 6
"""A week's width; the bar takes most of it."""
HALF: Final = 40
LEAST: Final = 0.75
"""A bar is seen, however small its figure."""


class Bar(NamedTuple):
    """A week's figure and how it is printed."""

    week: str
    value: Decimal
    printed: str


class Box(NamedTuple):
    """A bar as it is drawn, with the words for a pointer that rests on it."""

    x: int
    y: float
    height: float
    way: str
    words: str


class Chart(NamedTuple):
    """Bars from the first week to the last, in a box of `width` by `height`."""

    width: int
    height: float
    baseline: float
    boxes: tuple[Box, ...]
    first: str
    last: str


def chart_of(bars: Sequence[Bar | None]) -> Chart | None:
    """Bars in the order given, with an empty place for each None; None where there are no two."""
    there = [bar for bar in bars if bar is not None]
    most = max((abs(bar.value) for bar in there), default=Decimal(0))
    if len(there) < 2 or not most:
        return None
    above = HALF if any(bar.value > 0 for bar in there) else 0
    below = HALF if any(bar.value < 0 for bar in there) else 0
    boxes = tuple(
        _box(index, bar, most, above) for index, bar in enumerate(bars) if bar is not None
    )
    return Chart(len(bars) * SLOT, above + below, above, boxes, there[0].week, there[-1].week)


def _box(index: int, bar: Bar, most: Decimal, baseline: float) -> Box:
    height = max(round(float(abs(bar.value) / most) * HALF, 2), LEAST)
    top = baseline if bar.value < 0 else baseline - height
    way = "fell" if bar.value < 0 else "rose"
    return Box(index * SLOT, round(top, 2), height, way, f"{bar.week}: {bar.printed}")
