"""The charts of a report: lines over a year, small and large, and the outcomes of forecasts."""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, Literal

import numpy
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Rectangle
from matplotlib.text import Text

from desk.contracts.learning.lessons import CalibrationBin
from desk.contracts.week.report import MarketReport
from desk.contracts.weeks import TimeWindow
from desk.documents.rendering.drawing.forecasts import RANGE_COLOURS, DrawnRange, draw_ranges
from desk.documents.rendering.drawing.svg import UPSIDE_DOWN, inline_svg, new_figure

SPARK_WIDTH: Final = 300
SPARK_HEIGHT: Final = 56
MARGIN: Final = 4

LINE: Final = "#010101"
WEEK: Final = "#010102"
SHADE: Final = "#010103"
SPARK_COLOURS: Final = {LINE: "var(--line)", WEEK: "var(--accent)", SHADE: "var(--shade)"}

SMALL_CHART: Final = (380, 150)
LARGE_CHART: Final = (640, 240)
PLOT_BELOW: Final = 18
PLOT_RIGHT: Final = 52
SMALL: Final = 20
LARGE: Final = 1_000
"""Below the first level a chart shows four decimals, from the second on none."""
LEAST_SHADE: Final = 2
"""The least width of the shaded week, so that it is visible at the end of the line."""
LEAST_GAP: Final = 12
"""The least distance between two labels beside the line."""
MONTH_UP: Final = 5.522
"""The height of the months' names."""
LEVEL_DOWN: Final = 4.179
"""The distance from a level's height down to the baseline of its digits, so that their middle is at
the level."""
YEAR_GRID: Final = "#020201"
YEAR_FAINT: Final = "#020202"
YEAR_COLOURS: Final = {
    **SPARK_COLOURS,
    **RANGE_COLOURS,
    YEAR_GRID: "var(--rule)",
    YEAR_FAINT: "var(--faint)",
}


