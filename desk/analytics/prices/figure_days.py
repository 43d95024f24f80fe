"""Finds the days whose fixings a figure about a pair is computed from."""

from datetime import date
from typing import Final

from desk.analytics.figures import day_of
from desk.analytics.prices.price_view import TRAILING_WEEKS, PriceView, view_newest
from desk.analytics.prices.series import Fixings, week_closes
from desk.contracts.findings.claims import Claim, Metric

FROM_SERIES: Final = frozenset(
    {
        Metric.Z_SCORE,
        Metric.STREAK,
        Metric.HIGHEST_SINCE,
        Metric.LOWEST_SINCE,
        Metric.LARGEST_DAY,
    }
)
"""Figures that are computed from several fixings of a history, and have no claims as inputs."""


class FigureDays:
    """The days behind the figures of one history over a window, without suspect fixings."""

    def __init__(self, fixings: Fixings, first_day: date, last_day: date) -> None:
        """`first_day` and `last_day` are those of the window, both included."""
        view = view_newest(fixings, first_day, last_day)
        suspects = {each.day for each in view.suspects} if view else set()
        self._clean = fixings.without(suspects)
        self._first_day = first_day
        self._view = view

    def of(self, claim: Claim) -> frozenset[date]:
        """The days of a figure in `FROM_SERIES`. Empty if the history does not have them."""
        if self._view is None or claim.as_of > self._view.last.day:
            return frozenset()
        match claim.metric:
            case Metric.Z_SCORE:
                return self._weeks(self._view)
            case Metric.STREAK:
                return frozenset(
                    each.day for each in self._clean.items[-abs(int(claim.value)) - 1 :]
                )
            case Metric.HIGHEST_SINCE | Metric.LOWEST_SINCE:
                since = day_of(claim.value)
                return frozenset({since, self._view.last.day}) if since else frozenset()
            case Metric.LARGEST_DAY:
                return self._largest_step(self._view, claim.as_of)
            case _:
                return frozenset()

    def _weeks(self, view: PriceView) -> frozenset[date]:
        closes = week_closes(self._clean, self._first_day, TRAILING_WEEKS + 1)
        return frozenset(each.day for each in (*closes, view.last)) if closes else frozenset()

    def _largest_step(self, view: PriceView, day: date) -> frozenset[date]:
        before = self._clean.before(day).last
        if before is None or view.previous is None:
            return frozenset()
        return frozenset({before.day, day, view.previous.day, view.last.day})
