"""Claims about the days that an analyst asked for, if these are not the task's window, and what is
counted of the days that a question asks about.

`price_claims` only covers the window of the run. So each answer also gives the figures of its own
days, and the claims' names contain these days.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Final

from desk.analytics.figures import as_number, level_step
from desk.analytics.prices.counted import CountedDays, Step, counted_days, sound
from desk.analytics.prices.price_view import LONGEST_WAIT, view_prices
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
_RUNS: Final = ((1, Metric.LONGEST_RISE), (-1, Metric.LONGEST_FALL))


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
    reaches_its_end = window[1] - last.day <= LONGEST_WAIT
    if view is None or (own and reaches_its_end and (own.previous, own.last) == (first, last)):
        return ()
    suspects = {suspect.day for suspect in view.suspects}
    if suspects & {first.day, last.day}:
        return ()
    ends = ((Metric.SPAN_START, first, None), (Metric.SPAN_END, last, None))
    extremes = _extremes(view.window_high, view.window_low)
    step = level_step(last.value, spec.digits)
    levels = _levels((*ends, *extremes), spec, evidence, (first.day, last.day), step)
    return (*levels, span_move(*levels[:2]))


_Level = tuple[Metric, Fixing, str | None]
"""A level to claim, its fixing, and the formula that it follows from."""


def _extremes(highest: Fixing, lowest: Fixing) -> tuple[_Level, _Level]:
    return (Metric.SPAN_HIGH, highest, "highest"), (Metric.SPAN_LOW, lowest, "lowest")


def _levels(
    levels: Sequence[_Level],
    spec: MarketSpec,
    evidence: str,
    days: tuple[date, date],
    step: Decimal,
) -> tuple[Claim, ...]:
    return tuple(
        level_claim(
            spec, metric, fixing.value.quantize(step), fixing.day, evidence, formula
        ).model_copy(update={"claim_id": span_id(spec.market, metric, *days)})
        for metric, fixing, formula in levels
    )


def counted_claims(
    prices: Fixings, spec: MarketSpec, evidence: str, first: date, last: date
) -> tuple[Claim, ...]:
    """What is counted of the fixings of some days, and the moves of the weeks and the months that
    rose and fell most among them. Prices that the desk takes for errors are left out; no claims
    without a fixing."""
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
    claims = [
        _counted(span_id(spec.market, metric, first, last), spec, metric, value, days, evidence)
        for metric, value in counted
    ]
    claims += _runs(days, spec, evidence, first, last)
    steps = (*days.extreme_weeks(), *days.extreme_months())
    return (*claims, *(c for step in steps for c in step_claims(*step, spec, evidence)))


def _runs(
    days: CountedDays, spec: MarketSpec, evidence: str, first: date, last: date
) -> Iterator[Claim]:
    """For how many days in a row a pair rose, and fell, at most; each as of the last of these."""
    for way, metric in _RUNS:
        if run := days.longest_run(way):
            name = span_id(spec.market, metric, first, last)
            count = _counted(name, spec, metric, Decimal(len(run)), days, evidence)
            yield count.model_copy(update={"as_of": run[-1][1].day})


def extreme_claims(
    prices: Fixings, spec: MarketSpec, evidence: str, first: date, last: date
) -> tuple[Claim, ...]:
    """The highest and the lowest fixing of some days, each with its day. Prices that the desk takes
    for errors are left out; no claims without a fixing."""
    within = counted_days(prices, first, last).within
    if not within.items:
        return ()
    ends = (function(within.items, key=lambda each: each.value) for function in (max, min))
    step = level_step(within.items[-1].value, spec.digits)
    return _levels(_extremes(*ends), spec, evidence, (first, last), step)


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
