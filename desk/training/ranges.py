"""Measures how often the price was within the range expected for four weeks later, week by week.

Each range is the one the desk would have given on the last day of a week, from the prices up to it;
the price four weeks later decides. The constants of the rule were chosen on the weeks of
`CHOSEN_BY` (`desk.analytics.technical.expected_range`), so only later weeks test it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

import numpy as np

from desk.analytics.prices.indicator_marks import WITHIN
from desk.analytics.technical.expected_range import (
    FEWEST_STARTS,
    FOUR_WEEKS,
    MOVES,
    expected_moves,
)
from desk.analytics.technical.measures import closes_of
from desk.analytics.technical.series import NoPrices, PriceSeries
from desk.sources.analysis.prices import PriceStore
from desk.sources.ecb.store import RatesStore

CHOSEN_BY: Final = range(2009, 2022)
"""The years whose weeks were used to choose the constants."""

_LAST_OF_ALL: Final = datetime(2199, 12, 31, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class RangesHeld:
    """The result for one market: how many weeks were tested, in how many of them the later price
    was within the range, the first and the last tested day, and the mean half-width of the ranges
    in percent."""

    market: str
    weeks: int
    held: int
    first: date
    last: date
    half_width: float

    @property
    def share(self) -> float:
        """The share of weeks whose range held."""
        return self.held / self.weeks


@dataclass(frozen=True, slots=True)
class Measured:
    """The measured markets, and why others are missing."""

    markets: tuple[RangesHeld, ...]
    missing: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The mean of the markets' shares."""
        return float(np.mean([each.share for each in self.markets]))


def measure(markets: Sequence[str], first_year: int, last_year: int) -> Measured:
    """Tests the ranges of some markets in the weeks of some years."""
    store = PriceStore(RatesStore())
    found: list[RangesHeld] = []
    missing: list[str] = []
    for market in markets:
        try:
            series = store.history(market, _LAST_OF_ALL)
        except NoPrices as error:
            missing.append(f"{market}: {error}")
            continue
        held = held_of(series, first_year, last_year)
        if held is None:
            missing.append(f"{market}: too few prices before these years, or none in them")
        else:
            found.append(held)
    return Measured(tuple(found), tuple(missing))


def held_of(series: PriceSeries, first_year: int, last_year: int) -> RangesHeld | None:
    """Tests the ranges of one market; returns None if none can be tested."""
    earliest = MOVES + FOUR_WEEKS + FEWEST_STARTS
    starts = [
        at
        for at in _ends_of_weeks(series.days)
        if at >= earliest and first_year <= series.days[at].year <= last_year
    ]
    starts = [at for at in starts if at + FOUR_WEEKS < len(series.days)]
    if not starts:
        return None
    closes = closes_of(series)
    moves = expected_moves(closes, MOVES)
    gone = np.abs(np.log(closes[FOUR_WEEKS:] / closes[:-FOUR_WEEKS]))
    widths = [float(moves[at - MOVES]) for at in starts]
    held = sum(bool(gone[at] <= width) for at, width in zip(starts, widths, strict=True))
    days = series.days[starts[0]], series.days[starts[-1]]
    return RangesHeld(series.symbol, len(starts), held, *days, 100 * float(np.mean(widths)))


def _ends_of_weeks(days: Sequence[date]) -> Iterator[int]:
    """Yields the places of the last day of each week."""
    for at in range(len(days) - 1):
        if days[at].isocalendar()[:2] != days[at + 1].isocalendar()[:2]:
            yield at


def lines(found: Measured) -> Iterator[str]:
    """Yields the table for people, and how it was measured."""
    yield (
        f"Ranges called {100 * WITHIN:.0f} %, week by week: how often the price was within them"
        f" four weeks later. The rule's constants were chosen by the weeks of {CHOSEN_BY.start} to"
        f" {CHOSEN_BY.stop - 1}; each week's range rests on the prices up to it alone."
    )
    yield ""
    yield f"{'market':<10}{'weeks':>7}{'held':>9}{'half width':>13}   from         to"
    for each in found.markets:
        yield (
            f"{each.market:<10}{each.weeks:>7}{100 * each.share:>7.1f} %{each.half_width:>11.2f} %"
            f"   {each.first}   {each.last}"
        )
    if found.markets:
        yield f"{'all':<10}{sum(m.weeks for m in found.markets):>7}{100 * found.share:>7.1f} %"
        yield ""
        yield (
            "Four weeks overlap: of one market some "
            f"{max(m.weeks for m in found.markets) // 4} spans are apart, so that a share lies "
            f"within {_noise(found):.0f} points of {100 * WITHIN:.0f} in 19 of 20 cases by chance."
        )
    yield from found.missing


def _noise(found: Measured) -> float:
    spans = max(each.weeks for each in found.markets) / 4
    return float(196 * np.sqrt(WITHIN * (1 - WITHIN) / spans))
