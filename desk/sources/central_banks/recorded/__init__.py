"""Daily policy rates, as banks and the BIS record them, and the decisions derived from them."""

from desk.sources.central_banks.recorded.decisions import RecordedRates, with_recorded
from desk.sources.central_banks.recorded.sources import (
    BIS_DAILY,
    HIBOR,
    RATE_SOURCES,
    month_end_rates,
    observations_of,
    recorded_rates,
)

__all__ = [
    "BIS_DAILY",
    "HIBOR",
    "RATE_SOURCES",
    "RecordedRates",
    "month_end_rates",
    "observations_of",
    "recorded_rates",
    "with_recorded",
]
