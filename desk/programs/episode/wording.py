"""The desk's own words for an insight: prose with references in place of figures."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.findings.results import Leaning
from desk.programs.episode.actions import Pointer


class Topic(StrEnum):
    """The topics of the desk's own insights, in order."""

    TREND = "trend"
    LONG_TREND = "long trend"
    AVERAGES = "moving averages"
    MOMENTUM = "momentum"
    YEAR = "move of the year"
    PLACE = "place in the year"
    MONTH = "move of the month"
    STRETCH = "stretch"
    BANDS = "bands"
    STRENGTH = "strength of trend"
    LINE = "regression line"
    NEWS_TONE = "news tone"
    EARNINGS_MULTIPLE = "price to earnings"
    BOOK_MULTIPLE = "price to book"
    GROWTH = "growth"
    EARNINGS = "earnings"
    MARGIN = "profitability"
    DEBT = "debt"


class _Words(NamedTuple):
    """The sentences of a topic's insight by its leaning, with a metric in braces in place of its
    figure."""

    up: str
    down: str
    neutral: str
    names: tuple[Metric, ...]


_WORDS: Final[Mapping[str, _Words]] = MappingProxyType(
    {
        Topic.TREND: _Words(
            "The price went up over the quarter ({quarter_move}), by enough to be a trend given its"
            " usual swings ({volatility} a year).",
            "The price went down over the quarter ({quarter_move}), by enough to be a trend given"
            " its usual swings ({volatility} a year).",
            "The price went sideways over the quarter ({quarter_move}), given its usual swings"
            " ({volatility} a year).",
            (Metric.QUARTER_MOVE, Metric.VOLATILITY),
        ),
        Topic.LONG_TREND: _Words(
            "At {last} the price is above its long moving average of {sma_200}.",
            "At {last} the price is below its long moving average of {sma_200}.",
            "At {last} the price is on its long moving average of {sma_200}.",
            (Metric.LAST, Metric.SMA_200),
        ),
        Topic.AVERAGES: _Words(
            "The shorter moving average, {sma_50}, is above the longer one, {sma_200}.",
            "The shorter moving average, {sma_50}, is below the longer one, {sma_200}.",
            "The shorter moving average, {sma_50}, is on the longer one, {sma_200}.",
            (Metric.SMA_50, Metric.SMA_200),
        ),
        Topic.MOMENTUM: _Words(
            "Momentum points up: the MACD histogram is {macd_histogram} of the price.",
            "Momentum points down: the MACD histogram is {macd_histogram} of the price.",
            "Momentum points neither way: the MACD histogram is {macd_histogram} of the price.",
            (Metric.MACD_HISTOGRAM,),
        ),
        Topic.YEAR: _Words(
            "The price stands higher than a year before ({year_move}), by enough to be a trend"
            " given its usual swings.",
            "The price stands lower than a year before ({year_move}), by enough to be a trend given"
            " its usual swings.",
            "The price stands little changed from a year before ({year_move}), given its usual"
            " swings.",
            (Metric.YEAR_MOVE,),
        ),
        Topic.PLACE: _Words(
            "At {last} the price is near the high of its year, {year_high}.",
            "At {last} the price is near the low of its year, {year_low}.",
            "At {last} the price is inside the range of its year, between {year_low} and"
            " {year_high}.",
            (Metric.LAST, Metric.YEAR_LOW, Metric.YEAR_HIGH),
        ),
        Topic.MONTH: _Words(
            "Over the month the price went down by more than it usually swings ({month_move}),"
            " which points to a move back up.",
            "Over the month the price went up by more than it usually swings ({month_move}), which"
            " points to a move back down.",
            "Over the month the price moved no more than it usually swings ({month_move}).",
            (Metric.MONTH_MOVE,),
        ),
        Topic.STRETCH: _Words(
            "The price is oversold: its relative strength index is {rsi}.",
            "The price is overbought: its relative strength index is {rsi}.",
            "The price is neither overbought nor oversold: its relative strength index is {rsi}.",
            (Metric.RSI,),
        ),
        Topic.BANDS: _Words(
            "The price is below its lower Bollinger band (at {bollinger_position} of the width).",
            "The price is above its upper Bollinger band (at {bollinger_position} of the width).",
            "The price is inside its Bollinger bands, at {bollinger_position} of their width.",
            (Metric.BOLLINGER_POSITION,),
        ),
        Topic.STRENGTH: _Words(
            "The month's rise ({month_move}) is a strong trend: its directional index is {adx}.",
            "The month's fall ({month_move}) is a strong trend: its directional index is {adx}.",
            "The month shows no strong trend up or down: its directional index is {adx}.",
            (Metric.ADX, Metric.MONTH_MOVE),
        ),
        Topic.LINE: _Words(
            # It may lead out of the range: the sentence must not say otherwise.
            "The regression line through recent prices leads up, to {target}; the expected range"
            " is from {expected_low} to {expected_high}.",
            "The regression line through recent prices leads down, to {target}; the expected"
            " range is from {expected_low} to {expected_high}.",
            "The regression line through recent prices leads to {target}, near the middle of the"
            " expected range from {expected_low} to {expected_high}.",
            (Metric.TARGET, Metric.EXPECTED_LOW, Metric.EXPECTED_HIGH),
        ),
        Topic.NEWS_TONE: _Words(
            "Judged by word lists, the news sounds good: its tone is {news_tone}.",
            "Judged by word lists, the news sounds bad: its tone is {news_tone}.",
            "Judged by word lists, the news sounds even: its tone is {news_tone}.",
            (Metric.NEWS_TONE,),
        ),
        Topic.EARNINGS_MULTIPLE: _Words(
            "By its earnings the stock is cheap, at {price_to_earnings} times what a share earned.",
            "By its earnings the stock is dear, at {price_to_earnings} times what a share earned.",
            "By its earnings the stock is neither cheap nor dear, at {price_to_earnings} times what"
            " a share earned.",
            (Metric.PRICE_TO_EARNINGS,),
        ),
        Topic.BOOK_MULTIPLE: _Words(
            "By its equity the stock is cheap, at {price_to_book} times its book value.",
            "By its equity the stock is dear, at {price_to_book} times its book value.",
            "By its equity the stock is neither cheap nor dear, at {price_to_book} times its book"
            " value.",
            (Metric.PRICE_TO_BOOK,),
        ),
        Topic.GROWTH: _Words(
            "The company's revenue grew on the year ({revenue_growth}).",
            "The company's revenue shrank on the year ({revenue_growth}).",
            "The company's revenue stood still on the year ({revenue_growth}).",
            (Metric.REVENUE_GROWTH,),
        ),
        Topic.EARNINGS: _Words(
            "The last earnings came in above what had been expected ({earnings_surprise}).",
            "The last earnings came in below what had been expected ({earnings_surprise}).",
            "The last earnings came in as expected ({earnings_surprise}).",
            (Metric.EARNINGS_SURPRISE,),
        ),
        Topic.MARGIN: _Words(
            "The company earns well on what it sells: its net margin is {net_margin}.",
            "The company makes a loss: its net margin is {net_margin}.",
            "The company earns moderately on what it sells: its net margin is {net_margin}.",
            (Metric.NET_MARGIN,),
        ),
        Topic.DEBT: _Words(
            "The company's debt is {debt_to_equity} of its equity, which is light.",
            "The company's debt is {debt_to_equity} of its equity, which is heavy.",
            "The company's debt is {debt_to_equity} of its equity, which is not heavy.",
            (Metric.DEBT_TO_EQUITY,),
        ),
    }
)

_WAYS: Final[Mapping[Leaning, str]] = MappingProxyType(
    {
        Leaning.UP: "point up",
        Leaning.DOWN: "point down",
        Leaning.NEUTRAL: "point neither way",
        Leaning.ABSTAINS: "say nothing of the direction",
    }
)


def statement(pointer: Pointer, symbol: str) -> str:
    """Writes a pointer's statement, with a reference for each figure that it names.

    It names only figures that the pointer rests on, and has no digit besides references. The desk's
    own topics have their own sentences; any other is described by its leaning.
    """
    names = {metric.value: f"[[{claim_id(symbol, metric)}]]" for metric in pointer.metrics}
    words = _WORDS.get(pointer.topic)
    if (
        words is None
        or pointer.leaning is Leaning.ABSTAINS
        or not {*words.names} <= {*pointer.metrics}
    ):
        told = ", ".join(names.values())
        way = f"The figures {_WAYS[pointer.leaning]}"
        return f"{way}: {told}." if told else f"{way}."
    by_leaning = {Leaning.UP: words.up, Leaning.DOWN: words.down}
    return by_leaning.get(pointer.leaning, words.neutral).format_map(names)
