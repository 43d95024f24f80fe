"""Forecasts: their probability, their due date, and the fixings that score them."""

from desk.learning.forecasts.fixings import (
    asked_for,
    fixing_calls,
    given_up,
    is_refused,
    resolutions_in,
)
from desk.learning.forecasts.pauses import (
    FIRST_PAUSE,
    LONGEST_PAUSE,
    Fixed,
    FixingPauses,
    is_given_up,
)
from desk.learning.forecasts.probability import (
    HORIZON,
    PROBABILITY_DIGITS,
    ForecastCount,
    carry_probability,
    count_of,
    forecast_of,
    question_of,
)

__all__ = [
    "FIRST_PAUSE",
    "HORIZON",
    "LONGEST_PAUSE",
    "PROBABILITY_DIGITS",
    "Fixed",
    "FixingPauses",
    "ForecastCount",
    "asked_for",
    "carry_probability",
    "count_of",
    "fixing_calls",
    "forecast_of",
    "given_up",
    "is_given_up",
    "is_refused",
    "question_of",
    "resolutions_in",
]
