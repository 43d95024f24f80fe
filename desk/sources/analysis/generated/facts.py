"""Generates accounts and headlines of the stocks with packaged prices, with a known dependence on
the price that came after them.

A fact is computed from a score: `correlation` x the later return + shares of what it follows +
noise, with a variance of about 1. The later return is the logarithmic one over so many closes from
the fact's day on, divided by the usual swing of that time: the deviation of the series' daily
returns x the root of the days. Towards the end of a series fewer closes follow, and the return
covers only those. A fact may also follow a move of the price up to its day, which the technical
figures contain: a reader with these figures can remove that part, and sees the rest more clearly.

A year's accounts come with the report on its last quarter. Net income is revenue times a margin;
the earnings a share are the price of the day before over a multiple, and the shares, the equity and
the debt follow from these. A split restates them. Two years of accounts are known when the series
begins. A headline appears on some days, and its tone follows its score, by the word list that the
desk reads headlines with.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from math import exp, sqrt
from random import Random
from statistics import NormalDist
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

import numpy as np

from desk.analytics.technical.companies import (
    AccountItem,
    AccountLine,
    Accounts,
    EarningsReport,
    NoAccounts,
)
from desk.analytics.technical.indicators import ADX_DAYS, ta_lib
from desk.analytics.technical.measures import NotInstalled
from desk.analytics.technical.series import PriceSeries, Traded, known_until, ratio_after, series_of
from desk.contracts.agents.tools import GENERATED, SourceTier
from desk.contracts.findings.source_results import NewsItem, Provenance

GENERATOR: Final = "desk facts of companies, version 4"
"""Changes with anything that changes a generated fact."""

SEED: Final = 2026

LARGEST: Final = 3.0
"""A later return of more usual swings than this counts as this many."""

_NORMAL: Final = NormalDist()
_LEAST: Final = 1e-9


class PriceTrace(StrEnum):
    """What a fact follows of the price up to its day: the move of a year, or the strength of the
    trend, by Wilder's ADX (1978). The move is in percent, like the technical figures, and not in a
    stock's own swings: so a reader with the figure can remove it, for any stock."""

    YEAR = "year"
    TREND = "trend"


class Relation(NamedTuple):
    """How many closes a fact looks ahead, its score's correlation with that return, and what it
    follows of the earlier price, each with its share."""

    days: int
    correlation: float
    follows: tuple[tuple[PriceTrace, float], ...] = ()


TONE, ATTENTION, NOISE = "tone", "attention", "noise"
SURPRISE, GROWTH, CHEAPNESS = "surprise", "growth", "cheapness"

RELATIONS: Final[Mapping[str, Relation]] = MappingProxyType(
    {
        TONE: Relation(20, 0.6, ((PriceTrace.TREND, 0.4), (PriceTrace.YEAR, 0.68))),
        ATTENTION: Relation(20, -0.6),
        SURPRISE: Relation(63, 0.85, ((PriceTrace.YEAR, 0.4),)),
        GROWTH: Relation(252, 0.8),
        CHEAPNESS: Relation(252, 0.5),
        NOISE: Relation(0, 0.0),
    }
)
"""For the tone of a headline, the number of headlines on a day, the surprise of a quarter's
earnings, a year's growth of revenue, the cheapness of the price relative to earnings, and noise, of
which margins and debt are made. There are many headlines about stocks that fall later. Stocks that
rose over a year, or have a strong trend, get good headlines, and the former also surprise with
their earnings. These are conventions of this generator, chosen on days before those that
docs/stock.md holds out, such that no kind of research can be omitted without a cost; nothing was
measured on companies."""

YEAR: Final = 252

USUAL_YEAR, YEARS_SWING = 15.0, 45.0
"""The move of a year that counts as zero, and one that counts as one swing, in percent.
Conventions."""


