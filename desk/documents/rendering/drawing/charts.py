"""The charts of a report: lines over a year, small and large, and the outcomes of forecasts."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from itertools import chain, pairwise
from typing import Final

from desk.contracts.learning.lessons import CalibrationBin
from desk.contracts.week.report import MarketReport
from desk.contracts.weeks import TimeWindow
from desk.documents.rendering.drawing.forecasts import DrawnRange, draw_ranges, draw_results
from desk.documents.rendering.drawing.svg import (
    DASHED,
    DOTTED,
    Drawing,
    Point,
    corners,
)

SPARK_WIDTH: Final = 300
SPARK_HEIGHT: Final = 56
MARGIN: Final = 4

LINE: Final = "var(--line)"
WEEK: Final = "var(--accent)"
SHADE: Final = "var(--shade)"

UPSIDE_DOWN: Final = ", drawn upside down"
"""The note in the label of a chart that is drawn upside down."""

SMALL_CHART: Final = (380, 150)
LARGE_CHART: Final = (640, 240)
PLOT_BELOW: Final = 18
PLOT_RIGHT: Final = 52
SMALL: Final = 20
LARGE: Final = 1_000
"""Below the first level a chart shows four decimals, from the second on none."""
LEAST_SHADE: Final = 2
"""The minimum width of the shaded week, so that it is visible at the end of the line."""
LEAST_GAP: Final = 12
"""The minimum distance between two labels beside the line."""
MONTH_UP: Final = 5.522
"""The height of the months' names."""
LEVEL_DOWN: Final = 4.179
"""The distance from a level's height down to the baseline of its digits, so that their middle is at
the level."""
GRID: Final = "var(--rule)"
FAINT: Final = "var(--faint)"
INK: Final = "var(--ink)"


def sparklines(
    markets: Iterable[MarketReport], window: TimeWindow, turned: Collection[str] = ()
) -> dict[str, str]:
    """Draws a chart of each market with a series: its year as a line, with the window highlighted.
    Charts that are `turned` are drawn upside down, and their labels say so."""
    drawn = (market for market in markets if len(market.days) > 1)
    return {
        market.market: _sparkline(market, window, f"year{number}", market.market in turned)
        for number, market in enumerate(drawn)
    }


def _sparkline(market: MarketReport, window: TimeWindow, name: str, turned: bool) -> str:
    drawing = Drawing(SPARK_WIDTH, SPARK_HEIGHT)
    points = list(_scaled(market.days, market.values, turned=turned))
    week = points[_window_start(market.days, window) :]
    drawing.areas([corners((week[0][0], 0), (SPARK_WIDTH, SPARK_HEIGHT))], SHADE)
    drawing.line(points, LINE, 1.0)
    drawing.line(week, WEEK, 1.8)
    drawing.dot(points[-1], 1.8, WEEK)
    label = f"{market.market}, daily fixings over 52 weeks, the week highlighted"
    return drawing.svg(name, label + UPSIDE_DOWN if turned else label)


def year_chart(
    name: str,
    label: str,
    days: Sequence[date],
    values: Sequence[Decimal],
    window: TimeWindow,
    *,
    size: tuple[int, int] = SMALL_CHART,
    marks: Sequence[date] = (),
    in_steps: bool = False,
    ranges: Sequence[DrawnRange] = (),
    first: date | None = None,
) -> str:
    """Draws a line over a year with its months, its highest and lowest value, and the window marked
    where the line reaches into it.

    Days of `marks` have a dashed line; `ranges` are the forecasts. With `in_steps` a value, in
    percent, is constant until the next one. `first` is the first day of the year, if the line
    begins later. `name` is unique within the page; `label` is for screen readers. Needs at least
    two days.
    """
    drawing = Drawing(*size)
    place = _YearPlot((first or days[0], days[-1]), values, ranges, size)
    begins = max(_window_day(days, window, in_steps=in_steps), days[0])
    reaches = in_steps or days[-1] > window.start.date()
    if reaches:
        _shade(drawing, place, begins, days[-1])
    draw_ranges(drawing, ranges, place.across, place.up)
    for day in marks:
        if place.first <= day <= place.last:
            ends = [(place.across(day), up) for up in (PLOT_BELOW, place.height)]
            drawing.line(ends, WEEK, 0.9, dashes=DASHED)
    _months(drawing, place)
    _levels(drawing, place, values, _rate if in_steps else _level)
    points = [*zip(days, values, strict=True)]
    _line(drawing, place, points, begins if reaches else None, in_steps=in_steps)
    draw_results(drawing, ranges, place.across, place.up)
    return drawing.svg(name, label)


def _shade(drawing: Drawing, place: "_YearPlot", begins: date, last: date) -> None:
    """Draws the shaded week behind the line."""
    start = place.across(begins)
    end = max(place.across(last), start + LEAST_SHADE)
    drawing.areas([corners((start, PLOT_BELOW), (end, place.height))], SHADE)


def _line(
    drawing: Drawing,
    place: "_YearPlot",
    points: Sequence[tuple[date, Decimal]],
    begins: date | None,
    *,
    in_steps: bool,
) -> None:
    """Draws the line of the year, with the part from the start of the week emphasised."""
    parts = [(points, LINE, 1.2)]
    if begins is not None:
        before = [value for day, value in points if day <= begins]
        of_week = [(begins, before[-1]), *((day, value) for day, value in points if day > begins)]
        parts.append((of_week, WEEK, 2.2))
    for part, colour, width in parts:
        placed = [(place.across(day), place.up(value)) for day, value in part]
        drawing.line(_stepped(placed) if in_steps else placed, colour, width)
    if begins is None:
        return
    day, value = points[-1]
    drawing.dot((place.across(day), place.up(value)), 2.25, WEEK)


