"""The charts of a report: the heat map of the movers, sparklines, and how forecasts came out."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final

import numpy
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from desk.analytics.figures import print_figure
from desk.contracts.findings.claims import Unit
from desk.contracts.learning.lessons import CalibrationBin
from desk.contracts.week.report import MarketReport, Mover
from desk.contracts.weeks import TimeWindow
from desk.documents.rendering.drawing.svg import inline_svg, new_figure
from desk.documents.rendering.words.wording import NO_FIGURE, typographic

SPARK_WIDTH: Final = 300
SPARK_HEIGHT: Final = 56
MARGIN: Final = 4

LINE: Final = "#010101"
WEEK: Final = "#010102"
SHADE: Final = "#010103"
SPARK_COLOURS: Final = {LINE: "var(--line)", WEEK: "var(--accent)", SHADE: "var(--shade)"}

ROW: Final = 24
NAME_WIDTH: Final = 76
CELL_WIDTH: Final = 116
HEAD: Final = 22
STEPS: Final = 4
"""Shades on either side of the neutral one."""
FULL_Z: Final = 2.0
"""The z-score that is painted in the darkest shade."""
FULL_MOVE: Final = 2.0
"""The move in percent that is painted in the darkest shade."""
INK: Final = "#020201"
FAINT: Final = "#020202"
EMPTY: Final = "#020203"


def sparklines(markets: Iterable[MarketReport], window: TimeWindow) -> dict[str, str]:
    """A chart of each market that has a series: its year as a line, the window highlighted.

    One figure is drawn again and again, which is what makes it fast.
    """
    figure = new_figure(SPARK_WIDTH, SPARK_HEIGHT)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.axis("off")
    (year,) = axes.plot([], [], color=LINE, linewidth=1.0)
    (week,) = axes.plot([], [], color=WEEK, linewidth=1.8, solid_capstyle="round")
    (end,) = axes.plot([], [], color=WEEK, marker="o", markersize=3.6, markeredgewidth=0)
    shade = Rectangle((0, 0), 1, SPARK_HEIGHT, color=SHADE, linewidth=0, zorder=0)
    axes.add_patch(shade)
    axes.set_xlim(0, SPARK_WIDTH)
    axes.set_ylim(0, SPARK_HEIGHT)
    charts: dict[str, str] = {}
    for number, market in enumerate(market for market in markets if len(market.days) > 1):
        across, up = _scaled(market.days, market.values)
        first = _window_start(market.days, window)
        year.set_data(across, up)
        week.set_data(across[first:], up[first:])
        end.set_data(across[-1:], up[-1:])
        shade.set_x(across[first])
        shade.set_width(SPARK_WIDTH - across[first])
        label = f"{market.market}, daily fixings over 52 weeks, the week highlighted"
        charts[market.market] = inline_svg(figure, f"year{number}", label, SPARK_COLOURS)
    return charts


def heat_map(name: str, movers: Sequence[Mover], missing: Sequence[str]) -> str:
    """Moves and z-scores of a group: a row a pair, shaded by sign and size, figures printed.

    `missing` are pairs without figures; they have a row that says so.
    """
    width = NAME_WIDTH + 2 * CELL_WIDTH
    height = HEAD + ROW * (len(movers) + len(missing))
    figure = new_figure(width, height)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.axis("off")
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    for column, title in enumerate(("move", "z-score")):
        _write(axes, NAME_WIDTH + CELL_WIDTH * (column + 0.5), HEAD / 2, title, FAINT)
    for number, row in enumerate(movers):
        top = HEAD + ROW * number
        _name(axes, top, row.market)
        _cell(axes, 0, top, print_figure(row.move, Unit.PERCENT), _step(row.move, FULL_MOVE))
        _cell(axes, 1, top, _z_words(row), _step(row.z_score, FULL_Z))
    for number, market in enumerate(missing, start=len(movers)):
        _name(axes, HEAD + ROW * number, market)
        _cell(axes, 0, HEAD + ROW * number, "missing", None)
        _cell(axes, 1, HEAD + ROW * number, "missing", None)
    label = f"Heat map of moves and z-scores, {name}; the figures stand in the movers table"
    return inline_svg(figure, f"heat{name}", label, _heat_colours())


def _scaled(days: Sequence[date], values: Sequence[Decimal]) -> tuple[numpy.ndarray, numpy.ndarray]:
    across = numpy.array([day.toordinal() for day in days], dtype=float)
    up = numpy.array([float(value) for value in values])
    room = numpy.ptp(up) or 1.0
    return (
        MARGIN + (across - across[0]) / numpy.ptp(across) * (SPARK_WIDTH - 2 * MARGIN),
        MARGIN + (up - up.min()) / room * (SPARK_HEIGHT - 2 * MARGIN),
    )


def _window_start(days: Sequence[date], window: TimeWindow) -> int:
    """The last fixing before the window, from which the week's move is counted."""
    start = window.start.date()
    return max(sum(day <= start for day in days) - 1, 0)


