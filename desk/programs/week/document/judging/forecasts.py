"""Forecasts of directions, counted again from the fixings in a report's evidence."""

from typing import NamedTuple

from desk.analytics.prices.price_view import view_prices
from desk.analytics.prices.series import Fixings, window_days
from desk.contracts.findings.results import Forecast, Leaning
from desk.contracts.findings.source_results import History
from desk.contracts.weeks import TimeWindow
from desk.learning.forecasts import ForecastCount, count_of, forecast_of


class CountedForecast(NamedTuple):
    """A forecast, and the similar weeks that it was counted from."""

    forecast: Forecast
    similar: ForecastCount


def counted_forecast(
    history: History, leaning: Leaning, window: TimeWindow
) -> CountedForecast | None:
    """Returns the forecast that a history of fixings gives for a direction, without its suspect
    fixings; None if it gives none."""
    first_day, last_day = window_days(window)
    fixings = Fixings.of(history)
    seen = view_prices(fixings, first_day, last_day)
    if seen is None:
        return None
    sound = fixings.without({fixing.day for fixing in seen.suspects})
    forecast = forecast_of(sound, first_day, leaning)
    return CountedForecast(forecast, count_of(sound, first_day, leaning)) if forecast else None
