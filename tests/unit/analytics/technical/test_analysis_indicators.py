"""What the indicators and the candlestick patterns of a market say, and what they cannot."""

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache

import numpy as np
import pytest

from desk.analytics.technical.candles import pattern_detector
from desk.analytics.technical.indicators import indicator_calculator, ta_lib
from desk.analytics.technical.market_data import market_data
from desk.analytics.technical.measures import Floats, NotInstalled
from desk.analytics.technical.series import PriceSeries
from desk.contracts.episode.analysis import Analysis, Hint, Signal
from desk.contracts.findings.claims import Metric
from desk.contracts.markets import MarketKind
from desk.sources.analysis.prices import PriceStore
from desk.sources.ecb.store import RatesStore
from tests.support.files.packaged_prices import PRICES
from tests.support.files.price_series import walk, weekdays

STORE = PriceStore(RatesStore())
AS_OF = datetime(2025, 2, 17, 7, tzinfo=UTC)
NVDA, YEN, EURO = "NVDA", "USD/JPY", "EUR/USD"


@cache
def real(symbol: str) -> PriceSeries:
    """The packaged prices of a market."""
    return STORE.series(symbol, AS_OF)


def series_of(levels: Sequence[float] | Floats, spread: float = 0.01) -> PriceSeries:
    """A stock that opens at the close before and ranges a little around both."""
    closes = [round(float(level), 4) for level in levels]
    opens = [*closes[:1], *closes[:-1]]
    highs = [max(pair) * (1 + spread) for pair in zip(opens, closes, strict=True)]
    lows = [min(pair) * (1 - spread) for pair in zip(opens, closes, strict=True)]

    def told(prices: Sequence[float]) -> tuple[Decimal, ...]:
        return tuple(Decimal(f"{price:.4f}") for price in prices)

    return PriceSeries(
        "ACME",
        MarketKind.STOCK,
        "USD",
        PRICES,
        weekdays(len(closes), date(2020, 1, 1)),
        told(closes),
        told(opens),
        told(highs),
        told(lows),
    )


def figures_of(answer: Analysis) -> dict[Metric, float]:
    return {figure.metric: float(figure.value) for figure in answer.figures}


def signal_of(answer: Analysis, name: str) -> Signal:
    (found,) = [signal for signal in answer.signals if signal.name == name]
    return found


def wilder_rsi(closes: Floats, days: int = 14) -> float:
    """The relative strength index as Wilder describes it, written out."""
    moves = np.diff(closes)
    gain, loss = np.clip(moves, 0, None), np.clip(-moves, 0, None)
    up, down = gain[:days].mean(), loss[:days].mean()
    for at in range(days, moves.size):
        up = (up * (days - 1) + gain[at]) / days
        down = (down * (days - 1) + loss[at]) / days
    return float(100 * up / (up + down))


@pytest.mark.parametrize("symbol", [NVDA, YEN, "a walk"])
def test_the_figures_are_those_of_an_independent_computation(symbol: str) -> None:
    series = series_of(100 * walk(400, 7)) if symbol == "a walk" else real(symbol)
    closes = np.array([float(close) for close in series.closes])
    found = figures_of(indicator_calculator(series, AS_OF))
    assert found[Metric.RSI] == pytest.approx(wilder_rsi(closes), abs=0.06)
    assert found[Metric.SMA_50] == pytest.approx(closes[-50:].mean(), rel=1e-4)
    assert found[Metric.SMA_200] == pytest.approx(closes[-200:].mean(), rel=1e-4)
    middle, deviation = closes[-20:].mean(), closes[-20:].std()
    place = (closes[-1] - middle + 2 * deviation) / (4 * deviation) * 100
    assert found[Metric.BOLLINGER_POSITION] == pytest.approx(place, abs=0.01)
    slope, start = np.polyfit(np.arange(60), closes[-60:], 1)
    assert found[Metric.TARGET] == pytest.approx(start + slope * 79, rel=1e-4)


def test_a_level_is_told_with_the_digits_of_its_market() -> None:
    for symbol, exponent in ((NVDA, -2), (YEN, -2), (EURO, -4)):
        series = real(symbol)
        for answer in (indicator_calculator(series, AS_OF), market_data(series, AS_OF)):
            levels = [f for f in answer.figures if f.metric in (Metric.SMA_50, Metric.YEAR_HIGH)]
            assert [level.value.as_tuple().exponent for level in levels] == [exponent]
            assert {figure.as_of for figure in answer.figures} == {date(2025, 2, 14)}