class PriceMoves:
    """The moves of one series after and before its days, in usual swings."""

    def __init__(self, closes: Sequence[Decimal], trends: Sequence[float] = ()) -> None:
        """`closes` are in the same shares throughout, oldest first, with the strength of the trend
        of each day."""
        self._trends = trends
        self._levels = np.log(np.array([float(close) for close in closes]))
        steps = np.diff(self._levels)
        self._swing = float(steps.std()) if len(steps) > 1 else 0.0

    def over(self, at: int, days: int) -> float:
        """The return over the next `days` closes, or as many as there are. 0 if there are none."""
        return self._between(at, min(at + days, len(self._levels) - 1))

    def trace(self, of: PriceTrace, at: int) -> float:
        """What a fact of a day follows of the price up to its close. 0 without an earlier price."""
        if of is PriceTrace.YEAR:
            return self._years_move(at)
        return self._trends[at] if self._trends else 0.0

    def _years_move(self, at: int) -> float:
        if at < YEAR:
            return 0.0
        moved = exp(self._levels[at] - self._levels[at - YEAR]) - 1
        return _bounded((100 * float(moved) - USUAL_YEAR) / YEARS_SWING)

    def _between(self, first: int, last: int) -> float:
        if last <= first or not self._swing:
            return 0.0
        moved = float(self._levels[last] - self._levels[first])
        return _bounded(moved / (self._swing * sqrt(last - first)))


def _bounded(swings: float) -> float:
    return max(-LARGEST, min(LARGEST, swings))


def moves_of(series: PriceSeries) -> PriceMoves:
    """The moves of a series, in the shares of its last day.

    Raises:
        NotInstalled: TA-Lib is not installed.
    """
    return PriceMoves(series.closes, _trends(series))


def _trends(series: PriceSeries) -> Sequence[float]:
    """The strength of the trend of each day, in deviations from its mean in the series. 0 if it
    cannot be computed, as for a series without highs and lows."""
    if not series.highs:
        return [0.0] * len(series.days)
    prices = (
        np.array(list(map(float, each))) for each in (series.highs, series.lows, series.closes)
    )
    strengths = ta_lib("the generator of facts").ADX(*prices, ADX_DAYS)
    swing = float(np.nanstd(strengths)) or 1.0
    scores = np.nan_to_num((strengths - np.nanmean(strengths)) / swing)
    return [_bounded(float(each)) for each in scores]


class Draws:
    """The random draws of one kind of facts of a symbol. They are reproducible, whatever else is
    drawn."""

    def __init__(self, seed: int, symbol: str, kind: str, moves: PriceMoves) -> None:
        # Python guarantees the same numbers for a text seed in every version.
        self._random = Random(f"{GENERATOR}/{seed}/{symbol}/{kind}")  # noqa: S311
        self._moves = moves

    def share(self) -> float:
        """A number from 0 to 1."""
        return self._random.random()

    def score(self, kind: str, at: int) -> float:
        """The score of a fact, for the day at an index of the series."""
        days, known, follows = RELATIONS[kind]
        later = self._moves.over(at, days) if known else 0.0
        before = sum(share * self._moves.trace(trace, at) for trace, share in follows)
        left = 1 - known**2 - sum(share**2 for _, share in follows)
        return known * later + before + sqrt(left) * self._noise()

    def _noise(self) -> float:
        return _NORMAL.inv_cdf(min(1 - _LEAST, max(_LEAST, self._random.random())))


MIDDLE_MULTIPLE: Final = 20.0
FIRST_REVENUE: Final = 10e9
SOONEST, LATEST = 25, 40
"""Days from the end of a quarter to its report."""

_QUARTER_ENDS: Final = ((3, 31), (6, 30), (9, 30), (12, 31))
_REPORTED_AT: Final = time(20, 30, tzinfo=UTC)
_MONEY: Final = Decimal("1000000")
_A_SHARE: Final = Decimal("0.0001")


