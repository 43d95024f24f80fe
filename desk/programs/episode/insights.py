"""What the figures of a blackboard say, by rules that anybody can do by hand.

The rules are conventions. Some have a source; no number in them was fitted to what followed, and
none is a promise. Moves are held against the usual swing over the same time, which is the yearly
volatility times the root of the part of a year; prices against prices only, so that a split changes
nothing. A rule whose figures are not all there says nothing.

- trend, move of the year: the move of three and of twelve months; neutral below half of the usual
  swing, else its direction, as strong as it is large beside twice the swing (time-series momentum:
  Moskowitz, Ooi and Pedersen, Journal of Financial Economics 2012).
- long trend: the price against its mean of 200 days, as strong as ADX over 50, or without ADX as
  the distance beside a year's swing. moving averages: the mean of 50 days against that of 200, by
  the same measure.
- momentum: the sign of the MACD histogram (Appel), as large as it is beside a day's usual swing.
- place in the year: up in the highest fifth of the year's range, down in the lowest, by the
  distance from the middle (George and Hwang, Journal of Finance 2004).
- move of the month: a move beyond its usual swing points back, as strong as it is large beside four
  swings (Jegadeesh, Journal of Finance 1990); otherwise neutral.
- stretch: RSI above 70 points down and below 30 up (Wilder 1978). bands: a price outside its
  Bollinger bands points back.
- strength of trend: ADX from 25 on has the month's direction (Wilder 1978), below it none.
- regression line: where between the ends of the expected range the line through the last prices
  leads; neutral within half of the way to either end.
- news tone: the sign of the tone from 5 of 100 on. A list of words read it: it never weighs above
  0.4, and less where fewer than five stories are known to have been found.
- Accounts say little about weeks, and never weigh above 0.5. price to earnings: 20 is the middle,
  half of it or less is cheap, twice of it or more is dear (the direction: Basu, Journal of Finance
  1977). price to book: the same around 3 (Fama and French, Journal of Finance 1992). growth:
  revenue, fully from 50 percent on. earnings: the surprise, fully from 20 percent on (Bernard and
  Thomas, Journal of Accounting Research 1989). profitability: a loss points down, a net margin of
  15 percent or more up. debt: from twice the equity on down, otherwise neutral;
  nothing where the equity is negative.
"""

from collections.abc import Callable, Mapping
from math import log, sqrt
from typing import Final

from desk.analytics.prices.indicator_marks import (
    FLAT,
    FULL_TREND,
    NEAR_AN_END,
    OVERBOUGHT,
    OVERSOLD,
    TRENDING,
)
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Leaning
from desk.programs.episode.actions import Pointer
from desk.programs.episode.wording import Topic

FULL_REVERSAL: Final = 4.0
EVEN_TONE: Final = 5.0
MOST_BY_WORDS: Final = 0.4
FEW_STORIES: Final = 5.0
MOST_BY_ACCOUNTS: Final = 0.5
MIDDLE_EARNINGS, MIDDLE_BOOK = 20.0, 3.0
LARGE_GROWTH, LARGE_SURPRISE = 50.0, 20.0
GOOD_MARGIN: Final = 15.0
HEAVY_DEBT: Final = 2.0

_MONTH: Final = sqrt(1 / 12)
_QUARTER: Final = sqrt(1 / 4)
_DAY: Final = sqrt(1 / 252)

_Figures = Mapping[Metric, float]


def insights(values: _Figures) -> tuple[Pointer, ...]:
    """Returns what the figures say, in the order of `Topic`. Deterministic."""
    return tuple([found for rule in _RULES if (found := rule(values)) is not None])


def _trend(values: _Figures) -> Pointer | None:
    return _move(values, Topic.TREND, Metric.QUARTER_MOVE, _QUARTER)


def _year(values: _Figures) -> Pointer | None:
    return _move(values, Topic.YEAR, Metric.YEAR_MOVE, 1.0)


def _long_trend(values: _Figures) -> Pointer | None:
    last, mean = values.get(Metric.LAST), values.get(Metric.SMA_200)
    if last is None or mean is None or mean <= 0:
        return None
    away = last / mean - 1
    adx, swing = values.get(Metric.ADX), values.get(Metric.VOLATILITY)
    if adx is not None:
        strength, by = adx / FULL_TREND, Metric.ADX
    elif swing is not None and swing > 0:
        strength, by = abs(away) * 100 / swing, Metric.VOLATILITY
    else:
        return None
    return _said(Topic.LONG_TREND, _towards(away), strength, (Metric.LAST, Metric.SMA_200, by))


def _averages(values: _Figures) -> Pointer | None:
    short, long = values.get(Metric.SMA_50), values.get(Metric.SMA_200)
    swing = values.get(Metric.VOLATILITY)
    if short is None or long is None or swing is None or long <= 0 or swing <= 0:
        return None
    apart = (short / long - 1) * 100
    rests_on = (Metric.SMA_50, Metric.SMA_200, Metric.VOLATILITY)
    return _said(Topic.AVERAGES, _towards(apart), abs(apart) / swing, rests_on)


