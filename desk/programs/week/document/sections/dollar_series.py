"""The dollar index day by day, of the series that a report carries."""

from collections.abc import Iterable
from datetime import date
from decimal import Decimal

from desk.analytics.prices.dollar_index import PAIRS, index_of_pairs
from desk.contracts.week.report import MarketReport


def index_series(
    sections: Iterable[MarketReport],
) -> tuple[tuple[date, ...], tuple[Decimal, ...]]:
    """The days on which all six pairs of the index have a fixing, oldest first, and the index."""
    series = {
        section.market: dict(zip(section.days, section.values, strict=True))
        for section in sections
        if section.market in PAIRS.values()
    }
    if len(series) < len(PAIRS):
        return (), ()
    days = sorted(set.intersection(*(set(fixings) for fixings in series.values())))
    levels = ({pair: series[pair][day] for pair in series} for day in days)
    return tuple(days), tuple(index_of_pairs(each) for each in levels)