class _Year(NamedTuple):
    """The accounts of a year, with their filing day, their price and their shares."""

    end: date
    filed_on: date
    in_shares_of: date
    revenue: float
    margin: float
    multiple: float
    price: float
    return_on_equity: float
    debt: float


def generated_accounts(series: PriceSeries, seed: int = SEED) -> Accounts:
    """All generated accounts of a company, whenever they count as known.

    `series` has all its prices, in the shares of its last day, with its splits.
    """
    draws = Draws(seed, series.symbol, f"accounts of {series.days[0]}", moves_of(series))
    reported = tuple(_reported_on(series.days, draws))
    years = tuple(_years(series, reported, draws))
    lines = tuple(line for year in years for line in _lines(year, series))
    return Accounts(lines, tuple(_reports(series, reported, years, draws)))


def _reported_on(days: Sequence[date], draws: Draws) -> Iterator[tuple[date, int]]:
    """The end of each quarter, and the index of the day of its report in the series."""
    for year in range(days[0].year - 1, days[-1].year + 1):
        for month, day in _QUARTER_ENDS:
            delay = SOONEST + int(draws.share() * (LATEST - SOONEST))
            at = bisect_left(days, date(year, month, day) + timedelta(days=delay))
            if 0 < at < len(days):
                yield date(year, month, day), at


def _years(
    series: PriceSeries, reported: Sequence[tuple[date, int]], draws: Draws
) -> Iterator[_Year]:
    revenue = FIRST_REVENUE
    inside = [one for one in reported if one[0].month == 12]
    first = inside[0][0].year if inside else series.days[0].year
    before = [(date(first - back, 12, 31), 0) for back in (2, 1)]
    for end, at in (*before, *inside):
        growth = 0.08 + 0.15 * draws.score(GROWTH if at else NOISE, at)
        revenue *= 1 + max(-0.6, growth)
        shares = ratio_after(series.splits, series.days[at])
        yield _Year(
            end=end,
            filed_on=series.days[at] if at else min(series.days[0], end + timedelta(days=60)),
            in_shares_of=series.days[at],
            revenue=revenue,
            margin=max(0.01, 0.12 + 0.06 * draws.score(NOISE, at)),
            multiple=MIDDLE_MULTIPLE * exp(-0.35 * draws.score(CHEAPNESS if at else NOISE, at)),
            price=float(series.closes[max(0, at - 1)] * shares),
            return_on_equity=max(0.03, 0.16 + 0.06 * draws.score(NOISE, at)),
            debt=max(0.0, 0.8 + 0.6 * draws.score(NOISE, at)),
        )


def _lines(year: _Year, series: PriceSeries) -> Iterator[AccountLine]:
    """A year's lines as filed, and restated at each later split."""
    income = year.revenue * year.margin
    a_share = Decimal(str(year.price / year.multiple))
    equity = income / year.return_on_equity
    money = {
        AccountItem.REVENUE: year.revenue,
        AccountItem.NET_INCOME: income,
        AccountItem.EQUITY: equity,
        AccountItem.DEBT: equity * year.debt,
    }
    for item, value in money.items():
        rounded = Decimal(str(value)).quantize(_MONEY)
        yield AccountLine(item, rounded, series.currency, year.end, year.filed_on)
    shares = Decimal(str(income)) / a_share
    yield from _in_shares(year, a_share, shares, series.currency, year.filed_on)
    for split in series.splits:
        if split.day > year.in_shares_of:
            a_share, shares = a_share / split.ratio, shares * split.ratio
            # A line counts as known from the end of its day: this one is known on the split's day.
            known = split.day - timedelta(days=1)
            yield from _in_shares(year, a_share, shares, series.currency, known)


def _in_shares(
    year: _Year, a_share: Decimal, shares: Decimal, currency: str, filed_on: date
) -> Iterator[AccountLine]:
    earnings = max(_A_SHARE, a_share.quantize(_A_SHARE))
    yield AccountLine(AccountItem.EARNINGS_A_SHARE, earnings, currency, year.end, filed_on)
    yield AccountLine(AccountItem.SHARES, shares.quantize(Decimal(1)), None, year.end, filed_on)


