"""Compares a market with its own past, with its band if it is pegged, and with other markets."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from math import sqrt
from statistics import median
from typing import Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from desk.analytics.figures import as_number
from desk.analytics.formulas import band_position, percent_change
from desk.analytics.names.markets import DOLLAR
from desk.analytics.prices.moves import DAYS_A_YEAR, log_moves
from desk.analytics.prices.pegs import Peg, peg_known
from desk.analytics.technical.market_data import QUARTER_DAYS, MarketMeasures, quarter_move
from desk.analytics.technical.measures import (
    CENT,
    Floats,
    Measure,
    Unmeasured,
    analysis,
    closes_of,
    figure,
    floats_of,
    measured,
    months_before,
    rounded,
    share,
    towards,
)
from desk.analytics.technical.scenarios import BAND_METHOD, band_figures, edge_distance
from desk.analytics.technical.series import NoPrices, Prices, PriceSeries
from desk.contracts.agents.tools import SourceTier
from desk.contracts.episode.analysis import Analysis, Hint, MeasuredFigure, Signal
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.source_results import Provenance
from desk.contracts.markets import MarketKind

TABLE: Final = "Pegs and bands as their authorities announced them"

YEARS: Final = 10
FEWEST_YEARS: Final = 3
"""A rank in a shorter past says little: a convention."""

FEWEST_PRICES: Final = 20
"""For a span that a user asks for: a rank among fewer prices says nothing. A convention."""

QUARTERS_A_DEVIATION: Final = 2
"""A year's volatility is this many times that of a quarter: the square root of four."""

METHOD: Final = (
    f"past_rank: the percentage of the daily prices of the last {YEARS} years, at least "
    f"{FEWEST_YEARS}, that were below the last one. volatility_rank: the same for the standard "
    f"deviation of the {QUARTER_DAYS} daily log moves up to each day. quarter_swing: that "
    "deviation, scaled to a quarter, in percent. prior_high, prior_low: the highest and lowest of "
    f"the {QUARTER_DAYS} prices before the last. drawdown: the last price against the highest of "
    "twelve months, in percent. Computed with numpy."
)
_SPAN_METHOD: Final = (
    " With since, over the prices from {first} on: past_rank and drawdown among these prices; "
    "volatility_rank among their days' deviations; prior_high, prior_low: of the prices before "
    "the last; span_move: from the first to the last, as printed, in percent; span_swing: the "
    "deviation, scaled to as many moves."
)


def standing(series: PriceSeries, as_of: datetime, since: date | None = None) -> Analysis:
    """The rank of the last price, and of the volatility, in the market's own past; with `since`
    also in the prices from that day on."""
    market = MarketMeasures(series)
    measures: dict[Metric, Measure] = {
        Metric.LAST: lambda at: series.closes[at],
        Metric.PAST_RANK: lambda at: _rank(closes_of(series)[_from(series, at) : at + 1]),
        Metric.VOLATILITY: market.volatility,
        Metric.VOLATILITY_RANK: lambda at: _rank(_deviations(series, at)),
        Metric.QUARTER_MOVE: lambda at: market.move_of_months(at, 3),
        Metric.QUARTER_SWING: lambda at: market.volatility(at) / QUARTERS_A_DEVIATION,
        Metric.PRIOR_HIGH: lambda at: max(_quarter_before(series, at)),
        Metric.PRIOR_LOW: lambda at: min(_quarter_before(series, at)),
        Metric.YEAR_HIGH: lambda at: max(market.year(at)),
        Metric.YEAR_LOW: lambda at: min(market.year(at)),
        Metric.DRAWDOWN: lambda at: percent_change(max(market.year(at)), series.closes[at]),
    }
    figures, missing = measured(series, measures)
    if since is None:
        return analysis(series, as_of, METHOD, figures, (), missing)
    try:
        over = _over(series, since)
    except Unmeasured as reason:
        return analysis(series, as_of, METHOD, figures, (), (*missing, f"{reason}."))
    method = METHOD + _SPAN_METHOD.format(first=over[0].since)
    return analysis(series, as_of, method, (*figures, *over), (), missing)


