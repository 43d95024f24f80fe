"""A stock's packaged series as it was known day by day, in stretches that one telling serves.

What a later day changes of the days before it: a split restates them, a hole cuts them off, a first
volume leaves out those without, a day without a range takes the ranges away, and another series can
be the newer one. Between two such days the series known then only grows.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import combinations, pairwise
from typing import NamedTuple

from desk.analytics.prices.fixings import LONGEST_GAP
from desk.analytics.technical.series import (
    NoPricesThen,
    PriceSeries,
    Traded,
    close_known_from,
    without_holes,
)
from desk.sources.analysis.prices import PriceStore


class Era(NamedTuple):
    """A stretch of calendar days from `since` to the next era, and the series known at its end.

    The series known on a day of it, at 22:00 UTC, is the part of `series` up to that day. Its own
    days with prices stand there from the place `first` on; there may be none.
    """

    since: date
    first: int
    series: PriceSeries


def eras_of(store: PriceStore, symbol: str) -> tuple[Era, ...]:
    """All eras of a stock, oldest first; none where no package has its prices.

    Raises:
        NotInstalled: a package that has them is not there.
    """
    candidates = [traded for traded in store.packaged(symbol) if traded.bars]
    changes = sorted(set(_changes(candidates)))
    traded_on = sorted({bar.day for traded in candidates for bar in traded.bars})
    return tuple(
        era
        for since, following in pairwise([*changes, date.max])
        if (era := _era(store, symbol, since, _last(traded_on, since, following))) is not None
    )


def _era(store: PriceStore, symbol: str, since: date, last: date) -> Era | None:
    try:
        known = store.history(symbol, close_known_from(last))
    except NoPricesThen:
        return None
    series = without_holes(known)
    return Era(since, bisect_left(series.days, since), series)


def _last(traded_on: Sequence[date], since: date, following: date) -> date:
    """The last day of a stretch on which there could be a price, or its first where none is."""
    at = bisect_left(traded_on, following)
    return max(since, traded_on[at - 1]) if at else since


def _changes(candidates: Sequence[Traded]) -> Iterator[date]:
    """The days that can change what is known of the days before them, and perhaps others."""
    for traded in candidates:
        yield from (split.day for split in traded.splits)
        # Days without volume are there until the first day with one, and left out from then on.
        for bars in (traded.bars, [bar for bar in traded.bars if bar.volume]):
            yield from (bar.day for bar in bars[:1])
            yield from [bar.day for bar in bars if None in bar[1:5]][:1]
            yield from (b.day for a, b in pairwise(bars) if b.day - a.day > LONGEST_GAP)
    for one, other in combinations(candidates, 2):
        yield from _where_both_reach(one, other)


def _where_both_reach(one: Traded, other: Traded) -> Iterator[date]:
    """The days of two series from where the second begins to where the first has ended, and the
    next day after it: with volume as well, as days without may not count by then."""
    first = max(one.bars[0].day, other.bars[0].day)
    last = min(one.bars[-1].day, other.bars[-1].day)
    for traded in (one, other):
        for bars in (traded.bars, [bar for bar in traded.bars if bar.volume]):
            days = [bar.day for bar in bars]
            yield from days[bisect_left(days, first) : bisect_right(days, last) + 1]
