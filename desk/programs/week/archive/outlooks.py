"""The forecasts of a market's reports as ranges of fixings, and their outcomes."""

import math
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from statistics import NormalDist
from typing import Final, NamedTuple

from desk.analytics.prices.fixings import last_expected_day
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ViewKind
from desk.contracts.week.report import MarketReport, ResearchReport
from desk.programs.week.document.rendering.wording import claim_on
from desk.programs.week.document.sections.views import standing_views

SUREST: Final = 0.995
"""If a probability is above this, or as far below one half, no range can be given."""


class Outlook(NamedTuple):
    """A report's expectation for a pair.

    `probability` is that of a fixing above `level`, the week's last one, at `due`. Two of three
    fixings were to lie between `low` and `high`, by that probability and the standard deviation of
    the moves in the year before.
    """

    level: Decimal
    due: datetime
    probability: float
    low: Decimal
    high: Decimal


class ForecastOutcome(NamedTuple):
    """The last known fixing when a forecast was due."""

    day: date
    value: Decimal
    within: bool


def outlook_of(market: MarketReport, report: ResearchReport) -> Outlook | None:
    """Returns the forecast of a market's current view of its direction; None if it has none."""
    view = standing_views(market, report.conflicts).get((ViewKind.DIRECTION, market.market))
    last = claim_on(market, Metric.LAST)
    if view is None or view.forecast is None or last is None or last.value <= 0:
        return None
    told = view.forecast
    sure = min(max(told.probability, 1 - SUREST), SUREST)
    middle = NormalDist().inv_cdf(sure) * told.deviation
    return Outlook(
        level=last.value,
        due=report.as_of + timedelta(weeks=told.weeks),
        probability=told.probability,
        low=_times(last.value, middle - told.deviation),
        high=_times(last.value, middle + told.deviation),
    )


def forecast_outcome(
    outlook: Outlook, days: Sequence[date], values: Sequence[Decimal]
) -> ForecastOutcome | None:
    """Returns the outcome of a forecast by fixings, oldest first; None while they do not reach its
    day."""
    expected = last_expected_day(outlook.due)
    known = [(day, value) for day, value in zip(days, values, strict=True) if day <= expected]
    if not known or days[-1] < expected:
        return None
    day, value = known[-1]
    return ForecastOutcome(day, value, outlook.low <= value <= outlook.high)


def _times(level: Decimal, move: float) -> Decimal:
    """Returns a level after a log move, in the level's own digits."""
    return (level * Decimal(math.exp(move))).quantize(level)