def test_a_steady_rise_is_overbought_and_above_its_means() -> None:
    answer = indicator_calculator(series_of(np.linspace(100, 200, 300)), AS_OF)
    assert figures_of(answer)[Metric.RSI] == 100
    assert signal_of(answer, "relative strength index").hint is Hint.DOWN
    for name in ("long trend", "moving averages", "regression line"):
        assert signal_of(answer, name).hint is Hint.UP
    assert signal_of(answer, "regression line").strength == 1


def test_a_steady_fall_is_oversold_and_below_its_means() -> None:
    answer = indicator_calculator(series_of(np.linspace(200, 100, 300)), AS_OF)
    assert signal_of(answer, "relative strength index").hint is Hint.UP
    for name in ("long trend", "moving averages", "regression line"):
        assert signal_of(answer, name).hint is Hint.DOWN


@pytest.mark.parametrize(
    ("days", "there"),
    [
        (1, set()),
        (14, set()),
        (15, {Metric.RSI}),
        (28, {Metric.RSI, Metric.BOLLINGER_POSITION, Metric.ADX}),
        (33, {Metric.RSI, Metric.BOLLINGER_POSITION, Metric.ADX}),
        (34, {Metric.RSI, Metric.BOLLINGER_POSITION, Metric.ADX, Metric.MACD_HISTOGRAM}),
    ],
)
def test_too_short_a_history_is_a_reason_and_no_number(days: int, there: set[Metric]) -> None:
    answer = indicator_calculator(series_of(100 * walk(days + 1, 3)[:days]), AS_OF)
    assert set(figures_of(answer)) == there
    assert f"sma_200: it needs 200 days with prices, and {days} are known" in "".join(
        answer.missing
    )
    assert len(answer.figures) + len(answer.missing) == 7
    assert "long trend" not in {signal.name for signal in answer.signals}


def test_a_price_that_stands_still_has_no_strength_and_no_place() -> None:
    answer = indicator_calculator(series_of([7.8] * 250, spread=0.0), AS_OF)
    assert not {Metric.RSI, Metric.BOLLINGER_POSITION} & set(figures_of(answer))
    assert "rsi: the price did not move over the last 14 days." in answer.missing


def test_fixings_have_no_adx_and_no_candles_and_the_answers_say_why() -> None:
    assert "adx: there are no highs and lows of USD/JPY, one price a day." in (
        indicator_calculator(real(YEN), AS_OF).missing
    )
    candles = pattern_detector(real(YEN), AS_OF)
    assert (candles.figures, candles.signals) == ((), ())
    assert "pattern_count: USD/JPY has one price a day" in candles.missing[0]


def test_a_line_that_falls_below_nothing_is_no_target() -> None:
    answer = indicator_calculator(series_of(np.linspace(100, 5, 60)), AS_OF)
    assert Metric.TARGET not in figures_of(answer)
    assert "falls below zero" in "".join(answer.missing)


def hammered(days: int = 40) -> PriceSeries:
    """A fall that ends in a small body with a long lower shadow, on its last day but two."""
    found = series_of(np.linspace(100, 80, days), spread=0.001)
    opens, highs, lows, closes = (
        list(column) for column in (found.opens, found.highs, found.lows, found.closes)
    )
    at = days - 3
    opens[at], closes[at], highs[at], lows[at] = map(Decimal, ("80.10", "80.20", "80.21", "78.00"))
    return replace(
        found, opens=tuple(opens), highs=tuple(highs), lows=tuple(lows), closes=tuple(closes)
    )


def test_a_hammer_is_told_with_its_day_and_points_up() -> None:
    series = hammered()
    found = signal_of(pattern_detector(series, AS_OF), "Hammer")
    assert (found.hint, found.day) == (Hint.UP, series.days[-3])


@pytest.mark.parametrize(("later", "told"), [(0, True), (7, True), (8, False)])
def test_only_the_last_ten_days_count(later: int, told: bool) -> None:
    fall, rest = hammered(), series_of(np.linspace(80, 82, 9)[:later])
    joined = replace(
        fall,
        days=weekdays(len(fall.days) + later, date(2020, 1, 1)),
        opens=fall.opens + rest.opens,
        highs=fall.highs + rest.highs,
        lows=fall.lows + rest.lows,
        closes=fall.closes + rest.closes,
    )
    names = {signal.name for signal in pattern_detector(joined, AS_OF).signals}
    assert ("Hammer" in names) == told