def sparklines(
    markets: Iterable[MarketReport], window: TimeWindow, turned: Collection[str] = ()
) -> dict[str, str]:
    """A chart of each market with a series: its year as a line, with the window highlighted. Charts
    that are `turned` are drawn upside down, and say so.

    One figure is reused for all charts, which makes this fast.
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
        if market.market in turned:
            up = SPARK_HEIGHT - up
        first = _window_start(market.days, window)
        year.set_data(across, up)
        week.set_data(across[first:], up[first:])
        end.set_data(across[-1:], up[-1:])
        shade.set_x(across[first])
        shade.set_width(SPARK_WIDTH - across[first])
        label = f"{market.market}, daily fixings over 52 weeks, the week highlighted"
        label += UPSIDE_DOWN if market.market in turned else ""
        charts[market.market] = inline_svg(figure, f"year{number}", label, SPARK_COLOURS)
    return charts


class YearCanvas:
    """Draws the year charts of one size, one after another. Reusing the axes saves half of the time
    of a chart."""

    def __init__(self, size: tuple[int, int] = SMALL_CHART) -> None:
        self._size = size
        self._figure = new_figure(*size)
        self._axes = self._figure.add_axes((0, 0, 1, 1))
        self._axes.axis("off")
        self._axes.set_xlim(0, size[0])
        self._axes.set_ylim(0, size[1])

    def chart(
        self,
        name: str,
        label: str,
        days: Sequence[date],
        values: Sequence[Decimal],
        window: TimeWindow,
        *,
        marks: Sequence[date] = (),
        in_steps: bool = False,
        ranges: Sequence[DrawnRange] = (),
        first: date | None = None,
    ) -> str:
        """A line over a year with its months, its highest and lowest value, and the window marked.

        Days of `marks` have a dashed line; `ranges` are the forecasts. With `in_steps` a value, in
        percent, holds until the next one. `first` is the first day of the year, if the line begins
        later. `name` is unique within the page; `label` is for screen readers. Needs at least two
        days.
        """
        axes = self._axes
        for drawn in (*axes.lines, *axes.patches, *axes.texts):
            drawn.remove()
        span = (first or days[0], days[-1])
        place = _YearPlot(span, values, ranges, self._size)
        _months(axes, place)
        begins = max(_window_day(days, window, in_steps=in_steps), days[0])
        self._shade(place, begins, days[-1])
        for day in marks:
            if place.first <= day <= place.last:
                at = [place.across(day)] * 2
                edge = [PLOT_BELOW, place.height]
                axes.add_artist(Line2D(at, edge, color=WEEK, linewidth=0.9, linestyle="--"))
        draw_ranges(axes, ranges, place.across, place.up)
        _line(axes, place, [*zip(days, values, strict=True)], begins, in_steps=in_steps)
        _levels(axes, place, values, _rate if in_steps else _level)
        for drawn in axes.get_children():
            # Nothing reaches beyond the chart, and what is not cut needs no address to be cut by.
            drawn.set_clip_on(False)
        return inline_svg(self._figure, name, label, YEAR_COLOURS)

    def _shade(self, place: "_YearPlot", begins: date, last: date) -> None:
        """The shaded week behind the line."""
        start = place.across(begins)
        width = max(place.across(last) - start, LEAST_SHADE)
        height = place.height - PLOT_BELOW
        shade = Rectangle((start, PLOT_BELOW), width, height, color=SHADE, linewidth=0, zorder=0)
        self._axes.add_artist(shade)


def _line(
    axes: Axes,
    place: "_YearPlot",
    points: Sequence[tuple[date, Decimal]],
    begins: date,
    *,
    in_steps: bool,
) -> None:
    """The line of the year, with the part from the start of the week emphasised."""
    before = [value for day, value in points if day <= begins]
    of_week = [(begins, before[-1]), *((day, value) for day, value in points if day > begins)]
    for part, colour, width in ((points, LINE, 1.2), (of_week, WEEK, 2.2)):
        across = [place.across(day) for day, _ in part]
        up = [place.up(value) for _, value in part]
        style: Literal["steps-post", "default"] = "steps-post" if in_steps else "default"
        axes.add_artist(Line2D(across, up, color=colour, linewidth=width, drawstyle=style))
    day, value = points[-1]
    end = ([place.across(day)], [place.up(value)])
    axes.add_artist(Line2D(*end, color=WEEK, marker="o", markersize=4.5, markeredgewidth=0))


def _window_day(days: Sequence[date], window: TimeWindow, *, in_steps: bool) -> date:
    """The start of the week: the fixing that its move is counted from, or the calendar day."""
    return window.start.date() if in_steps else days[_window_start(days, window)]


def _levels(
    axes: Axes, place: "_YearPlot", values: Sequence[Decimal], told: Callable[[Decimal], str]
) -> None:
    """The labels of the highest and lowest value, and of the last one if there is room."""
    ends = dict.fromkeys((max(values), min(values)))
    for value in ends:
        across, up = [0, place.width - PLOT_RIGHT], [place.up(value)] * 2
        axes.add_artist(Line2D(across, up, color=YEAR_GRID, linewidth=0.8, linestyle=":"))
        _label_right(axes, place.width, place.up(value), told(value), YEAR_FAINT)
    last = place.up(values[-1])
    if all(abs(last - place.up(value)) > LEAST_GAP for value in ends):
        _label_right(axes, place.width, last, told(values[-1]), WEEK)


def _level(value: Decimal) -> str:
    """The label of a level, with about five digits."""
    digits = 4 if abs(value) < SMALL else 2 if abs(value) < LARGE else 0
    return f"{value:,.{digits}f}"


def _rate(value: Decimal) -> str:
    """The label of a policy rate."""
    return f"{value:.2f}\u00a0%"


class _YearPlot:
    """The position of days and values in the chart of a year."""

    def __init__(
        self,
        span: tuple[date, date],
        values: Sequence[Decimal],
        ranges: Sequence[DrawnRange],
        size: tuple[int, int],
    ) -> None:
        reached = [*values, *(end for each in ranges for end in (each.low, each.high))]
        self.first = span[0]
        self.last = max((span[1], *(each.day for each in ranges)))
        self.width, self.height = size
        self._low = float(min(reached))
        self._room = float(max(reached)) - self._low or 1.0

    def across(self, day: date) -> float:
        """The distance of a day from the left."""
        share = (day - self.first).days / (self.last - self.first).days
        return MARGIN + share * (self.width - PLOT_RIGHT - 2 * MARGIN)

    def up(self, value: Decimal) -> float:
        """The distance of a value from the bottom."""
        share = (float(value) - self._low) / self._room
        return PLOT_BELOW + 2 * MARGIN + share * (self.height - PLOT_BELOW - 4 * MARGIN)


def _months(axes: Axes, place: _YearPlot) -> None:
    """The names of every other month below the line."""
    month = date(place.first.year, place.first.month, 1)
    while month <= place.last:
        if month >= place.first and month.month % 2:
            words = f"{month:%b}" if month.month > 1 else f"{month:%b %Y}"
            at = (place.across(month), MONTH_UP)
            axes.add_artist(_Label(*at, words, color=YEAR_FAINT, size=10.5, ha="left"))
        month = date(month.year + month.month // 12, month.month % 12 + 1, 1)


def _label_right(axes: Axes, across: float, up: float, words: str, colour: str) -> None:
    axes.add_artist(_Label(across, up - LEVEL_DOWN, words, color=colour, size=11, ha="right"))


class _Label(Text):
    """Text on one line that starts or ends at a position.

    Matplotlib would measure the text first, in a font that is not the page's, which takes half of
    the time of a chart.
    """

    def draw(self, renderer: RendererBase) -> None:
        """See base class."""
        across, up = self.get_transform().transform(self.get_unitless_position())
        _, height = renderer.get_canvas_width_height()
        style = renderer.new_gc()
        style.set_foreground(self.get_color())
        renderer.open_group("text", self.get_gid())
        words, font, angle = self.get_text(), self.get_fontproperties(), self.get_rotation()
        renderer.draw_text(style, across, height - up, words, font, angle, mtext=self)
        renderer.close_group("text")
        style.restore()


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
    """A dot for each bin of probabilities, larger with more forecasts, with their number above it.

    On the diagonal an outcome was as frequent as forecast; above it more frequent, below it less.
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
