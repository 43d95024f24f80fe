"""What sources of another origin answer, from the packaged file or by hand."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import (
    Histories,
    History,
    MonthAverage,
    MonthAverages,
    MonthEndRate,
    MonthEndRates,
    Provenance,
    RateRecord,
    RateRecords,
)
from tests.support.builders import real_fixings, real_history, window

H10 = Provenance(name="H.10", tier=SourceTier.AUTHORITATIVE, origin="Federal Reserve Board")
BANK_OF_CANADA = Provenance(
    name="Daily rates", tier=SourceTier.AUTHORITATIVE, origin="Bank of Canada"
)
CBPOL = Provenance(
    name="CBPOL", tier=SourceTier.AUTHORITATIVE, origin="Bank for International Settlements"
)


def month_averages(
    pair: str, week: str, averages: Mapping[str, str], source: Provenance = H10
) -> MonthAverages:
    """The answer of `get_month_averages` for averages by month, known from the 8th of the next."""
    return MonthAverages(
        as_of=window(week).end,
        source=source,
        symbol=pair,
        averages=tuple(
            MonthAverage(month=month, value=Decimal(value), known_from=_known(month))
            for month, value in averages.items()
        ),
        missing=None if averages else "none was known",
    )


def real_averages(pair: str, week: str, *, times: str = "1") -> MonthAverages:
    """The means of a pair's own fixings in the three months before a week's, all times a factor:
    what another origin would state that agrees, but for the factor."""
    end = window(week).end.date()
    means: dict[str, str] = {}
    for at in _months_before(end):
        year, month = at // 12, at % 12 + 1
        fixings = real_fixings(pair)
        values = [value for day, value in fixings if (day.year, day.month) == (year, month)]
        mean = sum(values, Decimal(0)) / len(values) * Decimal(times)
        means[f"{year:04d}-{month:02d}"] = f"{mean:.6g}"
    return month_averages(pair, week, means)


def _months_before(day: date) -> list[int]:
    now = day.year * 12 + day.month - 1
    return [now - 4, now - 3, now - 2]


def month_end_rates(
    week: str, month: str, *, instrument: str = "policy rate", **rates: str
) -> MonthEndRates:
    """The answer of `get_month_end_rates` for one month, by area."""
    return MonthEndRates(
        as_of=window(week).end,
        source=CBPOL,
        rates=tuple(
            MonthEndRate(
                area=area,
                month=month,
                rate=Decimal(rate),
                instrument=instrument,
                known_from=_known(month),
            )
            for area, rate in rates.items()
        ),
    )


def recorded_rates(week: str, *rows: RateRecord) -> RateRecords:
    """The answer of `get_recorded_rates`."""
    return RateRecords(
        as_of=window(week).end,
        source=Provenance(name="Records", tier=SourceTier.AUTHORITATIVE),
        recorded=rows,
        missing={} if rows else {"JP": "Not fetched: it needs a network."},
    )


def daily_rates(pair: str, week: str, *by: Provenance, times: str = "1.002") -> Histories:
    """The answer of `get_daily_rates`: a pair's own fixings times a factor, by each source."""
    own = real_history(pair, week)
    values = tuple((value * Decimal(times)).quantize(value) for value in own.values)
    return Histories(
        as_of=own.as_of,
        source=Provenance(name="Daily rates", tier=SourceTier.AUTHORITATIVE),
        symbol=pair,
        histories=tuple(
            History(as_of=own.as_of, source=each, symbol=pair, days=own.days, values=values)
            for each in by
        ),
        missing={} if by else {"H.10": "Not fetched: it needs a network."},
    )


def _known(month: str) -> datetime:
    year, number = int(month[:4]), int(month[5:])
    return datetime(year + number // 12, number % 12 + 1, 8, tzinfo=UTC)
