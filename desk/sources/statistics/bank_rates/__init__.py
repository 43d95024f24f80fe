"""Policy rates as the banks themselves, the BIS and the IMF record them, for comparison."""

from desk.sources.statistics.bank_rates.answers import BankRates
from desk.sources.statistics.bank_rates.economic_calendar import KEY as CALENDAR_KEY
from desk.sources.statistics.bank_rates.publishers import RATE_PUBLISHERS

__all__ = ["CALENDAR_KEY", "RATE_PUBLISHERS", "BankRates"]
