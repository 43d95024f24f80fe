"""What a publisher says of a pair on some days, as far as it was known at an instant."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from desk.analytics.prices.fixings import cross_rate
from desk.sources.serving.daily_series import DailySeries, Publisher
from desk.sources.statistics.daily_rates.publishers import BASES


@dataclass(frozen=True, slots=True)
class PublishedRates:
    """The rates of one publisher as it told them at an instant: units of each currency for one unit
    of its base."""

    publisher: Publisher
    rates: DailySeries
    as_of: datetime

    def has(self, currency: str) -> bool:
        """Whether the publisher gives the currency."""
        return currency == self._base or currency in self.rates.series

    def on_days(self, base: str, quote: str, days: Iterable[date]) -> dict[date, Decimal]:
        """Units of `quote` for one of `base`, to ten significant digits, on those of the days that
        have a rate which had been published."""
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