def _momentum(values: _Figures) -> Pointer | None:
    histogram, swing = values.get(Metric.MACD_HISTOGRAM), values.get(Metric.VOLATILITY)
    if histogram is None or swing is None or swing <= 0:
        return None
    size = abs(histogram) / (swing * _DAY)
    rests_on = (Metric.MACD_HISTOGRAM, Metric.VOLATILITY)
    return _said(Topic.MOMENTUM, _towards(histogram), size, rests_on)


def _place(values: _Figures) -> Pointer | None:
    last = values.get(Metric.LAST)
    high, low = values.get(Metric.YEAR_HIGH), values.get(Metric.YEAR_LOW)
    if last is None or high is None or low is None or high <= low:
        return None
    place = (last - low) / (high - low)
    far = abs(place - 0.5) * 2
    rests_on = (Metric.LAST, Metric.YEAR_LOW, Metric.YEAR_HIGH)
    if place >= 1 - NEAR_AN_END:
        return _said(Topic.PLACE, Leaning.UP, far, rests_on)
    if place <= NEAR_AN_END:
        return _said(Topic.PLACE, Leaning.DOWN, far, rests_on)
    return _said(Topic.PLACE, Leaning.NEUTRAL, 1 - far, rests_on)


def _month(values: _Figures) -> Pointer | None:
    move, swing = values.get(Metric.MONTH_MOVE), values.get(Metric.VOLATILITY)
    if move is None or swing is None or swing <= 0:
        return None
    size = abs(move) / (swing * _MONTH)
    rests_on = (Metric.MONTH_MOVE, Metric.VOLATILITY)
    if size <= 1:
        return _said(Topic.MONTH, Leaning.NEUTRAL, 1 - size, rests_on)
    return _said(Topic.MONTH, _towards(-move), size / FULL_REVERSAL, rests_on)


def _stretch(values: _Figures) -> Pointer | None:
    rsi = values.get(Metric.RSI)
    if rsi is None:
        return None
    far = abs(rsi - 50)
    if OVERSOLD <= rsi <= OVERBOUGHT:
        inside = 1 - far / (OVERBOUGHT - 50)
        return _said(Topic.STRETCH, Leaning.NEUTRAL, inside, (Metric.RSI,))
    return _said(Topic.STRETCH, _towards(50 - rsi), far / 50, (Metric.RSI,))


def _bands(values: _Figures) -> Pointer | None:
    place = values.get(Metric.BOLLINGER_POSITION)
    if place is None:
        return None
    far = abs(place - 50) / 50
    if far <= 1:
        return _said(Topic.BANDS, Leaning.NEUTRAL, 1 - far, (Metric.BOLLINGER_POSITION,))
    return _said(Topic.BANDS, _towards(50 - place), far / 2, (Metric.BOLLINGER_POSITION,))


def _strength(values: _Figures) -> Pointer | None:
    adx, move = values.get(Metric.ADX), values.get(Metric.MONTH_MOVE)
    if adx is None or move is None:
        return None
    rests_on = (Metric.ADX, Metric.MONTH_MOVE)
    if adx < TRENDING:
        return _said(Topic.STRENGTH, Leaning.NEUTRAL, 1 - adx / TRENDING, rests_on)
    return _said(Topic.STRENGTH, _towards(move), adx / FULL_TREND, rests_on)


def _line(values: _Figures) -> Pointer | None:
    target = values.get(Metric.TARGET)
    high, low = values.get(Metric.EXPECTED_HIGH), values.get(Metric.EXPECTED_LOW)
    if target is None or high is None or low is None or not (0 < low < high and target > 0):
        return None
    # The range is around the last price on a logarithmic scale: -1 is its low end, 1 its high.
    place = 2 * log(target / low) / log(high / low) - 1
    rests_on = (Metric.TARGET, Metric.EXPECTED_LOW, Metric.EXPECTED_HIGH)
    return _beside_usual(Topic.LINE, place, rests_on)


def _tone(values: _Figures) -> Pointer | None:
    tone, stories = values.get(Metric.NEWS_TONE), values.get(Metric.NEWS_COUNT)
    if tone is None:
        return None
    heard = 1.0 if stories is None else min(1.0, stories / FEW_STORIES)
    rests_on = (Metric.NEWS_TONE, Metric.NEWS_COUNT)[: 1 if stories is None else 2]
    if abs(tone) < EVEN_TONE:
        return _said(Topic.NEWS_TONE, Leaning.NEUTRAL, MOST_BY_WORDS * heard, rests_on)
    strength = MOST_BY_WORDS * heard * min(1.0, abs(tone) / 100)
    return _said(Topic.NEWS_TONE, _towards(tone), strength, rests_on)


