"""How often a stock's price was higher at the end of the horizon, in its own past."""

from bisect import bisect_right
from datetime import date, timedelta
from typing import Final, NamedTuple

from desk.contracts.episode.analysis import PriceHistory

FEWEST_SPANS: Final = 4
"""A past with fewer horizons in a row does not give a rate."""


class BaseRate(NamedTuple):
    """Of `starts` days from `first` to `last`, the price `rose` times was higher at the end of the
    horizon. `apart` is how many such spans fit between them without overlap."""

    rose: int
    starts: int
    first: date
    last: date
    apart: int

    @property
    def share(self) -> float:
        """The share that rose, from 0 to 1."""
        return self.rose / self.starts


def base_rate(history: PriceHistory, weeks: int, known_on: date) -> BaseRate | None:
    """Counts the days whose horizon was over by a day, using no later prices.

    A span ends with the last close of its horizon. Returns None if the past is shorter than
    `FEWEST_SPANS` horizons.
    """
    known = bisect_right(history.days, known_on)
    days, closes = history.days[:known], history.closes[:known]
    horizon = timedelta(weeks=weeks)
    starts = [place for place, day in enumerate(days) if day + horizon <= days[-1]]
    if not starts or days[-1] - days[0] < FEWEST_SPANS * horizon:
        return None
    ends = (bisect_right(days, days[place] + horizon) - 1 for place in starts)
    return BaseRate(
        rose=sum(closes[end] > closes[place] for place, end in zip(starts, ends, strict=True)),
        starts=len(starts),
        first=days[starts[0]],
        last=days[starts[-1]],
        apart=(days[-1] - days[0]) // horizon,
    )
