"""A year of a stock in three panels: closes with averages and bands, volume, and the RSI.

Everything is computed from the closes, by the same conventions as the blackboard's figures: simple
averages, bands of two population standard deviations around the 20-day average, and Wilder's index
over 14 days.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from desk.analytics.figures import MONTHS, print_full_day
from desk.analytics.prices.indicator_marks import OVERBOUGHT, OVERSOLD
from desk.contracts.episode.analysis import PriceHistory
from desk.documents.rendering.drawing.plotted import inline_svg, new_figure

Series = numpy.ndarray[tuple[int], numpy.dtype[numpy.float64]]

WIDTH: Final = 760
RIGHT: Final = 44
"""The scales are on the right, beside the newest prices, which a narrow screen shows first."""
TOP: Final = 22
BOTTOM: Final = 20
GAP: Final = 12
PRICE_HEIGHT, VOLUME_HEIGHT, RSI_HEIGHT = 220, 46, 70
YEAR: Final = timedelta(days=366)
SHORT, LONG, BAND, SPREAD, RSI_DAYS = 50, 200, 20, 2.0, 14
FEWEST: Final = 2
BANDS_NAME: Final = "Bollinger bands"

CLOSE, QUICK, SLOW, BANDS = "#050101", "#050102", "#050103", "#050104"
EDGE, VOLUME, STRENGTH, RULE, WORDS = "#050105", "#050106", "#050107", "#050108", "#050109"
COLOURS: Final = {
    CLOSE: "var(--ink)",
    QUICK: "var(--accent)",
    SLOW: "var(--down)",
    BANDS: "var(--shade)",
    EDGE: "var(--line)",
    VOLUME: "var(--line)",
    STRENGTH: "var(--accent)",
    RULE: "var(--rule)",
    WORDS: "var(--faint)",
}


def stock_chart(history: PriceHistory, until: date) -> str | None:
    """Draws the last year of the prices up to a day as an `<svg>` element; None with fewer than two
    prices.

    Averages and bands start when there are enough days. Without volumes there is no volume panel.
    Days after `until` are never drawn.
    """
    days = [day for day in history.days if day <= until]
    if len(days) < FEWEST or len(history.closes) < len(days):
        return None
    closes = numpy.array([float(close) for close in history.closes[: len(days)]])
    volumes = numpy.array([float(volume) for volume in history.volumes[: len(days)]])
    first = next(at for at, day in enumerate(days) if day >= days[-1] - YEAR)
    first = min(first, len(days) - FEWEST)
    across = numpy.array([float(day.toordinal()) for day in days])[first:]
    with_volume = len(volumes) == len(days) and bool(volumes[first:].any())
    figure, price, volume, strength = _panels(with_volume)
    _draw_price(price, across, closes, first)
    if volume is not None:
        _draw_volume(volume, across, volumes[first:])
    _draw_strength(strength, across, relative_strength(closes)[first:])
    for axes in filter(None, (price, volume, strength)):
        _mark_months(axes, days[first:], labelled=axes is strength)
    drawn = ["averages of 50 and 200 days and Bollinger bands"]
    drawn += ["volume below"] if with_volume else []
    span = f"{print_full_day(days[first])} to {print_full_day(days[-1])}"
    label = f"{history.symbol}, daily closes from {span} with {', '.join(drawn)}, RSI at the bottom"
    return inline_svg(figure, "prices", label, COLOURS)


def average(values: Series, days: int) -> Series:
    """Returns for each day the mean of it and the days before it; nan with too few days."""
    means = numpy.full(len(values), numpy.nan)
    if len(values) >= days:
        means[days - 1 :] = numpy.lib.stride_tricks.sliding_window_view(values, days).mean(axis=-1)
    return means


def deviation(values: Series, days: int) -> Series:
    """Returns the population standard deviation over the same days."""
    deviations = numpy.full(len(values), numpy.nan)
    if len(values) >= days:
        deviations[days - 1 :] = numpy.lib.stride_tricks.sliding_window_view(values, days).std(
            axis=-1
        )
    return deviations


def relative_strength(closes: Series) -> Series:
    """Returns Wilder's index, 0 to 100, and 50 without any move; nan for the first 14 days."""
    strength = numpy.full(len(closes), numpy.nan)
    moves = numpy.diff(closes)
    if len(moves) < RSI_DAYS:
        return strength
    up, down = numpy.clip(moves, 0, None), numpy.clip(-moves, 0, None)
    gain, loss = float(up[:RSI_DAYS].mean()), float(down[:RSI_DAYS].mean())
    for at in range(RSI_DAYS, len(closes)):
        if at > RSI_DAYS:
            gain += (float(up[at - 1]) - gain) / RSI_DAYS
            loss += (float(down[at - 1]) - loss) / RSI_DAYS
        strength[at] = 100 * gain / (gain + loss) if gain + loss else 50.0
    return strength


