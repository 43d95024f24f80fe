"""The calibration chart: how often it came so, against how likely the desk had said it was."""

from collections.abc import Sequence
from typing import Final

from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from desk.contracts.learning.learning import CalibrationBin
from desk.documents.rendering.drawing.svg import inline_svg, new_figure

SIDE: Final = 240
LEFT: Final = 42
BELOW: Final = 38
RIGHT: Final = 24
ABOVE: Final = 16
TICKS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
LEAST_RADIUS: Final = 3.5
MOST_RADIUS: Final = 9.0

GRID: Final = "#050501"
DIAGONAL: Final = "#050502"
DOT: Final = "#050503"
INK: Final = "#050504"
FAINT: Final = "#050505"
COLOURS: Final = {
    GRID: "var(--rule)",
    DIAGONAL: "var(--line)",
    DOT: "var(--accent)",
    INK: "var(--ink)",
    FAINT: "var(--faint)",
}


def calibration_chart(bins: Sequence[CalibrationBin]) -> str:
    """A dot for each bin, larger the more forecasts it holds, with their number above it.

    On the diagonal it came as often as was said; above it more often, below it less.
    """
    width, height = LEFT + SIDE + RIGHT, BELOW + SIDE + ABOVE
    figure = new_figure(width, height)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.axis("off")
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    _frame(axes)
    most = max((each.count for each in bins), default=1)
    for each in bins:
        if each.count:
            _dot(axes, each, most)
    return inline_svg(figure, "calibration", _label(bins), COLOURS)


def _frame(axes: Axes) -> None:
    frame = Rectangle((LEFT, BELOW), SIDE, SIDE, fill=False, edgecolor=GRID, linewidth=1)
    axes.add_patch(frame)
    for tick in TICKS:
        at = SIDE * tick
        axes.plot([LEFT + at, LEFT + at], [BELOW, BELOW + SIDE], color=GRID, linewidth=0.7)
        axes.plot([LEFT, LEFT + SIDE], [BELOW + at, BELOW + at], color=GRID, linewidth=0.7)
        words = f"{tick:.0%}".replace("%", "\u00a0%")
        axes.text(LEFT + at, BELOW - 6, words, color=FAINT, size=10.5, va="top", ha="center")
        axes.text(LEFT - 6, BELOW + at, words, color=FAINT, size=10.5, va="center", ha="right")
    axes.plot(
        [LEFT, LEFT + SIDE], [BELOW, BELOW + SIDE], color=DIAGONAL, linewidth=1, linestyle="--"
    )
    middle = LEFT + SIDE / 2
    axes.text(
        middle, 2, "how likely that was said to be", color=INK, size=11, va="bottom", ha="center"
    )


def _dot(axes: Axes, each: CalibrationBin, most: int) -> None:
    x, y = LEFT + SIDE * each.mean, BELOW + SIDE * each.rose / each.count
    radius = max(LEAST_RADIUS, MOST_RADIUS * (each.count / most) ** 0.5)
    axes.add_patch(Circle((x, y), radius, facecolor=DOT, edgecolor="none", zorder=3))
    axes.text(
        x, y + radius + 2, f"{each.count}", color=INK, size=10.5, va="bottom", ha="center", zorder=4
    )


def _label(bins: Sequence[CalibrationBin]) -> str:
    told = "; ".join(
        f"said {each.mean:.0%}, came {each.rose} of {each.count} times" for each in bins
    )
    return f"Calibration of the forecasts: {told}"
