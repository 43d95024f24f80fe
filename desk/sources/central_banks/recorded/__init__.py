"""Policy rates day by day, as banks and the BIS record them, and what they tell of decisions."""

from desk.sources.central_banks.recorded.current_facts import CurrentFacts
from desk.sources.central_banks.recorded.sources import (
    RATE_SOURCES,
    RateSource,
    kept_rates,
    monthly_rates,
)

__all__ = ["RATE_SOURCES", "CurrentFacts", "RateSource", "kept_rates", "monthly_rates"]
