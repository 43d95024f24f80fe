"""How a market moves beside others: those of its kind, as blocs of currencies and a group of
stocks, and any other from day to day."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from statistics import median
from typing import Final, NamedTuple

import numpy as np

from desk.analytics.names.markets import DOLLAR
from desk.analytics.prices.moves import log_moves
from desk.analytics.technical.market_data import QUARTER_DAYS, quarter_move
from desk.analytics.technical.measures import (
    DAYS_A_YEAR,
    Unmeasured,
    analysis,
    figure,
    floats_of,
    measured,
    share,
    towards,
)
from desk.analytics.technical.series import NoPrices, Prices, PriceSeries
from desk.contracts.episode.analysis import Analysis, Hint, Signal
from desk.contracts.findings.claims import Metric
from desk.contracts.markets import MarketKind

FEWEST_OTHERS: Final = 2
REACH: Final = timedelta(days=120)
"""How far back the others are read: over a quarter and the longest pause in it."""

IN_STEP: Final = Decimal("0.5")
"""Percent. A market this close to its group moves with it."""

METHOD = (
    "The move over three months beside that of the others of its group: the group's move is the "
    "median of the others' moves, the relative move is its own less that, and breadth is the share "
    "of the others that went the same way as it. "
)
_CURRENCY_METHOD = (
    "Each currency is measured in its own direction against the US dollar: a rise is a dearer "
    "currency, whichever way the pair is quoted. "
)


@dataclass(frozen=True, slots=True)
class Bloc:
    """Markets of one kind. `home_of` are those that are measured against it."""

    name: str
    members: tuple[str, ...]
    home_of: tuple[str, ...]


CURRENCY_BLOCS: Final = (
    Bloc("safe havens and funding currencies", ("JPY", "CHF", "EUR"), ("JPY", "CHF")),
    Bloc(
        "commodity currencies",
        ("AUD", "NZD", "CAD", "NOK", "ZAR", "BRL"),
        ("AUD", "NZD", "CAD", "NOK", "ZAR", "BRL"),
    ),
    Bloc(
        "European currencies",
        ("EUR", "GBP", "CHF", "SEK", "NOK", "PLN", "CZK", "HUF"),
        ("EUR", "GBP", "SEK", "DKK", "PLN", "CZK", "HUF", "RON", "ISK"),
    ),
    Bloc(
        "currencies of Asian exporters",
        ("CNY", "KRW", "SGD", "THB", "MYR", "JPY"),
        ("CNY", "KRW", "SGD", "THB", "MYR", "HKD"),
    ),
    Bloc(
        "currencies of Asian importers of capital",
        ("INR", "IDR", "PHP", "THB"),
        ("INR", "IDR", "PHP"),
    ),
    Bloc("high yielders", ("MXN", "BRL", "ZAR", "TRY", "HUF"), ("MXN", "TRY", "ILS", "RUB")),
)
"""Blocs of the desk's own choosing. A pegged currency is measured against one and is no member."""

STOCK_GROUPS: Final = (
    Bloc(
        "large technology companies",
        ("NVDA", "AMZN", "MSFT", "NFLX", "TSLA", "AAPL", "IBM", "GOOG", "FB"),
        ("NVDA", "AMZN", "MSFT", "NFLX", "TSLA", "AAPL", "IBM", "GOOG", "FB"),
    ),
)


def _homes(blocs: tuple[Bloc, ...]) -> Mapping[str, Bloc]:
    return {member: bloc for bloc in blocs for member in bloc.home_of}


_HOMES: Final = _homes((*CURRENCY_BLOCS, *STOCK_GROUPS))


class _Measured(NamedTuple):
    """The moves of a market's own and of the others, and who of them has none."""

    own: Decimal
    others: dict[str, Decimal]
    without: tuple[str, ...]


def sector_analysis(store: Prices, series: PriceSeries, as_of: datetime) -> Analysis:
    """How a market moved over the quarter beside its group, whose prices `store` has."""
    subject = _subject(series)
    bloc = _HOMES.get(subject)
    if bloc is None:
        reason = f"there is no group that {series.symbol} is measured against."
        return analysis(series, as_of, METHOD, (), missing=(reason,))
    try:
        return _beside(store, series, subject, bloc, as_of)
    except Unmeasured as reason:
        return analysis(series, as_of, _method(series, bloc, ()), (), missing=(f"{reason}.",))


def _subject(series: PriceSeries) -> str:
    """Who is measured: a stock, or of a pair the currency that is not the dollar, the base of a
    cross."""
    if series.kind is MarketKind.STOCK:
        return series.symbol
    base, _, quote = series.symbol.partition("/")
    return quote if base == DOLLAR else base


