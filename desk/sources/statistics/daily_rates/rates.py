"""What publishers say of a pair on some days, as far as it was known at an instant."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from desk.analytics.prices.fixings import cross_rate
from desk.sources.serving.daily_series import DailySeries
from desk.sources.statistics.daily_rates.publishers import Publisher


@dataclass(frozen=True, slots=True)
class PublishedRates:
    """The rates of one publisher: units of each currency for one unit of its base."""

    publisher: Publisher
    rates: DailySeries

    def has(self, currency: str) -> bool:
        """Whether the publisher gives the currency."""
        return currency == self.publisher.base or currency in self.rates.series

    def on(self, base: str, quote: str, day: date) -> Decimal | None:
        """Units of `quote` for one of `base` on a day, to ten significant digits."""
        units = self._units(base, day), self._units(quote, day)
        if units[0] is None or units[1] is None:
            return None
        rate = cross_rate(units[0], units[1])
        return rate.quantize(Decimal(1)) if rate == rate.to_integral() else rate.normalize()

    def is_known(self, day: date, as_of: datetime) -> bool:
        """Whether the rates of a day had been published by an instant."""
        return self.publisher.published(day, self.rates.days) <= as_of

    def _units(self, currency: str, day: date) -> Decimal | None:
        if currency == self.publisher.base:
            return Decimal(1)
        return self.rates.series.get(currency, {}).get(day)


def rates_on_days(
    published: PublishedRates, base: str, quote: str, days: Iterable[date], as_of: datetime
) -> dict[date, Decimal]:
    """A publisher's rates of a pair on those of the days that have one which was known."""
    found = {
        day: published.on(base, quote, day)
        for day in sorted(set(days))
        if published.is_known(day, as_of)
    }
    return {day: rate for day, rate in found.items() if rate is not None}
