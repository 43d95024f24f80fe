"""The publishers' rates of a pair on some days, as far as they were known at an instant."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Final

from desk.analytics.prices.fixings import cross_rate
from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import Histories, History, Provenance
from desk.sources.serving.daily_series import NOT_FETCHED, DailySeries, Publisher, files_of
from desk.sources.statistics.daily_rates.publishers import BASES, PUBLISHERS


@dataclass(frozen=True, slots=True)
class PublishedRates:
    """The rates of one publisher as of an instant: units of each currency for one unit of its
    base."""

    publisher: Publisher
    rates: DailySeries
    as_of: datetime

    def has(self, currency: str) -> bool:
        """Whether the publisher has the currency."""
        return currency == self._base or currency in self.rates.series

    def on_days(self, base: str, quote: str, days: Iterable[date]) -> dict[date, Decimal]:
        """Units of `quote` for one of `base`, to ten significant digits, on those of the days with
        a published rate."""
        found = {
            day: self._on(base, quote, day)
            for day in sorted(set(days))
            if self.publisher.published(day, self.rates.days) <= self.as_of
        }
        return {day: rate for day, rate in found.items() if rate is not None}

    @property
    def _base(self) -> str:
        return BASES[self.publisher.key]

    def _on(self, base: str, quote: str, day: date) -> Decimal | None:
        of_base, of_quote = self._units(base, day), self._units(quote, day)
        if of_base is None or of_quote is None:
            return None
        rate = cross_rate(of_base, of_quote)
        return rate.quantize(Decimal(1)) if rate == rate.to_integral() else rate.normalize()

    def _units(self, currency: str, day: date) -> Decimal | None:
        if currency == self._base:
            return Decimal(1)
        return self.rates.series.get(currency, {}).get(day)


SOURCE: Final = Provenance(
    name="Daily exchange rates of central banks",
    tier=SourceTier.AUTHORITATIVE,
)
"""The source of the whole answer: it has no single origin, but each history in it has."""


class DailyRates:
    """The cached files of all publishers, and the answers from them."""

    def __init__(self, cache_dir: Path | None, addresses: Mapping[str, str] | None = None) -> None:
        """`addresses` replace publishers' own, by their keys."""
        self.files = files_of(PUBLISHERS, addresses)
        self._series = [(each, each.series_file(cache_dir)) for each in PUBLISHERS]

    def answer(
        self, symbol: str, base: str, quote: str, days: Iterable[date], as_of: datetime
    ) -> Histories:
        """A pair's rates on some days by every publisher, and the reason for those without any."""
        asked = sorted(set(days))
        histories: list[History] = []
        missing: dict[str, str] = {}
        for publisher, file in self._series:
            source, series = publisher.source, file.as_of(as_of)
            if series is None:
                missing[source.name] = NOT_FETCHED
                continue
            published = PublishedRates(publisher, series, as_of)
            rates = published.on_days(base, quote, asked)
            if not rates:
                missing[source.name] = _why_nothing(published, base, quote)
                continue
            histories.append(
                History(
                    as_of=as_of,
                    source=source,
                    symbol=symbol,
                    days=tuple(rates),
                    values=tuple(rates.values()),
                )
            )
        return Histories(
            as_of=as_of, source=SOURCE, symbol=symbol, histories=tuple(histories), missing=missing
        )


def _why_nothing(published: PublishedRates, base: str, quote: str) -> str:
    absent = [code for code in (base, quote) if not published.has(code)]
    if absent:
        return f"It does not give {' and '.join(absent)}."
    rule = published.publisher.rule
    return f"It had no rate of these days by {published.as_of.isoformat()}; it publishes {rule}."
