"""Answers from the cached files of yields, the dollar, oil and stocks, as far as they were
known."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Final

from desk.analytics.prices.dollar_index import WEIGHTS, dollar_index
from desk.analytics.prices.fixings import cross_rate, last_known_day
from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import AssetSeries, Provenance, Yields, YieldSeries
from desk.sources.ecb.rates import EURO, EuroRates
from desk.sources.serving.daily_series import NOT_FETCHED, Publisher, files_of
from desk.sources.serving.origins import ECB
from desk.sources.statistics.cross_asset.publishers import BESIDE, REVISABLE, publishers

WEIGHTS_FROM: Final = "ICE's U.S. Dollar Index"

YIELDS: Final = Provenance(
    name="Government bond yields of treasuries and central banks", tier=SourceTier.AUTHORITATIVE
)
"""The source of the whole answer: each series in it has its own origin."""

DOLLAR: Final = Provenance(
    name=f"Computed from the ECB's reference rates with the weights of {WEIGHTS_FROM}",
    tier=SourceTier.DERIVED,
    origin=ECB,
    url="https://www.ice.com/publicdocs/futures_us/USDX_Futures_Contract.pdf",
)

MATURITIES: Final = (2, 10)
_CENT: Final = Decimal("0.01")


class CrossAssets:
    """The cached files, and the answers from them."""

    def __init__(
        self, cache_dir: Path | None, year: int, addresses: Mapping[str, str] | None = None
    ) -> None:
        """`year` is the present one, because the US Treasury has a file for each year. `addresses`
        replace providers' own, by their keys."""
        known = publishers(year)
        self.files = files_of(known, addresses)
        self._series = [(each, each.series_file(cache_dir)) for each in known]

    def yields(self, areas: Iterable[str], first: date, last: date, as_of: datetime) -> Yields:
        """The yields of some areas on the days of a range. If another publisher has an area's
        yields too, both, with the area's own first. The other's curve never replaces a missing own
        one."""
        asked = list(dict.fromkeys(areas))
        found: list[YieldSeries] = []
        for area, years in product(asked, MATURITIES):
            own = self._yield(area, years, "{}", first, last, as_of)
            beside = self._yield(area, years, BESIDE, first, last, as_of) if own else None
            found += [series for series in (own, beside) if series]
        there = {series.area for series in found}
        missing = {area: self._why(f"{area} 2", as_of) for area in asked if area not in there}
        return Yields(as_of=as_of, source=YIELDS, yields=tuple(found), missing=missing)

    def holds_yields(self) -> bool:
        """Whether any cached file has yields."""
        kept = (file.current() for _, file in self._series)
        names = (name for series in kept if series is not None for name in series.series)
        return any(name.partition(" ")[2] in map(str, MATURITIES) for name in names)

    def _yield(
        self, area: str, years: int, form: str, first: date, last: date, as_of: datetime
    ) -> YieldSeries | None:
        publisher, values = self._known(form.format(f"{area} {years}"), first, last, as_of)
        if publisher is None or not values:
            return None
        return YieldSeries(
            area=area,
            years=years,
            days=tuple(values),
            values=tuple(values.values()),
            name=publisher.source.name,
            origin=publisher.source.origin,
            revisable=publisher.key in REVISABLE,
        )

    def series(self, name: str, unit: str, first: date, last: date, as_of: datetime) -> AssetSeries:
        """A price or an index on the days of a range."""
        publisher, values = self._known(name, first, last, as_of)
        if publisher is None or not values:
            source = publisher.source if publisher else YIELDS
            why = self._why(name, as_of)
            return AssetSeries(as_of=as_of, source=source, name=name, unit=unit, missing=why)
        return AssetSeries(
            as_of=as_of,
            source=publisher.source,
            name=name,
            unit=unit,
            days=tuple(values),
            values=tuple(values.values()),
            revisable=publisher.key in REVISABLE,
        )

    def _known(
        self, name: str, first: date, last: date, as_of: datetime
    ) -> tuple[Publisher | None, dict[date, Decimal]]:
        """The values of a series that had been published, from all files that contain it."""
        found: dict[date, Decimal] = {}
        by: Publisher | None = None
        for publisher, file in self._series:
            series = file.as_of(as_of)
            if series is None or name not in series.series:
                continue
            by = publisher
            found |= {
                day: value
                for day, value in series.series[name].items()
                if first <= day <= last and publisher.published(day, series.days) <= as_of
            }
        return by, dict(sorted(found.items()))

    def _why(self, name: str, as_of: datetime) -> str:
        if not any(file.as_of(as_of) for _, file in self._series):
            return NOT_FETCHED
        return f"No {name} of these days was known, or nobody gives it without a key."


def dollar_series(rates: EuroRates, first: date, last: date, as_of: datetime) -> AssetSeries:
    """The dollar index on the days of a range for which all its rates exist."""
    until = min(last, last_known_day(as_of))
    by_code = {
        code: rates.between(EURO, code, first, until) for code in ("USD", *WEIGHTS) if code != EURO
    }
    euro = {code: dict(zip(s.days, s.values, strict=True)) for code, s in by_code.items()}
    found: dict[date, Decimal] = {}
    for day, dollars in euro["USD"].items():
        per_dollar = {
            code: cross_rate(dollars, Decimal(1) if code == EURO else euro[code][day])
            for code in WEIGHTS
            if code == EURO or day in euro[code]
        }
        if len(per_dollar) == len(WEIGHTS):
            found[day] = Decimal(dollar_index(per_dollar)).quantize(_CENT)
    return AssetSeries(
        as_of=as_of,
        source=DOLLAR,
        name="dollar_index",
        unit="index, March 1973 = 100",
        days=tuple(found),
        values=tuple(found.values()),
        missing=None if found else f"The ECB has no rates from {first} to {until}.",
    )