def _step(value: Decimal | None, full: float) -> int | None:
    if value is None:
        return None
    return max(-STEPS, min(STEPS, round(float(value) / full * STEPS)))


def _z_words(row: Mover) -> str:
    if row.z_score is None:
        return NO_FIGURE
    return print_figure(row.z_score, Unit.STANDARD_DEVIATIONS)


def _fill(step: int | None) -> str:
    return EMPTY if step is None else f"#0303{step + STEPS:02x}"


def _ink(step: int | None) -> str:
    return FAINT if step is None else f"#0404{step + STEPS:02x}"


def _heat_colours() -> Mapping[str, str]:
    steps = range(-STEPS, STEPS + 1)
    fills = {_fill(step): f"var(--heat{step + STEPS})" for step in steps}
    inks = {_ink(step): f"var(--heat-ink{step + STEPS})" for step in steps}
    return {INK: "var(--ink)", FAINT: "var(--faint)", EMPTY: "var(--shade)", **fills, **inks}


def _cell(axes: Axes, column: int, top: float, words: str, step: int | None) -> None:
    left = NAME_WIDTH + CELL_WIDTH * column
    box = Rectangle((left + 1, top + 1), CELL_WIDTH - 2, ROW - 2, linewidth=0, color=_fill(step))
    axes.add_patch(box)
    _write(axes, left + CELL_WIDTH / 2, top + ROW / 2, typographic(words), _ink(step))


def _name(axes: Axes, top: float, market: str) -> None:
    axes.text(0, top + ROW / 2, market, color=INK, size=12.5, va="center_baseline", ha="left")


def _write(axes: Axes, x: float, y: float, words: str, colour: str) -> None:
    axes.text(x, y, words, color=colour, size=12.5, va="center_baseline", ha="center")


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
LINE_INK: Final = "#050504"
LINE_FAINT: Final = "#050505"
COLOURS: Final = {
    GRID: "var(--rule)",
    DIAGONAL: "var(--line)",
    DOT: "var(--accent)",
    LINE_INK: "var(--ink)",
    LINE_FAINT: "var(--faint)",
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
        axes.text(LEFT + at, BELOW - 6, words, color=LINE_FAINT, size=10.5, va="top", ha="center")
        axes.text(LEFT - 6, BELOW + at, words, color=LINE_FAINT, size=10.5, va="center", ha="right")
    axes.plot(
        [LEFT, LEFT + SIDE], [BELOW, BELOW + SIDE], color=DIAGONAL, linewidth=1, linestyle="--"
    )
    middle = LEFT + SIDE / 2
    axes.text(
        middle,
        2,
        "how likely that was said to be",
        color=LINE_INK,
        size=11,
        va="bottom",
        ha="center",
    )


def _dot(axes: Axes, each: CalibrationBin, most: int) -> None:
    x, y = LEFT + SIDE * each.mean, BELOW + SIDE * each.rose / each.count
    radius = max(LEAST_RADIUS, MOST_RADIUS * (each.count / most) ** 0.5)
    axes.add_patch(Circle((x, y), radius, facecolor=DOT, edgecolor="none", zorder=3))
    axes.text(
        x,
        y + radius + 2,
        f"{each.count}",
        color=LINE_INK,
        size=10.5,
        va="bottom",
        ha="center",
        zorder=4,
    )


def _label(bins: Sequence[CalibrationBin]) -> str:
    told = "; ".join(
        f"forecast {each.mean:.0%}, higher {each.rose} of {each.count} times" for each in bins
    )
    return f"Calibration of the forecasts: {told}"