def _earnings_multiple(values: _Figures) -> Pointer | None:
    return _multiple(values, Topic.EARNINGS_MULTIPLE, Metric.PRICE_TO_EARNINGS, MIDDLE_EARNINGS)


def _book_multiple(values: _Figures) -> Pointer | None:
    return _multiple(values, Topic.BOOK_MULTIPLE, Metric.PRICE_TO_BOOK, MIDDLE_BOOK)


def _growth(values: _Figures) -> Pointer | None:
    return _of_accounts(values, Topic.GROWTH, Metric.REVENUE_GROWTH, LARGE_GROWTH)


def _earnings(values: _Figures) -> Pointer | None:
    return _of_accounts(values, Topic.EARNINGS, Metric.EARNINGS_SURPRISE, LARGE_SURPRISE)


def _margin(values: _Figures) -> Pointer | None:
    margin = values.get(Metric.NET_MARGIN)
    if margin is None:
        return None
    if 0 <= margin < GOOD_MARGIN:
        return _said(Topic.MARGIN, Leaning.NEUTRAL, MOST_BY_ACCOUNTS, (Metric.NET_MARGIN,))
    strength = MOST_BY_ACCOUNTS * min(1.0, abs(margin) / (2 * GOOD_MARGIN))
    return _said(Topic.MARGIN, _towards(margin), strength, (Metric.NET_MARGIN,))


def _debt(values: _Figures) -> Pointer | None:
    debt = values.get(Metric.DEBT_TO_EQUITY)
    # Below zero the equity is negative: that is not a light debt.
    if debt is None or debt < 0:
        return None
    if debt < HEAVY_DEBT:
        return _said(Topic.DEBT, Leaning.NEUTRAL, MOST_BY_ACCOUNTS, (Metric.DEBT_TO_EQUITY,))
    strength = MOST_BY_ACCOUNTS * min(1.0, debt / (2 * HEAVY_DEBT))
    return _said(Topic.DEBT, Leaning.DOWN, strength, (Metric.DEBT_TO_EQUITY,))


_RULES: Final[tuple[Callable[[_Figures], Pointer | None], ...]] = (
    _trend,
    _long_trend,
    _averages,
    _momentum,
    _year,
    _place,
    _month,
    _stretch,
    _bands,
    _strength,
    _line,
    _tone,
    _earnings_multiple,
    _book_multiple,
    _growth,
    _earnings,
    _margin,
    _debt,
)


def _move(values: _Figures, topic: Topic, metric: Metric, root: float) -> Pointer | None:
    """Compares a move with the usual swing over its time."""
    move, swing = values.get(metric), values.get(Metric.VOLATILITY)
    if move is None or swing is None or swing <= 0:
        return None
    return _beside_usual(topic, move / (swing * root), (metric, Metric.VOLATILITY))


def _beside_usual(topic: Topic, size: float, rests_on: tuple[Metric, ...]) -> Pointer:
    """Judges a size of which 1 is usual: neutral below `FLAT`, full strength from 2 on."""
    if abs(size) < FLAT:
        return _said(topic, Leaning.NEUTRAL, 1 - abs(size), rests_on)
    return _said(topic, _towards(size), abs(size) / 2, rests_on)


def _multiple(values: _Figures, topic: Topic, metric: Metric, middle: float) -> Pointer | None:
    """Judges a valuation multiple against a middle one: half of it is fully cheap, twice fully
    dear."""
    multiple = values.get(metric)
    if multiple is None or multiple <= 0:
        return None
    cheap = max(-1.0, min(1.0, log(middle / multiple) / log(2)))
    if abs(cheap) < FLAT:
        return _said(topic, Leaning.NEUTRAL, MOST_BY_ACCOUNTS * (1 - abs(cheap)), (metric,))
    return _said(topic, _towards(cheap), MOST_BY_ACCOUNTS * abs(cheap), (metric,))


def _of_accounts(values: _Figures, topic: Topic, metric: Metric, large: float) -> Pointer | None:
    """Judges a percentage by its sign, with the full strength of accounts from `large` on."""
    percent = values.get(metric)
    if percent is None:
        return None
    strength = MOST_BY_ACCOUNTS * min(1.0, abs(percent) / large)
    return _said(topic, _towards(percent), strength, (metric,))


def _said(topic: Topic, leaning: Leaning, strength: float, rests_on: tuple[Metric, ...]) -> Pointer:
    bounded = 1.0 if strength >= 1 else round(strength, 3) if strength > 0 else 0.0
    return Pointer(topic, leaning, bounded, rests_on)


def _towards(size: float) -> Leaning:
    if size == 0:
        return Leaning.NEUTRAL
    return Leaning.UP if size > 0 else Leaning.DOWN
