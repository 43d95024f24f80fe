"""Draws SVG that a page can contain many times, in the colours and fonts of the page's style
sheet."""

import re
from collections.abc import Iterable
from html import escape
from typing import Final, Literal

DASHED: Final = "3.7 1.6"
DOTTED: Final = "1 1.65"
"""Dashes and the gaps between them, in widths of their line."""

Point = tuple[float, float]

_FIRST_TAG = re.compile(r'<svg class="chart" [^>]*>')
_ID = re.compile(r'\bid="([^"]+)"')


class Drawing:
    """A drawing of a size in points. Positions are relative to the lower left corner. Later
    elements cover earlier ones."""

    def __init__(self, width: float, height: float) -> None:
        self._width = width
        self._height = height
        self._drawn: list[str] = []

    def line(
        self, points: Iterable[Point], colour: str, width: float, *, dashes: str | None = None
    ) -> None:
        """Draws a line through points, solid or with `DASHED` or `DOTTED` dashes."""
        dashed = f"; stroke-dasharray: {_scaled(dashes, width)}" if dashes else ""
        style = f"stroke: {colour}; stroke-width: {width:g}{dashed}"
        self._drawn.append(f'<path d="{self._path(points)}" style="{style}"/>')

    def areas(self, outlines: Iterable[Iterable[Point]], colour: str) -> None:
        """Draws areas of one colour."""
        path = "".join(f"{self._path(outline)}z" for outline in outlines)
        self._drawn.append(f'<path d="{path}" style="fill: {colour}"/>')

    def frame(self, low: Point, high: Point, colour: str) -> None:
        """Draws the edges between two opposite corners."""
        path = self._path(corners(low, high))
        self._drawn.append(f'<path d="{path}z" style="stroke: {colour}"/>')

    def dot(self, at: Point, radius: float, colour: str) -> None:
        """Draws a filled circle."""
        across, down = self._place(at)
        circle = f'cx="{across}" cy="{down}" r="{_short(radius)}"'
        self._drawn.append(f'<circle {circle} style="fill: {colour}"/>')

    def words(
        self,
        at: Point,
        words: str,
        colour: str,
        size: float,
        anchor: Literal["start", "middle", "end"],
    ) -> None:
        """Draws words on one line, whose baseline starts at a point, ends at it or has it in its
        middle."""
        across, down = self._place(at)
        style = f"font-size: {size:g}px; text-anchor: {anchor}; fill: {colour}"
        text = f'<text style="{style}" x="{across}" y="{down}">{escape(words)}</text>'
        self._drawn.append(text)

    def svg(self, name: str, label: str) -> str:
        """Returns the drawing as an `<svg>` element that scales with the page. `name` is unique
        within the page; `label` is for screen readers."""
        box = f'viewBox="0 0 {self._width:g} {self._height:g}"'
        root = f'<svg class="chart" {box} role="img" aria-label="{escape(label)}">'
        drawn = "\n".join(self._drawn)
        return f'{root}\n<g id="{name}" style="fill: none">\n{drawn}\n</g>\n</svg>'

    def _path(self, points: Iterable[Point]) -> str:
        return "M" + " ".join(" ".join(self._place(point)) for point in points)

    def _place(self, at: Point) -> tuple[str, str]:
        return _short(at[0]), _short(self._height - at[1])


def corners(low: Point, high: Point) -> tuple[Point, Point, Point, Point]:
    """Returns the corners of a rectangle, from two opposite ones."""
    return low, (high[0], low[1]), high, (low[0], high[1])


def second_view(chart: str) -> str:
    """Returns a second view of a chart that is in the page already, without repeating its data."""
    root, body = _FIRST_TAG.match(chart), _ID.search(chart)
    if root is None or body is None:
        raise ValueError("no chart with an id to be drawn again")
    return f'{root[0]}<use href="#{body[1]}"/></svg>'


def _short(length: float) -> str:
    """Formats a length to a tenth of a point."""
    return f"{length:.1f}".removesuffix(".0")


def _scaled(dashes: str, width: float) -> str:
    return " ".join(_short(float(dash) * width) for dash in dashes.split())