def test_the_count_is_of_all_that_ta_lib_shows_on_the_last_ten_days() -> None:
    talib = ta_lib("the test")
    for end in range(1_000, 1_006):
        series = real(NVDA).between(date.min, real(NVDA).days[end])
        prices = [
            np.array([float(price) for price in column])
            for column in (series.opens, series.highs, series.lows, series.closes)
        ]
        shown = [
            getattr(talib, function)(*prices)[-10:]
            for function in talib.get_function_groups()["Pattern Recognition"]
        ]
        count = figures_of(pattern_detector(series, AS_OF))[Metric.PATTERN_COUNT]
        assert count == np.count_nonzero(shown)


def test_the_count_is_of_every_pattern_and_a_doji_points_nowhere() -> None:
    answer = pattern_detector(real(NVDA), AS_OF)
    (count,) = answer.figures
    assert count.value == 25
    assert len(answer.signals) == 21
    assert answer.missing == ("5 more patterns are counted and not told one by one.",)
    assert signal_of(answer, "Rickshaw Man").hint is Hint.NEUTRAL


def test_no_words_of_a_signal_hold_a_figure() -> None:
    for series in (real(NVDA), real(YEN)):
        for tool in (indicator_calculator, pattern_detector, market_data):
            for signal in tool(series, AS_OF).signals:
                assert not re.search(r"\d", signal.words + signal.name)


def test_nothing_after_the_instant_is_in_an_indicator() -> None:
    """The indicators of a day are the same whether the days after it exist or not."""
    then = datetime(2024, 6, 7, 22, tzinfo=UTC)
    known = STORE.series(NVDA, then)
    assert known.last_day == date(2024, 6, 7)
    cut = real(NVDA).between(date.min, date(2024, 6, 7))
    one, other = (figures_of(indicator_calculator(series, then)) for series in (known, cut))
    assert one[Metric.RSI] == other[Metric.RSI]
    # Ten shares for one from the tenth of June on, of which nothing was known on the seventh.
    assert one[Metric.SMA_50] == pytest.approx(10 * other[Metric.SMA_50], rel=1e-3)


def test_without_ta_lib_the_error_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "talib", None)
    for tool in (indicator_calculator, pattern_detector):
        with pytest.raises(NotInstalled, match=r"needs TA-Lib.*run `make install-swarm`"):
            tool(real(NVDA), AS_OF)
    assert market_data(real(NVDA), AS_OF).figures


@pytest.mark.parametrize("days", [2, 64, 253, 400])
def test_the_standing_of_a_market_is_told_as_far_as_it_reaches(days: int) -> None:
    answer = market_data(series_of(100 * walk(days, 5)), AS_OF)
    found = figures_of(answer)
    assert (Metric.VOLATILITY in found) == (days >= 64)
    assert (Metric.EXPECTED_LOW in found) == (days >= 253)
    assert (Metric.YEAR_HIGH in found) == (days >= 400)
    assert len(found) + len(answer.missing) == 10


def test_moves_are_from_the_price_of_the_day_a_span_before() -> None:
    found = figures_of(market_data(real(NVDA), AS_OF))
    closes = dict(zip(real(NVDA).days, real(NVDA).closes, strict=True))
    spans = {
        Metric.MOVE: date(2025, 2, 7),
        Metric.MONTH_MOVE: date(2025, 1, 14),
        Metric.QUARTER_MOVE: date(2024, 11, 14),
        Metric.YEAR_MOVE: date(2024, 2, 14),
    }
    for metric, day in spans.items():
        assert found[metric] == round(float(closes[date(2025, 2, 14)] / closes[day] - 1) * 100, 2)
    assert found[Metric.EXPECTED_LOW] < found[Metric.LAST] < found[Metric.EXPECTED_HIGH]
    year = [float(close) for day, close in closes.items() if day >= date(2024, 2, 14)]
    assert found[Metric.YEAR_HIGH] == pytest.approx(max(year), abs=0.005)
    assert found[Metric.YEAR_LOW] == pytest.approx(min(year), abs=0.005)


def test_the_range_of_a_held_pair_ends_at_the_edge_of_its_band() -> None:
    near_the_edge = datetime(2026, 10, 30, 20, tzinfo=UTC)
    found = figures_of(market_data(STORE.series("USD/HKD", near_the_edge), near_the_edge))
    assert found[Metric.EXPECTED_LOW] < found[Metric.LAST] < found[Metric.EXPECTED_HIGH] == 7.85


def test_the_range_of_a_pair_whose_band_was_given_up_has_no_edge() -> None:
    before, after = (datetime(2015, 1, day, 20, tzinfo=UTC) for day in (14, 16))
    held, free = (market_data(STORE.series("EUR/CHF", at), at) for at in (before, after))
    assert figures_of(held)[Metric.EXPECTED_LOW] == 1.2
    assert figures_of(free)[Metric.EXPECTED_LOW] < 1.2
