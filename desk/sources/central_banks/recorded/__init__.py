"""Policy rates day by day, as banks and the BIS record them, and what they tell of decisions."""

from desk.sources.central_banks.recorded.decisions import RecordedRates, with_recorded
from desk.sources.central_banks.recorded.sources import (
    RATE_SOURCES,
    RateSource,
    kept_rates,
    monthly_rates,
)

__all__ = [
    "RATE_SOURCES",
    "RateSource",
    "RecordedRates",
    "kept_rates",
    "monthly_rates",
    "with_recorded",
]
