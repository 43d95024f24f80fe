"""Claims about the days that an analyst asked for, if these are not the task's window, and what is
counted of the days that a question asks about.

`price_claims` only covers the window of the run. So each answer also gives the figures of its own
days, and the claims' names contain these days.
"""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Final

from desk.analytics.figures import as_number, level_step
from desk.analytics.prices.counted import CountedDays, Step, counted_days, sound
from desk.analytics.prices.price_view import view_prices
from desk.analytics.prices.series import Fixing, Fixings
from desk.analytics.units import UNITS
from desk.contracts.findings.claims import Claim, Metric, level_id, span_id
from desk.contracts.markets import MarketSpec
from desk.trust.claims.price_claims import level_claim, span_move, step_claims

FEWEST: Final = 2
"""The minimum number of prices. A single one makes no span."""

VOLATILITY_STEP: Final = Decimal("0.1")

_BEYOND: Final = (
    (1, Metric.DAYS_ABOVE, Metric.FIRST_ABOVE, Metric.LAST_ABOVE),
    (-1, Metric.DAYS_BELOW, Metric.FIRST_BELOW, Metric.LAST_BELOW),
)


def span_claims(
    prices: Fixings, spec: MarketSpec, evidence: str, window: tuple[date, date]
) -> tuple[Claim, ...]:
    """Returns the first, last, highest and lowest price of a series, and its move from first to
    last.

    Prices that the desk considers errors are left out. There are no claims if the window's own move
    is measured over the same series.
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


def counted_claims(
    prices: Fixings, spec: MarketSpec, evidence: str, first: date, last: date
) -> tuple[Claim, ...]:
    """What is counted of the fixings of some days, the weeks that rose and fell most among it.
    Prices that the desk takes for errors are left out; no claims without a fixing."""
    days = counted_days(prices, first, last)
    if not days.within.items:
        return ()
    counted = [
        (Metric.FIXINGS_WITHIN, Decimal(len(days.within.items))),
        (Metric.DAYS_RISEN, Decimal(days.moved(1))),
        (Metric.DAYS_FALLEN, Decimal(days.moved(-1))),
        (Metric.SPAN_MEAN, days.mean.quantize(level_step(days.mean, spec.digits))),
        (Metric.WEEK_STREAK, Decimal(days.week_streak)),
    ]
    if (volatility := days.volatility) is not None:
        rounded = Decimal(volatility).quantize(VOLATILITY_STEP)
        counted.append((Metric.SPAN_VOLATILITY, rounded))
    claims = (
        _counted(span_id(spec.market, metric, first, last), spec, metric, value, days, evidence)
        for metric, value in counted
    )
    weeks = (c for step in days.extreme_weeks() for c in step_claims(*step, spec, evidence))
    return (*claims, *weeks)


def extreme_claims(
    prices: Fixings, spec: MarketSpec, evidence: str, first: date, last: date
) -> tuple[Claim, ...]:
    """The highest and the lowest fixing of some days, each with its day. Prices that the desk takes
    for errors are left out; no claims without a fixing."""
    within = counted_days(prices, first, last).within
    if not within.items:
        return ()
    ends = (
        (Metric.SPAN_HIGH, max(within.items, key=lambda each: each.value), "highest"),
        (Metric.SPAN_LOW, min(within.items, key=lambda each: each.value), "lowest"),
    )
    step = level_step(within.items[-1].value, spec.digits)
    return tuple(
        level_claim(
            spec, metric, fixing.value.quantize(step), fixing.day, evidence, formula
        ).model_copy(update={"claim_id": span_id(spec.market, metric, first, last)})
        for metric, fixing, formula in ends
    )


def beyond_claims(
    prices: Fixings, spec: MarketSpec, evidence: str, level: Decimal, first: date, last: date
) -> tuple[Claim, ...]:
    """How many fixings of some days were above a level and how many below it, and the first and the
    last one of each."""
    days = counted_days(prices, first, last)

    def told() -> Iterator[tuple[Metric, Decimal]]:
        for way, count, earliest, latest in _BEYOND:
            found = days.beyond(level, way)
            yield count, Decimal(len(found))
            if found:
                yield earliest, as_number(found[0].day)
                yield latest, as_number(found[-1].day)

    if not days.within.items:
        return ()
    return tuple(
        _counted(
            level_id(spec.market, metric, level, first, last), spec, metric, value, days, evidence
        )
        for metric, value in told()
    )


def fixings_of(prices: Fixings, days: tuple[date, date]) -> Step | None:
    """The fixings of two days; None where one of them has none."""
    by_day = {each.day: each for each in sound(prices).items}
    first, last = (by_day.get(day) for day in days)
    return (first, last) if first and last else None


def _counted(
    name: str, spec: MarketSpec, metric: Metric, value: Decimal, days: CountedDays, evidence: str
) -> Claim:
    return Claim(
        claim_id=name,
        subject=spec.market,
        metric=metric,
        value=value,
        unit=UNITS[metric],
        as_of=days.within.items[-1].day,
        evidence=(evidence,),
        formula=metric.value,
    )
