"""Counts the outcomes of past situations like the present one: in a band, and at a bank's
decisions.

Nothing is fitted. A share is a count over a count that is given with it. If something never
happened, the highest probability that the number of cases allows is given too.
"""

import itertools
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final

from desk.analytics.prices.pegs import Peg
from desk.analytics.technical.series import PriceSeries
from desk.contracts.findings.claims import Metric

SPAN: Final = 20
"""Closes, which are four weeks."""

THIRDS: Final = 3
CENT: Final = Decimal("0.01")

CHANCE: Final = 0.05

BAND_METHOD: Final = (
    f"band_spans: the consecutive spans of {SPAN} closes back to the day on which the band was "
    "announced. band_starts, for a band with two edges: the spans that began in the same third of "
    "the band as the last price; the shares of these that ended in the lower, middle and upper "
    "third are in percent. band_outside: the spans that ended outside the band. band_break_most, "
    f"if none did: the upper bound of the probability at {CHANCE:.0%}, 1 - 0.05^(1/n) for n spans "
    "(Clopper and Pearson, 1934)."
)

DECISION_METHOD: Final = (
    "decision_starts: the bank's recorded meetings whose previous meeting had the same outcome as "
    "the last known one (a rise, a cut, or no change). raised_share, cut_share and held_share: "
    "what these meetings decided, in percent."
)

Figures = dict[Metric, Decimal]


def band_figures(series: PriceSeries, peg: Peg) -> Figures:
    """How four-week spans in a band have ended. Empty if the band is younger than that."""
    closes = [
        close
        for day, close in zip(series.days, series.closes, strict=True)
        if day >= peg.announced.date()
    ]
    ends = closes[::-1][::SPAN][::-1]
    spans = list(itertools.pairwise(ends))
    if not spans:
        return {}
    outside = sum(_is_outside(end, peg) for _, end in spans)
    figures: Figures = {
        Metric.BAND_SPANS: Decimal(len(spans)),
        Metric.BAND_OUTSIDE: _percent(outside, len(spans)),
    }
    if not outside:
        most = Decimal(str(100 * (1 - CHANCE ** (1 / len(spans)))))
        figures[Metric.BAND_BREAK_MOST] = most.quantize(CENT)
    return figures | _by_thirds(spans, peg, series.last)


def _by_thirds(spans: Sequence[tuple[Decimal, Decimal]], peg: Peg, last: Decimal) -> Figures:
    if peg.low is None or peg.high is None or _is_outside(last, peg):
        return {}
    now = _third(last, peg)
    ends = [_third(end, peg) for start, end in spans if _third(start, peg) == now]
    if not ends:
        return {}
    metrics = (Metric.BAND_ENDED_LOW, Metric.BAND_ENDED_MIDDLE, Metric.BAND_ENDED_HIGH)
    shares = {m: _percent(ends.count(third), len(ends)) for third, m in enumerate(metrics)}
    return {Metric.BAND_STARTS: Decimal(len(ends)), **shares}


def _third(price: Decimal, peg: Peg) -> int | None:
    """0 for the lower third, 2 for the upper. None outside."""
    if peg.low is None or peg.high is None or _is_outside(price, peg):
        return None
    place = int((price - peg.low) / (peg.high - peg.low) * THIRDS)
    return max(0, min(THIRDS - 1, place))


def _is_outside(price: Decimal, peg: Peg) -> bool:
    """Compared at the precision of the distance, because a cross of two rounded fixings is off by
    as much."""
    return edge_distance(price, peg).quantize(CENT) < 0


def edge_distance(price: Decimal, peg: Peg) -> Decimal:
    """The distance of a price from the nearest edge of a band, in percent of that edge. Negative
    outside."""
    to_low = (price / peg.low - 1) * 100 if peg.low is not None else None
    to_high = (1 - price / peg.high) * 100 if peg.high is not None else None
    return min(each for each in (to_low, to_high) if each is not None)


def decision_figures(changes: Iterable[Decimal]) -> Figures:
    """What a bank decided after meetings like its last one. Empty if there was none.

    Args:
        changes: The changes of its meetings, oldest first; 0 if nothing changed.
    """
    ways = [(change > 0) - (change < 0) for change in changes]
    if not ways:
        return {}
    after = [then for before, then in itertools.pairwise(ways) if before == ways[-1]]
    if not after:
        return {}
    shares = ((Metric.HELD_SHARE, 0), (Metric.RAISED_SHARE, 1), (Metric.CUT_SHARE, -1))
    figures = {metric: _percent(after.count(way), len(after)) for metric, way in shares}
    return {Metric.DECISION_STARTS: Decimal(len(after)), **figures}


def _percent(count: int, of: int) -> Decimal:
    return (Decimal(100 * count) / of).quantize(CENT)