def _reports(
    series: PriceSeries,
    reported: Sequence[tuple[date, int]],
    years: Sequence[_Year],
    draws: Draws,
) -> Iterator[EarningsReport]:
    """A quarter's expected earnings are a fourth of those of the last known year."""
    for _, at in reported:
        day = series.days[at]
        last = [year for year in years if year.filed_on < day][-1]
        known = Decimal(str(last.price / last.multiple / 4))
        split = ratio_after(series.splits, last.in_shares_of, day)
        expected = max(_A_SHARE, (known / split).quantize(_A_SHARE))
        surprise = max(-0.9, 0.12 * draws.score(SURPRISE, at))
        actual = max(_A_SHARE, (expected * Decimal(str(1 + surprise))).quantize(_A_SHARE))
        yield EarningsReport(datetime.combine(day, _REPORTED_AT), actual, expected)


MARK: Final = "[generated]"
"""The prefix of every generated headline."""

USUALLY: Final = 0.35
"""The probability of a headline on a usual day of trading."""

LOUDNESS: Final = 1.3
"""How much the logarithm of that probability grows with the score of the attention."""

_OPENS: Final = time(11, tzinfo=UTC)
_OPEN_MINUTES: Final = 600

_WORDS: Final = (
    (
        1.2,
        (
            "wins a great contract and celebrates record success",
            "delights investors with excellent results",
            "enjoys its best and strongest season so far",
            "praised for outstanding growth and a brilliant launch",
            "triumphs: superb demand, happy customers",
        ),
    ),
    (
        0.3,
        (
            "gains customers in a good month",
            "improves its outlook",
            "strengthens its lead",
            "welcomes solid interest in a new service",
            "sees a positive start into the season",
        ),
    ),
    (
        -0.3,
        (
            "holds its annual meeting",
            "names a new head of its operations",
            "moves an office to another street",
            "publishes its calendar",
            "changes the layout of its reports",
        ),
    ),
    (
        -1.2,
        (
            "warns of a weak month",
            "loses customers to a rival",
            "delays a launch over problems",
            "faces criticism of its service",
            "cuts its outlook on doubts",
        ),
    ),
    (
        float("-inf"),
        (
            "shaken by terrible losses and a fraud inquiry",
            "suffers its worst failure in years",
            "sued over a disastrous recall, fears grow",
            "in crisis: awful demand, angry customers",
            "hit hard by a scandal and a damaging strike",
        ),
    ),
)
"""The lowest score of each group, and its phrases."""


def publisher(seed: int = SEED) -> str:
    """The publisher of a generated headline."""
    return f"{GENERATOR}, seed {seed}"


def generated_headlines(series: PriceSeries, name: str, seed: int = SEED) -> Iterator[NewsItem]:
    """The headlines about a company, oldest first.

    `series` has all its prices, in the shares of its last day.
    """
    kind = f"headlines of {series.days[0]}"
    draws = Draws(seed, series.symbol, kind, moves_of(series))
    for at, day in enumerate(series.days):
        if draws.share() < USUALLY * exp(LOUDNESS * draws.score(ATTENTION, at)):
            minutes = int(draws.share() * _OPEN_MINUTES)
            phrase = _phrase(draws.score(TONE, at), draws.share())
            yield NewsItem(
                headline=f"{MARK} {name} {phrase}",
                publisher=publisher(seed),
                published_at=datetime.combine(day, _OPENS) + timedelta(minutes=minutes),
            )


def _phrase(score: float, share: float) -> str:
    words = next(words for least, words in _WORDS if score >= least)
    return words[int(share * len(words))]


NOT_GENERATED: Final = (
    "No accounts of {symbol} are generated: it is no company or index with packaged prices."
)


