"""The figures that the desk's tools would return for a company's generated accounts and headlines
at an instant."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import Final, NamedTuple

from desk.analytics.technical.companies import (
    AccountItem,
    AccountLine,
    Accounts,
    CompanyMeasures,
    NoAccounts,
    earnings_measures,
    ratio_measures,
)
from desk.analytics.technical.measures import Unmeasured, rounded
from desk.analytics.technical.series import PriceSeries
from desk.contracts.agents.tools import GENERATED
from desk.contracts.episode.actions import StockAction
from desk.contracts.findings.claims import Metric
from desk.contracts.markets import MarketKind
from desk.sources.analysis.generated import GeneratedFacts
from desk.sources.sentiment.stories import USUAL_DAYS, Asked, Gathered, gather_companies


class Facts(StrEnum):
    """What is known of companies besides prices: `known` is what is known offline, which is
    nothing; `generated` is generated for practice."""

    KNOWN = "known"
    GENERATED = "generated"


COMPANY_ACTIONS = (
    StockAction.FETCH_NEWS,
    StockAction.FETCH_FUNDAMENTALS,
    StockAction.FETCH_SENTIMENT,
)
"""The actions that fetch them."""


CACHED_INSTANTS: Final = 1024
"""How many instants' stories are cached, for concurrent episodes that ask for them again."""


class _LastAccounts(NamedTuple):
    """What accounts and reports show until the next ones are published: the lines of the latest
    year, and the figures that do not depend on a price."""

    year: Mapping[AccountItem, AccountLine]
    figures: Mapping[Metric, float]


class CompanyFigures:
    """The figures of one stock's generated facts. Each uses only what had been published by an
    instant."""

    def __init__(self, symbol: str, facts: GeneratedFacts) -> None:
        self._symbol, self._facts = symbol, facts
        self._last: dict[int, _LastAccounts] = {}
        self._gathered: dict[datetime, Gathered] = {}
        _, _, self.generated = (facts.source.origin or "").partition(f"{GENERATED}: ")

    def values(
        self, action: StockAction, day: date, close: Decimal, as_of: datetime
    ) -> dict[Metric, float]:
        """Returns what one of `COMPANY_ACTIONS` fetches at an instant whose last price is the close
        of `day`."""
        if action is StockAction.FETCH_FUNDAMENTALS:
            return self._fundamentals(day, close, as_of)
        gathered = self._stories(as_of)
        if action is StockAction.FETCH_NEWS:
            metric, value = Metric.NEWS_COUNT, gathered.count
        else:
            metric, value = Metric.NEWS_TONE, gathered.tone(self._symbol)
        return {} if value is None else {metric: float(value)}

    def _stories(self, as_of: datetime) -> Gathered:
        found = self._gathered.get(as_of)
        if found is None:
            found = gather_companies(self._facts, Asked(self._symbol, as_of, USUAL_DAYS))
            if len(self._gathered) >= CACHED_INSTANTS:
                self._gathered.clear()
            self._gathered[as_of] = found
        return found

    def _fundamentals(self, day: date, close: Decimal, as_of: datetime) -> dict[Metric, float]:
        if self._accounts is None:
            return {}
        price = PriceSeries(
            self._symbol, MarketKind.STOCK, "USD", self._facts.source, (day,), (close,)
        )
        published = bisect_right(self._instants, as_of)
        known = self._last.get(published)
        if known is None:
            accounts = self._accounts.known(as_of)
            earnings = dict(_rounded(price, earnings_measures(accounts)))
            known = self._last[published] = _LastAccounts(accounts.year(), earnings)
        return {**dict(_rounded(price, ratio_measures(known.year, price))), **known.figures}

    @cached_property
    def _accounts(self) -> Accounts | None:
        try:
            return self._facts.accounts(self._symbol)
        except NoAccounts:
            return None

    @cached_property
    def _instants(self) -> list[datetime]:
        """The instants at which accounts were published. No figure changes between two of them."""
        if self._accounts is None:
            return []
        lines = [line.known_from for line in self._accounts.lines]
        return sorted(lines + [report.known_from for report in self._accounts.reports])


def _rounded(price: PriceSeries, measures: CompanyMeasures) -> Iterator[tuple[Metric, float]]:
    """Yields the available figures, rounded as they are printed."""
    for metric, measure in measures.items():
        try:
            yield metric, float(rounded(price, metric, measure()))
        except Unmeasured:
            continue
