"""What cash earned: the policy rate of the United States, as the BIS has it of ends of months."""

from bisect import bisect_right
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Final

from desk.sources.analysis.figures import Unmeasured
from desk.sources.central_banks.policy_facts import FACTS_DIR
from desk.sources.statistics.answers import rate_known_from
from desk.sources.statistics.tables import read_official_tables

AREA: Final = "US"
OLDEST_MONTHS: Final = 6
"""How many calendar months before the instant a rate may be of, to count as the one in force."""


class CashRates:
    """The rates of the ends of months, each from the instant that it was known."""

    def __init__(self, month_ends: Mapping[str, Decimal]) -> None:
        """`month_ends` has the percent a year of each month, oldest first."""
        self._months = tuple(month_ends)
        self._rates = tuple(month_ends.values())
        self._known_from = [rate_known_from(AREA, month) for month in self._months]

    def at(self, instant: datetime) -> Decimal:
        """The newest rate that was known at an instant, in percent a year.

        Raises:
            Unmeasured: none was, or it was too old.
        """
        known = bisect_right(self._known_from, instant)
        if not known:
            raise Unmeasured(f"no policy rate of {AREA} was known at {instant.isoformat()}")
        month = self._months[known - 1]
        if _months_from(month, instant) > OLDEST_MONTHS:
            raise Unmeasured(
                f"the newest policy rate of {AREA} known at {instant.isoformat()} is of {month}, "
                f"more than {OLDEST_MONTHS} months before"
            )
        return self._rates[known - 1]


def read_cash_rates(folder: Path = FACTS_DIR) -> CashRates:
    """The rates of a folder of tables.

    Raises:
        DamagedTable: a table is missing or malformed.
    """
    return CashRates(read_official_tables(folder).month_ends[AREA])


def _months_from(month: str, instant: datetime) -> int:
    return instant.year * 12 + instant.month - int(month[:4]) * 12 - int(month[5:])
