"""The BIS's policy rates as files that the desk keeps: where they are fetched from, and what they
hold.

The addresses are those of the BIS's statistical API (https://stats.bis.org/api-doc/v2/, key
FREQ.REF_AREA, several areas joined by a plus). They were not tried from here, where there is no
network. The whole history of all areas is 57 MB for one area alone with all its notes, so only the
data are asked for, from a fixed day on.
"""

from collections.abc import Mapping
from datetime import date
from functools import partial

from desk.sources.central_banks.bis.sdmx_csv import Frequency, Rates, read_policy_rates
from desk.sources.central_banks.rate_series import RateSeries
from desk.sources.central_banks.recorded_decisions import RecordedRates
from desk.sources.serving.kept_file import FileContent, KeptFile
from desk.sources.serving.origins import BIS

BIS_URL = "https://stats.bis.org/api/v2"
FIRST_DAY = date(2026, 1, 1)
"""From here on series are fetched: some months before the end of the tables, to compare with."""

AREAS = (
    *("AU", "CA", "CH", "CN", "GB", "HK", "ID", "IN", "JP"),
    *("KR", "MY", "NO", "NZ", "PH", "SE", "TH", "US", "XM"),
)
"""The areas of the desk that the BIS has a policy rate of."""

_NAMES = {Frequency.DAILY: "daily", Frequency.MONTHLY: "monthly"}


def series_name(frequency: Frequency) -> str:
    """What rows from such a series are called."""
    return f"BIS CBPOL {_NAMES[frequency]}"


def policy_rates_file(frequency: Frequency, base: str = BIS_URL) -> KeptFile:
    """The policy rates of all areas from 2026 on, by day or by month, from an API at `base`."""
    key = f"{frequency}.{'+'.join(AREAS)}"
    return KeptFile(
        source=f"BIS policy rates, {_NAMES[frequency]}",
        name=f"bis-policy-rates-{_NAMES[frequency]}.csv",
        url=f"{base.rstrip('/')}/data/dataflow/BIS/WS_CBPOL/1.0/{key}"
        f"?startPeriod={FIRST_DAY:%Y-%m}&detail=dataonly&format=csv",
        read=partial(_read, frequency),
    )


def recorded(content: bytes) -> Mapping[str, RecordedRates]:
    """The daily rates in a file's content, by area.

    Raises:
        DamagedFile: it is no such file.
    """
    name = series_name(Frequency.DAILY)
    return {
        area: RecordedRates(RateSeries(by_day), BIS, name)
        for area, by_day in read_policy_rates(content, Frequency.DAILY).items()
    }


def _read(frequency: Frequency, content: bytes) -> FileContent:
    rates = read_policy_rates(content, frequency)
    newest = max(max(by_day) for by_day in rates.values())
    return FileContent(newest, sum(map(len, rates.values())), partial(_values, rates))


def _values(rates: Rates) -> Mapping[str, str]:
    """Every rate by its day and area, such as "2026-10-30 US"."""
    return {
        f"{day} {area}": str(rate) for area, by_day in rates.items() for day, rate in by_day.items()
    }