def _panels(with_volume: bool) -> tuple[Figure, Axes, Axes | None, Axes]:
    """Returns the figure and its panels, from the top."""
    middle = VOLUME_HEIGHT + GAP if with_volume else 0
    height = TOP + PRICE_HEIGHT + GAP + middle + RSI_HEIGHT + BOTTOM
    figure = new_figure(WIDTH, height)

    def panel(top: float, tall: float) -> Axes:
        bottom = 1 - (top + tall) / height
        axes = figure.add_axes((2 / WIDTH, bottom, 1 - (RIGHT + 2) / WIDTH, tall / height))
        axes.patch.set_visible(False)
        axes.yaxis.tick_right()
        for name, spine in axes.spines.items():
            spine.set_visible(name == "bottom")
            spine.set_color(RULE)
        axes.tick_params(length=0, labelsize=11, labelcolor=WORDS, pad=4)
        axes.grid(visible=True, axis="y", color=RULE, linewidth=0.7)
        axes.set_axisbelow(True)
        return axes

    price = panel(TOP, PRICE_HEIGHT)
    below = TOP + PRICE_HEIGHT + GAP
    volume = panel(below, VOLUME_HEIGHT) if with_volume else None
    return figure, price, volume, panel(below + middle, RSI_HEIGHT)


def _draw_price(axes: Axes, across: Series, closes: Series, first: int) -> None:
    middle, spread = average(closes, BAND), SPREAD * deviation(closes, BAND)
    low, high = (middle - spread)[first:], (middle + spread)[first:]
    if not numpy.isnan(low).all():
        axes.fill_between(across, low, high, color=BANDS, linewidth=0, label=BANDS_NAME)
        axes.plot(across, low, color=EDGE, linewidth=0.5)
        axes.plot(across, high, color=EDGE, linewidth=0.5)
    axes.plot(across, closes[first:], color=CLOSE, linewidth=1.3, label="close")
    for days, colour in ((SHORT, QUICK), (LONG, SLOW)):
        line = average(closes, days)[first:]
        if not numpy.isnan(line).all():
            axes.plot(across, line, color=colour, linewidth=1.2, label=f"SMA {days}")
    axes.yaxis.set_major_locator(MaxNLocator(5))
    handles, names = axes.get_legend_handles_labels()
    if BANDS_NAME in names:
        at = names.index(BANDS_NAME)
        handles.append(handles.pop(at))
        names.append(names.pop(at))
    axes.legend(
        handles,
        names,
        # Beside the newest prices, which a narrow screen shows first.
        loc="lower right",
        bbox_to_anchor=(1.01, 0.99),
        ncols=len(names),
        frameon=False,
        fontsize=11,
        labelcolor=WORDS,
        handlelength=1.4,
        handletextpad=0.5,
        columnspacing=1.4,
        borderpad=0.2,
    )


def _draw_volume(axes: Axes, across: Series, volumes: Series) -> None:
    axes.fill_between(across, volumes, step="mid", color=VOLUME, linewidth=0, alpha=0.5)
    axes.set_ylim(0, float(volumes.max()) * 1.3)
    axes.set_yticks([float(volumes.max())], [_count(float(volumes.max()))])
    _name(axes, "Volume")


def _draw_strength(axes: Axes, across: Series, strength: Series) -> None:
    axes.plot(across, strength, color=STRENGTH, linewidth=1.1)
    axes.set_ylim(0, 100)
    axes.set_yticks([OVERSOLD, OVERBOUGHT])
    _name(axes, "RSI 14")


def _name(axes: Axes, words: str) -> None:
    axes.text(
        0.006, 0.95, words, transform=axes.transAxes, color=WORDS, size=11, va="top", ha="left"
    )


def _mark_months(axes: Axes, days: Sequence[date], *, labelled: bool) -> None:
    first, last = days[0].toordinal(), days[-1].toordinal()
    axes.set_xlim(first, last + 1)
    starts = [
        day
        for year in range(days[0].year, days[-1].year + 1)
        for day in (date(year, month, 1) for month in range(1, 13))
        if first <= day.toordinal() <= last
    ]
    every = 1 if len(starts) <= 13 else 3
    shown = starts[::every]
    names = [
        f"{MONTHS[d.month - 1]} {d.year}" if d.month == 1 else MONTHS[d.month - 1] for d in shown
    ]
    axes.set_xticks([day.toordinal() for day in shown], names if labelled else [""] * len(shown))


def _count(value: float) -> str:
    """Returns a rounded count: `512 M`."""
    for size, sign in ((1e9, " bn"), (1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.0f}{sign}"
    return f"{value:.0f}"
