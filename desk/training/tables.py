"""The figures that the desk's tools would return for a stock on each day of its offline series, as
a table.

The series are cut into eras: stretches of days within which the known series only grows. A new era
begins where a split restates earlier days, a gap cuts them off, a first volume drops days without
one, a day without a range removes the ranges, or another series becomes the newer one.

News, sentiment and accounts of companies are missing, as the tools have none offline, unless the
table is created with generated ones.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from difflib import get_close_matches
from functools import cache
from itertools import combinations, pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from desk.analytics.evaluation import performance
from desk.analytics.prices.fixings import LONGEST_GAP
from desk.analytics.technical.candles import Candles
from desk.analytics.technical.indicators import Indicators, ta_lib
from desk.analytics.technical.market_data import MarketMeasures
from desk.analytics.technical.measures import (
    INSTALL_SWARM,
    Floats,
    Measure,
    NotInstalled,
    Unmeasured,
    rounded,
)
from desk.analytics.technical.positions import CashRates, cash_rate, day_of, held
from desk.analytics.technical.series import (
    NoPricesThen,
    PriceSeries,
    Traded,
    close_known_from,
    last_close_day,
    without_gaps,
)
from desk.contracts.episode.actions import StockAction
from desk.contracts.findings.claims import Metric
from desk.programs.episode.actions import DATA, PART_METRICS
from desk.sources.analysis.generated import GeneratedFacts
from desk.sources.analysis.performance import read_cash_rates
from desk.sources.analysis.prices import PriceStore
from desk.sources.analysis.symbols import nearest_symbols
from desk.sources.ecb.store import RatesStore
from desk.training.company_figures import COMPANY_ACTIONS, CompanyFigures, Facts


class Era(NamedTuple):
    """A stretch of calendar days from `since` to the next era, and the series known at its end.

    The series known on one of its days, at 22:00 UTC, is the part of `series` up to that day. The
    era's own days with prices start at place `first`; there may be none.
    """

    since: date
    first: int
    series: PriceSeries


def eras_of(store: PriceStore, symbol: str) -> tuple[Era, ...]:
    """Returns all eras of a stock, oldest first; none if no package has its prices.

    Raises:
        NotInstalled: a package that has them is not installed.
    """
    candidates = [traded for traded in store.packaged(symbol) if traded.bars]
    changes = sorted(set(_changes(candidates)))
    traded_on = sorted({bar.day for traded in candidates for bar in traded.bars})
    return tuple(
        era
        for since, following in pairwise([*changes, date.max])
        if (era := _era(store, symbol, since, _last(traded_on, since, following))) is not None
    )


def _era(store: PriceStore, symbol: str, since: date, last: date) -> Era | None:
    try:
        known = store.history(symbol, close_known_from(last))
    except NoPricesThen:
        return None
    series = without_gaps(known)
    return Era(since, bisect_left(series.days, since), series)


def _last(traded_on: Sequence[date], since: date, following: date) -> date:
    """Returns the last day of a stretch that may have a price, or its first day if there is
    none."""
    at = bisect_left(traded_on, following)
    return max(since, traded_on[at - 1]) if at else since


def _changes(candidates: Sequence[Traded]) -> Iterator[date]:
    """Yields the days that may change what is known of earlier days; it may yield others too."""
    for traded in candidates:
        yield from (split.day for split in traded.splits)
        # Days without volume are included until the first day with one, and dropped from then on.
        for bars in (traded.bars, [bar for bar in traded.bars if bar.volume]):
            yield from (bar.day for bar in bars[:1])
            yield from [bar.day for bar in bars if None in bar[1:5]][:1]
            yield from (b.day for a, b in pairwise(bars) if b.day - a.day > LONGEST_GAP)
    for one, other in combinations(candidates, 2):
        yield from _where_both_reach(one, other)


def _where_both_reach(one: Traded, other: Traded) -> Iterator[date]:
    """Yields the days of two series from the later beginning to the earlier end, and the next day.
    Also yields those of the days with volume only, as days without volume may not count by then."""
    first = max(one.bars[0].day, other.bars[0].day)
    last = min(one.bars[-1].day, other.bars[-1].day)
    for traded in (one, other):
        for bars in (traded.bars, [bar for bar in traded.bars if bar.volume]):
            days = [bar.day for bar in bars]
            yield from days[bisect_left(days, first) : bisect_right(days, last) + 1]


COMPUTED: Final = (StockAction.RUN_TA_BASIC, StockAction.RUN_TA_ADVANCED)
"""The actions whose figures are computed from prices alone. The others have none offline."""


def part_rows(eras: Sequence[Era], action: StockAction, library: Any) -> Floats:
    """Returns the figures of an action, with a row for each day of the eras and a column for each
    of the action's metrics. Missing figures are NaN.

    `library` is TA-Lib. Each figure is rounded as it is printed.
    """
    rows = [row for era in eras for row in _rows(era, PART_METRICS[action], library)]
    return np.array(rows, dtype=np.float64)


def _rows(era: Era, metrics: Sequence[Metric], library: Any) -> Iterator[list[float]]:
    series = era.series
    if era.first == len(series.days):
        return
    measures: dict[Metric, Measure] = {
        **MarketMeasures(series, era.first).measures(),
        **Indicators(series, library).measures(),
        **Candles(series, library).measures(),
    }
    for at in range(era.first, len(series.days)):
        yield [_rounded_or_nan(series, metric, measures[metric], at) for metric in metrics]


def _rounded_or_nan(series: PriceSeries, metric: Metric, measure: Measure, at: int) -> float:
    try:
        return float(rounded(series, metric, measure(at)))
    except Unmeasured:
        return float("nan")


MOST_NEAREST: Final = 3


class NoSuchSymbol(ValueError):
    """A stock has no offline series. The message names the symbols with the most similar
    spelling."""


class NoSuchDay(ValueError):
    """A stock has no current price at an instant. The message gives the days for which it has
    prices."""


class StockTable:
    """The figures of a stock as of the close of each day of its series, at 22:00 UTC.

    A day is identified by its place in `days`, which are in order. A day's figures use nothing
    known only later; each is rounded as the tool prints it.
    """

    def __init__(
        self,
        symbol: str,
        eras: Sequence[Era],
        rows: Mapping[StockAction, Floats],
        cash: CashRates,
        companies: CompanyFigures | None = None,
    ) -> None:
        """`rows` has, for some actions, a row for each day and a column for each metric.
        `companies` has the figures of generated facts."""
        self.symbol = symbol
        self.days = tuple(day for era in eras for day in era.series.days[era.first :])
        self._eras = tuple(eras)
        self._since = [era.since for era in eras]
        self._rows = rows
        self._cash = cash
        self._companies = companies
        self._closes = [close for era in eras for close in era.series.closes[era.first :]]
        self._values: dict[StockAction, list[dict[Metric, float] | None]] = {
            action: [None] * len(self.days) for action in DATA
        }

    def beside(self, facts: GeneratedFacts) -> "StockTable":
        """Returns a table with the same prices and other generated facts of the company."""
        companies = CompanyFigures(self.symbol, facts)
        return StockTable(self.symbol, self._eras, self._rows, self._cash, companies)

    @property
    def made_by(self) -> str | None:
        """The generator of its accounts and headlines if they are generated; None if they are
        not."""
        return None if self._companies is None else self._companies.generated

    def generated(self, action: StockAction) -> str | None:
        """Returns the generator of an action's figures if they are generated; None if they are
        not."""
        return self.made_by if action in COMPANY_ACTIONS else None

    def values(
        self, action: StockAction, at: int, as_of: datetime | None = None
    ) -> Mapping[Metric, float]:
        """Returns the available figures that an action fetches at an instant whose last close is
        that of a day. The instant defaults to that of the close.

        Raises:
            ValueError: the action fetches no figures of the stock.
        """
        if action not in self._values:
            raise ValueError(f"{action} brings no figures of the stock")
        if as_of is not None and action in COMPANY_ACTIONS and self._between_closes(at, as_of):
            return self._on_company(action, at, as_of)
        made = self._values[action][at]
        if made is None:
            made = self._values[action][at] = self._made(action, at)
        return made

    def rows(self, action: StockAction) -> Floats:
        """Returns the figures of an action, with a row for each day and a column for each of its
        metrics; missing figures are NaN."""
        found = self._rows.get(action)
        if found is not None:
            return found
        metrics = PART_METRICS[action]
        told = (self.values(action, at) for at in range(len(self.days)))
        return np.array([[values.get(m, np.nan) for m in metrics] for values in told], np.float64)

    def _made(self, action: StockAction, at: int) -> dict[Metric, float]:
        if action not in self._rows:
            return self._on_company(action, at, close_known_from(self.days[at]))
        told = zip(PART_METRICS[action], self._rows[action][at].tolist(), strict=True)
        # NaN is not equal to itself.
        return {metric: value for metric, value in told if value == value}

    def _between_closes(self, at: int, as_of: datetime) -> bool:
        return as_of != close_known_from(self.days[at])

    def _on_company(self, action: StockAction, at: int, as_of: datetime) -> dict[Metric, float]:
        if self._companies is None:
            return {}
        return self._companies.values(action, self.days[at], self._closes[at], as_of)

    def index(self, as_of: datetime) -> int:
        """Returns the place of the last day whose close is known at an instant.

        Raises:
            NoSuchDay: the series begins later, or has no price in the fourteen days before.
            ValueError: the instant has no time zone.
        """
        if as_of.tzinfo is None:
            raise ValueError(f"{as_of} has no time zone, so it is not an instant")
        known = last_close_day(as_of)
        at = bisect_right(self.days, known) - 1
        span = f"the prices of {self.symbol} go from {self.days[0]} to {self.days[-1]}"
        if at < 0:
            raise NoSuchDay(f"{span}, and none was known at {as_of.isoformat()}")
        if known - self.days[at] > LONGEST_GAP:
            between = (
                f"with none between {self.days[at]} and {self.days[at + 1]}, "
                if at + 1 < len(self.days)
                else ""
            )
            raise NoSuchDay(
                f"{span}, {between}and the last one is more than {LONGEST_GAP.days} days before "
                f"{as_of.isoformat()}"
            )
        return at

    def evaluation(
        self,
        at: int,
        position: int,
        weeks: int,
        cost: Decimal,
        made_at: datetime | None = None,
    ) -> tuple[dict[Metric, Decimal], dict[Metric, date]]:
        """Returns what the tool `performance` reports as of the horizon, and the day of each
        figure.

        Empty if there is no entry or no exit. `made_at` is the instant of the decision if it is not
        the close of the day.
        """
        instant = close_known_from(self.days[at]) if made_at is None else made_at
        until = last_close_day(instant + timedelta(weeks=weeks))
        series = self._eras[bisect_right(self._since, until) - 1].series
        try:
            entry_and_exit = held(series, instant, until)
        except Unmeasured:
            return {}, {}
        try:
            rate = cash_rate(series, self._cash, instant)
        except Unmeasured:
            rate = None
        swings = self.values(StockAction.RUN_TA_BASIC, at).get(Metric.VOLATILITY)
        volatility = None if swings is None else Decimal(str(swings))
        found = performance(
            entry_and_exit.entry, entry_and_exit.exit, position, cost, rate, volatility, 7 * weeks
        )
        return found, {metric: day_of(metric, entry_and_exit) for metric in found}


def symbols(store: PriceStore | None = None) -> tuple[str, ...]:
    """Returns the stocks that have an offline series.

    Raises:
        NotInstalled: no package with prices is installed.
    """
    found = (store or _usual_store()).packaged_stocks()
    if not found:
        raise NotInstalled(f"the packages with prices of stocks are not installed; {INSTALL_SWARM}")
    return found


def offline_words(symbol: str) -> str:
    """Describes the first and last day of a stock's offline prices; if it has none, lists the
    stocks that have.

    A run must not say this: as of an earlier day it is not known yet when a series will begin.
    """
    prices = _usual_store()
    try:
        there_are = symbols(prices)
    except NotInstalled as absent:
        return f"Offline there are none: {absent}."
    if symbol in there_are:
        return f"Offline there are prices of {symbol} of {packaged_days(symbol, prices)}."
    told = (f"{name} ({packaged_days(name, prices)})" for name in there_are)
    return f"Offline there are prices of {', '.join(told)}."


def packaged_days(symbol: str, prices: PriceStore) -> str:
    """Describes the days for which installed packages have prices of a stock: `2000-03-01 to
    2013-03-01 and 2015-04-01 to 2021-03-31`; empty if they have none."""
    if symbol not in prices.packaged_stocks():
        return ""
    try:
        series = sorted(traded.bars for traded in prices.packaged(symbol) if traded.bars)
    except NotInstalled:
        return ""
    return " and ".join(f"{bars[0].day} to {bars[-1].day}" for bars in series)


def read_symbol(given: object) -> str:
    """Returns a symbol in capitals, as the commands read it.

    Raises:
        NoSuchSymbol: it is not a string.
    """
    if not isinstance(given, str):
        raise NoSuchSymbol(f"{given!r} is no symbol of a stock; write one, such as 'NVDA'")
    return given.strip().upper()


def read_symbols(given: object) -> tuple[str, ...]:
    """Returns symbols in capitals, without duplicates. A string is one symbol; anything else is
    iterated.

    Raises:
        NoSuchSymbol: one is not a string.
    """
    named = given if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    return tuple(dict.fromkeys(map(read_symbol, named)))


def generated_facts(seed: int) -> GeneratedFacts:
    """Returns the facts that a seed generates about the stocks with offline series."""
    return GeneratedFacts(_usual_store(), seed)


def stock_table(
    symbol: str, store: PriceStore | None = None, facts: Facts = Facts.KNOWN
) -> StockTable:
    """Returns the table of a stock. Without a store, that of the packages is used, built once per
    process.

    Raises:
        NoSuchSymbol: the stock has no offline series.
        NotInstalled: the package with its prices, or TA-Lib, is not installed.
    """
    if store is None:
        return _usual_table(symbol, facts)
    table = _made(symbol, store)
    return table.beside(GeneratedFacts(store)) if facts is Facts.GENERATED else table


@cache
def _usual_table(symbol: str, facts: Facts) -> StockTable:
    # The figures from prices, which take seconds to compute, are the same with either facts.
    if facts is Facts.GENERATED:
        return _usual_table(symbol, Facts.KNOWN).beside(_usual_facts())
    return _made(symbol, _usual_store())


@cache
def _usual_facts() -> GeneratedFacts:
    return GeneratedFacts(_usual_store())


@cache
def _usual_store() -> PriceStore:
    return PriceStore(RatesStore())


@cache
def _cash() -> CashRates:
    return read_cash_rates()


def _made(symbol: str, store: PriceStore) -> StockTable:
    eras = eras_of(store, symbol)
    if not eras:
        raise NoSuchSymbol(_no_series(symbol, symbols(store)))
    library = ta_lib("the table of a stock")
    rows = {action: part_rows(eras, action, library) for action in COMPUTED}
    return StockTable(symbol, eras, rows, _cash())


def _no_series(symbol: str, held_symbols: Sequence[str]) -> str:
    alike = get_close_matches(symbol.upper()[:40], held_symbols, n=MOST_NEAREST, cutoff=0.5)
    near = tuple(dict.fromkeys((*nearest_symbols(symbol[:40], held_symbols, MOST_NEAREST), *alike)))
    named = f"nearest: {', '.join(near[:MOST_NEAREST])}" if near else _all(held_symbols)
    return f"there is no offline series of {symbol[:40]!r}; {named}"


def _all(held_symbols: Sequence[str]) -> str:
    return f"there are those of {', '.join(held_symbols)}"
