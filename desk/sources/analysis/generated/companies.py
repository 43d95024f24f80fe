"""Generated accounts: those of a year, and a report of earnings for each quarter.

A year's accounts come with the report on its last quarter. Net income is revenue times a margin;
the earnings a share are the price of the day before over a multiple, and the shares, the equity and
the debt follow from these. A split restates them. Two years of accounts are known when the series
begins.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from math import exp
from typing import Final, NamedTuple

from desk.analytics.technical.companies import AccountItem, AccountLine, Accounts, EarningsReport
from desk.analytics.technical.series import PriceSeries, ratio_after
from desk.sources.analysis.generated.relation import (
    CHEAPNESS,
    GROWTH,
    NOISE,
    SEED,
    SURPRISE,
    Draws,
    LaterReturns,
)

MIDDLE_MULTIPLE: Final = 20.0
FIRST_REVENUE: Final = 10e9
SOONEST, LATEST = 25, 40
"""Days from the end of a quarter to its report."""

_QUARTER_ENDS: Final = ((3, 31), (6, 30), (9, 30), (12, 31))
_REPORTED_AT: Final = time(20, 30, tzinfo=UTC)
_MONEY: Final = Decimal("1000000")
_A_SHARE: Final = Decimal("0.0001")


class _Year(NamedTuple):
    """The accounts of a year: when they came out, at which price, in whose shares."""

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
    """Everything that is generated of a company, whenever it counts as known.

    `series` has all its prices, in the shares of its last day, with its splits.
    """
    draws = Draws(seed, series.symbol, f"accounts of {series.days[0]}", LaterReturns(series.closes))
    reported = tuple(_reported_on(series.days, draws))
    years = tuple(_years(series, reported, draws))
    lines = tuple(line for year in years for line in _lines(year, series))
    return Accounts(lines, tuple(_reports(series, reported, years, draws)))


def _reported_on(days: Sequence[date], draws: Draws) -> Iterator[tuple[date, int]]:
    """The end of each quarter, and the place of the day of its report in the series."""
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
    """A year's lines as they came out, and restated at each split that followed."""
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
        told = Decimal(str(value)).quantize(_MONEY)
        yield AccountLine(item, told, series.currency, year.end, year.filed_on)
    shares = Decimal(str(income)) / a_share
    yield from _in_shares(year, a_share, shares, series.currency, year.filed_on)
    for split in series.splits:
        if split.day > year.in_shares_of:
            a_share, shares = a_share / split.ratio, shares * split.ratio
            # A line counts as known from the end of its day: so it is there on the split's own.
            known = split.day - timedelta(days=1)
            yield from _in_shares(year, a_share, shares, series.currency, known)


def _in_shares(
    year: _Year, a_share: Decimal, shares: Decimal, currency: str, filed_on: date
) -> Iterator[AccountLine]:
    told = max(_A_SHARE, a_share.quantize(_A_SHARE))
    yield AccountLine(AccountItem.EARNINGS_A_SHARE, told, currency, year.end, filed_on)
    yield AccountLine(AccountItem.SHARES, shares.quantize(Decimal(1)), None, year.end, filed_on)


def _reports(
    series: PriceSeries,
    reported: Sequence[tuple[date, int]],
    years: Sequence[_Year],
    draws: Draws,
) -> Iterator[EarningsReport]:
    """A quarter's earnings are expected to be a fourth of the last year's that was known."""
    for _, at in reported:
        day = series.days[at]
        last = [year for year in years if year.filed_on < day][-1]
        known = Decimal(str(last.price / last.multiple / 4))
        split = ratio_after(series.splits, last.in_shares_of, day)
        expected = max(_A_SHARE, (known / split).quantize(_A_SHARE))
        surprise = max(-0.9, 0.12 * draws.score(SURPRISE, at))
        actual = max(_A_SHARE, (expected * Decimal(str(1 + surprise))).quantize(_A_SHARE))
        yield EarningsReport(datetime.combine(day, _REPORTED_AT), actual, expected)
