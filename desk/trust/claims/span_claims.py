"""Claims about the days that an analyst asked for, if these are not the task's window.

`price_claims` only covers the window of the run. So each answer also gives the figures of its own
days, and the claims' names say which days these are.
"""

from datetime import date
from typing import Final

from desk.analytics.figures import level_step
from desk.analytics.prices.price_view import view_prices
from desk.analytics.prices.series import Fixing, Fixings
from desk.contracts.findings.claims import Claim, Metric, span_id
from desk.contracts.markets import MarketSpec
from desk.trust.claims.price_claims import level_claim, span_move

FEWEST: Final = 2
"""Prices. A single one makes no span."""


def span_claims(
    prices: Fixings, spec: MarketSpec, evidence: str, window: tuple[date, date]
) -> tuple[Claim, ...]:
    """The first, last, highest and lowest price of a series, and its move from first to last.

    Prices that the desk takes for errors are left out. There are no claims if the series is the one
    that the window's own move is measured over.
    """
    if len(prices.items) < FEWEST:
        return ()
    first, last = prices.items[0], prices.items[-1]
    view, own = view_prices(prices, first.day, last.day), view_prices(prices, *window)
    if view is None or (own and (own.previous, own.last) == (first, last)):
        return ()
    suspects = {suspect.day for suspect in view.suspects}
    if suspects & {first.day, last.day}:
        return ()
    levels = _levels((first, last), (view.window_high, view.window_low), spec, evidence)
    return (*levels, span_move(*levels[:2]))


def _levels(
    ends: tuple[Fixing, Fixing], extremes: tuple[Fixing, Fixing], spec: MarketSpec, evidence: str
) -> tuple[Claim, ...]:
    (first, last), (highest, lowest) = ends, extremes
    step = level_step(last.value, spec.digits)
    levels = (
        (Metric.SPAN_START, first, None),
        (Metric.SPAN_END, last, None),
        (Metric.SPAN_HIGH, highest, "highest"),
        (Metric.SPAN_LOW, lowest, "lowest"),
    )
    return tuple(
        level_claim(
            spec, metric, fixing.value.quantize(step), fixing.day, evidence, formula
        ).model_copy(update={"claim_id": span_id(spec.market, metric, first.day, last.day)})
        for metric, fixing, formula in levels
    )