def _over(series: PriceSeries, since: date) -> tuple[MeasuredFigure, ...]:
    """The figures over the prices from a day on, each with the first day that has a price.

    Raises:
        Unmeasured: the prices begin later, or there are too few.
    """
    if series.days[0] > since:
        raise Unmeasured(f"the prices of {series.symbol} begin on {series.days[0]}")
    first, last = bisect_left(series.days, since), len(series.days) - 1
    if first >= last:
        raise Unmeasured(f"from {since} on {series.symbol} has no two days with prices")
    closes, market = closes_of(series), MarketMeasures(series)
    start, end = (rounded(series, Metric.LAST, series.closes[at]) for at in (first, last))
    before = series.closes[first:last]
    by_metric: dict[Metric, float | Decimal] = {
        Metric.SPAN_MOVE: percent_change(start, end),
        Metric.SPAN_SWING: market.volatility(last) * sqrt((last - first) / DAYS_A_YEAR),
        Metric.PRIOR_HIGH: max(before),
        Metric.PRIOR_LOW: min(before),
        Metric.DRAWDOWN: percent_change(max(series.closes[first:]), series.last),
    }
    enough = last - first + 1 >= FEWEST_PRICES
    if enough:
        by_metric[Metric.PAST_RANK] = _rank(closes[first:])
    if enough and first >= QUARTER_DAYS:
        by_metric[Metric.VOLATILITY_RANK] = _rank(_quarters(closes[first - QUARTER_DAYS :]))
    day = series.days[first]
    return tuple(
        figure(series, m, v).model_copy(update={"since": day}) for m, v in by_metric.items()
    )


def _from(series: PriceSeries, at: int) -> int:
    """The index of the first day of the past that is used.

    Raises:
        Unmeasured: there is too little of it.
    """
    day = series.days[at]
    if series.days[0] > months_before(day, FEWEST_YEARS * 12):
        raise Unmeasured(
            f"the prices of {series.symbol} begin on {series.days[0]}, and it needs"
            f" {FEWEST_YEARS} years of them"
        )
    first = months_before(day, YEARS * 12)
    return next(place for place, each in enumerate(series.days) if each >= first)


def _rank(values: Floats) -> float:
    """The share of the values below the last one, in percent."""
    return float(np.mean(values[:-1] < values[-1]) * 100)


def _deviations(series: PriceSeries, at: int) -> Floats:
    """The deviation of a quarter's daily moves up to each day of the past that is used."""
    return _quarters(closes_of(series)[_from(series, at) : at + 1])


def _quarters(closes: Floats) -> Floats:
    """The deviation of each quarter's daily moves within some prices."""
    moves = log_moves(closes)
    windows = np.ascontiguousarray(sliding_window_view(moves, QUARTER_DAYS))
    found: Floats = np.std(windows, axis=1, ddof=1)
    return found


def _quarter_before(series: PriceSeries, at: int) -> tuple[Decimal, ...]:
    if at < QUARTER_DAYS:
        raise Unmeasured(
            f"it needs {QUARTER_DAYS + 1} days with prices, and {at + 1} are known without a hole"
        )
    return series.closes[at - QUARTER_DAYS : at]


def peg_band(series: PriceSeries, as_of: datetime) -> Analysis:
    """A pair's band, since when it is known, whether it was given up, and the distance of the last
    price from its nearest edge."""
    peg = peg_known(series.symbol, as_of)
    if peg is None:
        nothing = f"The table of pegs has no band of {series.symbol} that was known then."
        return analysis(series, as_of, "Nothing was computed.", (), (), (nothing,))
    gone = peg.ended is not None and peg.ended <= as_of
    url = peg.ended_url if gone else peg.url
    found = analysis(series, as_of, _method(peg, gone=gone), _figures(series, peg, gone=gone))
    source = Provenance(
        name=TABLE, tier=SourceTier.PRIMARY, origin=_capital(peg.authority), url=url
    )
    return found.model_copy(update={"source": source})


def _method(peg: Peg, *, gone: bool) -> str:
    state = "has ended" if gone else "is in force"
    return (
        f"The band of {peg.authority}, which {state}: band_low and band_high are its edges, "
        "peg_since and peg_ended the days on which it was announced and ended. edge_distance: how "
        "far the last price is from the nearest edge, in percent of that edge, negative outside "
        "the band. band_position: from 0 at the lower edge to 100 at the upper. "
        f"{BAND_METHOD}"
    )