def generated_source(seed: int = SEED) -> Provenance:
    """The source of generated facts. Its name and origin say that no publisher provides them."""
    return Provenance(
        name=f"{GENERATED} facts for practice ({GENERATOR}, seed {seed})",
        tier=SourceTier.DERIVED,
        origin=f"{GENERATED}: {GENERATOR}, seed {seed}",
    )


GENERATED_SOURCE: Final = generated_source()


def has_accounts(symbol: str) -> bool:
    """Whether a stock can have accounts: its own if it is a company, or those of its companies
    taken together if it is an index. A spot price, as Yahoo writes it, has none."""
    return not symbol.endswith("=X")


class PackagedPrices(Protocol):
    """The prices that facts are generated from."""

    def packaged(self, symbol: str) -> tuple[Traded, ...]:
        """Every packaged series of a stock. Empty if there is none.

        Raises:
            NotInstalled: the package of one is not installed.
        """
        ...

    def name_of(self, symbol: str) -> str:
        """The name of a stock in headlines."""
        ...


class GeneratedFacts:
    """Accounts and headlines, generated once for each symbol from all its packaged prices.

    They are returned for all days; the tools omit those that had not been published by their
    instant.
    """

    def __init__(self, prices: PackagedPrices, seed: int = SEED) -> None:
        self.source = generated_source(seed)
        self._prices, self._seed = prices, seed
        self._companies: dict[str, _Company] = {}

    def accounts(self, symbol: str) -> Accounts:
        """All accounts of a company.

        Raises:
            NoAccounts: it is not a company, or no package has its prices.
        """
        try:
            company = self._company(symbol)
        except NotInstalled as error:
            raise NoAccounts(f"{error}.") from error
        if company is None or not has_accounts(symbol):
            raise NoAccounts(NOT_GENERATED.format(symbol=symbol))
        return company.accounts

    def headlines(self, symbol: str, start: datetime, end: datetime) -> Sequence[NewsItem] | None:
        """The headlines published between two instants, both included, oldest first. None for a
        stock without packaged prices.

        Raises:
            NotInstalled: the package with its prices is not installed.
        """
        company = self._company(symbol)
        return None if company is None else company.between(start, end)

    def _company(self, symbol: str) -> "_Company | None":
        if symbol not in self._companies:
            series = tuple(_whole(self._prices, symbol))
            if not series:
                return None
            name = self._prices.name_of(symbol)
            self._companies[symbol] = _Company(name, series, self._seed)
        return self._companies[symbol]


class _Company:
    """The generated facts of one stock, separately for each of its series."""

    def __init__(self, name: str, series: Sequence[PriceSeries], seed: int) -> None:
        self._name, self._series, self._seed = name, series, seed

    @cached_property
    def accounts(self) -> Accounts:
        made = [generated_accounts(each, self._seed) for each in self._series]
        return Accounts(
            tuple(line for each in made for line in each.lines),
            tuple(report for each in made for report in each.reports),
        )

    @cached_property
    def _headlines(self) -> tuple[NewsItem, ...]:
        made = [
            item
            for series in self._series
            for item in generated_headlines(series, self._name, self._seed)
        ]
        return tuple(sorted(made, key=lambda item: item.published_at))

    @cached_property
    def _instants(self) -> list[datetime]:
        return [item.published_at for item in self._headlines]

    def between(self, start: datetime, end: datetime) -> Sequence[NewsItem]:
        first, last = bisect_left(self._instants, start), bisect_right(self._instants, end)
        return self._headlines[first:last]


def _whole(prices: PackagedPrices, symbol: str) -> Iterator[PriceSeries]:
    """Each packaged series of a stock, in the shares of its last day."""
    for traded in prices.packaged(symbol):
        if traded.bars:
            known = known_until(traded, traded.bars[-1].day)
            yield series_of(symbol, GENERATED_SOURCE, known, date.min)
