"""Daily exchange rates of publishers other than the ECB, to compare its rates with."""

from desk.sources.statistics.daily_rates.answers import DailyRates
from desk.sources.statistics.daily_rates.publishers import PUBLISHERS

__all__ = ["PUBLISHERS", "DailyRates"]