def _figures(series: PriceSeries, peg: Peg, *, gone: bool) -> tuple[MeasuredFigure, ...]:
    edges = ((Metric.BAND_LOW, peg.low), (Metric.BAND_HIGH, peg.high))
    by_metric = {metric: value for metric, value in edges if value is not None}
    by_metric[Metric.PEG_SINCE] = as_number(peg.announced.date())
    if gone and peg.ended is not None:
        by_metric[Metric.PEG_ENDED] = as_number(peg.ended.date())
    else:
        by_metric[Metric.EDGE_DISTANCE] = edge_distance(series.last, peg).quantize(CENT)
        if peg.low is not None and peg.high is not None:
            place = band_position(series.last, peg.low, peg.high)
            by_metric[Metric.BAND_POSITION] = place.quantize(Decimal(1))
        by_metric |= band_figures(series, peg)
    return (
        figure(series, Metric.LAST, series.last),
        *(MeasuredFigure(metric=m, value=v, as_of=series.last_day) for m, v in by_metric.items()),
    )


def _capital(words: str) -> str:
    bare = words.removeprefix("the ")
    return bare[:1].upper() + bare[1:]


FEWEST_OTHERS: Final = 2
REACH: Final = timedelta(days=120)
"""How far back the other markets are read: a quarter and its longest gap."""

IN_STEP: Final = Decimal("0.5")
"""In percent. A market this close to its group moves with it."""

GROUP_METHOD = (
    "The market's three-month move compared with its group: the group's move is the median of the "
    "others' moves, the relative move is the market's own minus that, and breadth is the share of "
    "the others that moved in the same direction. "
)
_CURRENCY_METHOD = (
    "Each currency is measured against the US dollar: a rise means that the currency gained, "
    "whichever way the pair is quoted. "
)


@dataclass(frozen=True, slots=True)
class Bloc:
    """Markets of one kind. `home_of` are those that are compared with it."""

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
"""The desk's own blocs. A pegged currency is compared with one and is not a member."""

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
    """The move of the market, those of the others, and the others without a move."""

    own: Decimal
    others: dict[str, Decimal]
    without: tuple[str, ...]


def sector_analysis(store: Prices, series: PriceSeries, as_of: datetime) -> Analysis:
    """A market's move over the quarter compared with its group, whose prices `store` provides."""
    subject = _subject(series)
    bloc = _HOMES.get(subject)
    if bloc is None:
        reason = f"there is no group that {series.symbol} is measured against."
        return analysis(series, as_of, GROUP_METHOD, (), missing=(reason,))
    try:
        return _beside(store, series, subject, bloc, as_of)
    except Unmeasured as reason:
        return analysis(series, as_of, _group_method(series, bloc, ()), (), missing=(f"{reason}.",))


def _subject(series: PriceSeries) -> str:
    """The subject of the comparison: a stock, or of a pair the currency that is not the dollar,
    which is the base of a cross."""
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
    method = _group_method(series, bloc, tuple(measured.others))
    missing = (lacking,) if measured.without else ()
    return analysis(series, as_of, method, figures, signals, missing)


def _group_method(series: PriceSeries, bloc: Bloc, others: tuple[str, ...]) -> str:
    words = GROUP_METHOD + (_CURRENCY_METHOD if series.kind is MarketKind.PAIR else "")
    named = f" ({', '.join(others)})" if others else ""
    return f"{words}Group: {bloc.name}{named}."


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
    """The move of three months; a currency's own against the dollar. None without prices."""
    symbol = name if beside.kind is MarketKind.STOCK else f"{name}/{DOLLAR}"
    try:
        return quarter_move(store.series(symbol, as_of, since=as_of.date() - REACH))
    except (NoPrices, Unmeasured):
        return None


def _shared(series: PriceSeries, bloc: Bloc, group: Decimal, measured: _Measured) -> Signal:
    """The direction of the group. Its strength is the share of its members that agree."""
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
    """The strength is the distance from the group: full at five percent."""
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
    """Converts a hint about the currency to one about its symbol: a dearer yen is a lower
    USD/JPY."""
    if hint is Hint.NEUTRAL or not series.symbol.startswith(f"{DOLLAR}/"):
        return hint
    return Hint.DOWN if hint is Hint.UP else Hint.UP


BESIDE_METHOD: Final = (
    "Pearson's correlation of the daily log moves of {one} and {other} on the days on which both "
    f"have prices: correlation over the last {QUARTER_DAYS} moves, correlation_year over the last "
    f"{DAYS_A_YEAR}. Exchange prices and fixings are from different hours of the day. Computed "
    "with numpy."
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