def _beside(
    store: Prices, series: PriceSeries, subject: str, bloc: Bloc, as_of: datetime
) -> Analysis:
    measured = _measure(store, series, subject, bloc, as_of)
    lacking = f"no move of {', '.join(measured.without)}, without which the group is measured."
    if len(measured.others) < FEWEST_OTHERS:
        names = ", ".join(measured.without)
        raise Unmeasured(
            f"of the {bloc.name} fewer than {FEWEST_OTHERS} besides {subject} have prices over "
            f"three months up to {series.last_day}; none are known of {names}"
        )
    group = median(measured.others.values())
    relative = measured.own - group
    alike = [move for move in measured.others.values() if towards(move) is towards(measured.own)]
    breadth = Decimal(100 * len(alike)) / len(measured.others)
    figures = (
        figure(series, Metric.GROUP_MOVE, group),
        figure(series, Metric.RELATIVE_MOVE, relative),
        figure(series, Metric.BREADTH, breadth),
    )
    signals = (
        _shared(series, bloc, group, measured),
        _relative(series, bloc, relative),
    )
    method = _method(series, bloc, tuple(measured.others))
    missing = (lacking,) if measured.without else ()
    return analysis(series, as_of, method, figures, signals, missing)


def _method(series: PriceSeries, bloc: Bloc, others: tuple[str, ...]) -> str:
    told = METHOD + (_CURRENCY_METHOD if series.kind is MarketKind.PAIR else "")
    named = f" ({', '.join(others)})" if others else ""
    return f"{told}Group: {bloc.name}{named}."


def _measure(
    store: Prices, series: PriceSeries, subject: str, bloc: Bloc, as_of: datetime
) -> _Measured:
    own = _move(store, subject, series, as_of)
    if own is None:
        raise Unmeasured(f"there is no price of {subject} three months before {series.last_day}")
    others: dict[str, Decimal] = {}
    without: list[str] = []
    for member in bloc.members:
        if member == subject:
            continue
        move = _move(store, member, series, as_of)
        if move is None:
            without.append(member)
        else:
            others[member] = move
    return _Measured(own, others, tuple(without))


def _move(store: Prices, name: str, beside: PriceSeries, as_of: datetime) -> Decimal | None:
    """The move of three months; of a currency its own against the dollar. None without prices."""
    symbol = name if beside.kind is MarketKind.STOCK else f"{name}/{DOLLAR}"
    try:
        return quarter_move(store.series(symbol, as_of, since=as_of.date() - REACH))
    except (NoPrices, Unmeasured):
        return None


def _shared(series: PriceSeries, bloc: Bloc, group: Decimal, measured: _Measured) -> Signal:
    """The way of the group; as strong as its members agree."""
    way = "rose" if group > 0 else "fell" if group < 0 else "stood still"
    against = " against the US dollar" if series.kind is MarketKind.PAIR else ""
    alike = [move for move in measured.others.values() if towards(move) is towards(group)]
    return Signal(
        name="group",
        hint=_of_the_symbol(towards(group), series),
        strength=share(len(alike) / len(measured.others)),
        words=f"The {bloc.name} {way}{against} over the quarter, at the median.",
    )


def _relative(series: PriceSeries, bloc: Bloc, relative: Decimal) -> Signal:
    """As strong as it is far from the group: five percent count in full."""
    who = _subject(series)
    if abs(relative) < IN_STEP:
        words = f"{who} moved with the {bloc.name}."
        return Signal(name="relative strength", hint=Hint.NEUTRAL, strength=0.5, words=words)
    word = "stronger" if relative > 0 else "weaker"
    return Signal(
        name="relative strength",
        hint=_of_the_symbol(towards(relative), series),
        strength=share(float(abs(relative)) / 5),
        words=f"{who} was {word} than the {bloc.name} over the quarter.",
    )


def _of_the_symbol(hint: Hint, series: PriceSeries) -> Hint:
    """A hint about the currency as one about its symbol: a dearer yen is a lower USD/JPY."""
    if hint is Hint.NEUTRAL or not series.symbol.startswith(f"{DOLLAR}/"):
        return hint
    return Hint.DOWN if hint is Hint.UP else Hint.UP


BESIDE_METHOD: Final = (
    "Pearson's correlation of the daily logarithmic moves of {one} and {other} on the days on "
    f"which both have prices: correlation over the last {QUARTER_DAYS} moves, correlation_year "
    f"over the last {DAYS_A_YEAR}. Prices of exchanges and fixings are of different hours of a "
    "day. Computed with numpy."
)


def co_movement(series: PriceSeries, other: PriceSeries, as_of: datetime) -> Analysis:
    """The correlation of a market's daily moves with those of another, over a quarter and a
    year."""
    figures, missing = measured(
        series,
        {
            Metric.CORRELATION: lambda _: _correlation(series, other, QUARTER_DAYS),
            Metric.CORRELATION_YEAR: lambda _: _correlation(series, other, DAYS_A_YEAR),
        },
    )
    method = BESIDE_METHOD.format(one=series.symbol, other=other.symbol)
    return analysis(series, as_of, method, figures, (), (*missing, *other.notes))


def _correlation(one: PriceSeries, other: PriceSeries, count: int) -> float:
    others = dict(zip(other.days, other.closes, strict=True))
    both = [
        (close, others[day])
        for day, close in zip(one.days, one.closes, strict=True)
        if day in others
    ][-count - 1 :]
    if len(both) <= count:
        raise Unmeasured(
            f"{one.symbol} and {other.symbol} have {len(both)} days with prices in common, and it"
            f" needs {count + 1}"
        )
    moves = [log_moves(floats_of(prices)) for prices in zip(*both, strict=True)]
    if any(np.ptp(each) == 0 for each in moves):
        raise Unmeasured("one of the two did not move")
    return float(np.corrcoef(moves[0], moves[1])[0, 1])