def _stepped(points: Sequence[Point]) -> list[Point]:
    """Returns the points of a line on which each value is constant until the next one."""
    held = ((later[0], each[1]) for each, later in pairwise(points))
    return [*chain.from_iterable(zip(points, held, strict=False)), points[-1]]


def _window_day(days: Sequence[date], window: TimeWindow, *, in_steps: bool) -> date:
    """Returns the start of the week: the fixing that its move is counted from, or the calendar
    day."""
    return window.start.date() if in_steps else days[_window_start(days, window)]


def _levels(
    drawing: Drawing,
    place: "_YearPlot",
    values: Sequence[Decimal],
    format_value: Callable[[Decimal], str],
) -> None:
    """Draws the labels of the highest and lowest value, and of the last one if there is room."""
    ends = dict.fromkeys((max(values), min(values)))
    for value in ends:
        up = place.up(value)
        drawing.line([(0, up), (place.width - PLOT_RIGHT, up)], GRID, 0.8, dashes=DOTTED)
        _label_right(drawing, place.width, up, format_value(value), FAINT)
    last = place.up(values[-1])
    if all(abs(last - place.up(value)) > LEAST_GAP for value in ends):
        _label_right(drawing, place.width, last, format_value(values[-1]), WEEK)


def _level(value: Decimal) -> str:
    """Formats a level for a label, with about five digits."""
    digits = 4 if abs(value) < SMALL else 2 if abs(value) < LARGE else 0
    return f"{value:,.{digits}f}"


def _rate(value: Decimal) -> str:
    """Formats a policy rate for a label."""
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
        """Returns the distance of a day from the left."""
        share = (day - self.first).days / (self.last - self.first).days
        return MARGIN + share * (self.width - PLOT_RIGHT - 2 * MARGIN)

    def up(self, value: Decimal) -> float:
        """Returns the distance of a value from the bottom."""
        share = (float(value) - self._low) / self._room
        return PLOT_BELOW + 2 * MARGIN + share * (self.height - PLOT_BELOW - 4 * MARGIN)


def _months(drawing: Drawing, place: _YearPlot) -> None:
    """Draws the names of every other month below the line."""
    month = date(place.first.year, place.first.month, 1)
    while month <= place.last:
        if month >= place.first and month.month % 2:
            words = f"{month:%b}" if month.month > 1 else f"{month:%b %Y}"
            drawing.words((place.across(month), MONTH_UP), words, FAINT, 10.5, "start")
        month = date(month.year + month.month // 12, month.month % 12 + 1, 1)


def _label_right(drawing: Drawing, across: float, up: float, words: str, colour: str) -> None:
    drawing.words((across, up - LEVEL_DOWN), words, colour, 11, "end")


def _scaled(days: Sequence[date], values: Sequence[Decimal], *, turned: bool) -> Iterator[Point]:
    low, high = float(min(values)), float(max(values))
    room, span = high - low or 1.0, (days[-1] - days[0]).days
    for day, value in zip(days, values, strict=True):
        across = MARGIN + (day - days[0]).days / span * (SPARK_WIDTH - 2 * MARGIN)
        up = MARGIN + (float(value) - low) / room * (SPARK_HEIGHT - 2 * MARGIN)
        yield across, SPARK_HEIGHT - up if turned else up


def _window_start(days: Sequence[date], window: TimeWindow) -> int:
    """Returns the last fixing before the window, from which the week's move is counted."""
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


def calibration_chart(bins: Sequence[CalibrationBin]) -> str:
    """Draws a dot for each bin of probabilities, larger with more forecasts, with their number
    above it.

    On the diagonal an outcome was as frequent as forecast; above it more frequent, below it less.
    """
    drawing = Drawing(LEFT + SIDE + RIGHT, BELOW + SIDE + ABOVE)
    _frame(drawing)
    most = max((each.count for each in bins), default=1)
    for each in bins:
        if each.count:
            _dot(drawing, each, most)
    return drawing.svg("calibration", _label(bins))


def _frame(drawing: Drawing) -> None:
    right, top = LEFT + SIDE, BELOW + SIDE
    drawing.frame((LEFT, BELOW), (right, top), GRID)
    for tick in TICKS:
        at = SIDE * tick
        drawing.line([(LEFT + at, BELOW), (LEFT + at, top)], GRID, 0.7)
        drawing.line([(LEFT, BELOW + at), (right, BELOW + at)], GRID, 0.7)
        words = f"{tick:.0%}".replace("%", "\u00a0%")
        drawing.words((LEFT + at, BELOW - 14), words, FAINT, 10.5, "middle")
        drawing.words((LEFT - 6, BELOW + at - 3), words, FAINT, 10.5, "end")
    drawing.line([(LEFT, BELOW), (right, top)], LINE, 1, dashes=DASHED)
    middle = LEFT + SIDE / 2
    drawing.words((middle, 5), "how likely that was said to be", INK, 11, "middle")


def _dot(drawing: Drawing, each: CalibrationBin, most: int) -> None:
    x, y = LEFT + SIDE * each.mean, BELOW + SIDE * each.rose / each.count
    radius = max(LEAST_RADIUS, MOST_RADIUS * (each.count / most) ** 0.5)
    drawing.dot((x, y), radius, WEEK)
    drawing.words((x, y + radius + 4), f"{each.count}", INK, 10.5, "middle")


def _label(bins: Sequence[CalibrationBin]) -> str:
    bin_words = "; ".join(
        f"forecast {each.mean:.0%}, higher {each.rose} of {each.count} times" for each in bins
    )
    return f"Calibration of the forecasts: {bin_words}"
