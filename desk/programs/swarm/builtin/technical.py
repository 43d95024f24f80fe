"""The technical specialist: momentum, trend, and the patterns that the candles form."""

from collections.abc import Iterator
from typing import Final

from desk.analytics.names.listing import listed
from desk.analytics.prices.indicator_marks import OVERBOUGHT, OVERSOLD, TRENDING
from desk.contracts.agents.capabilities import Capability
from desk.contracts.episode.analysis import Analysis
from desk.contracts.findings.claims import Metric
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.programs.builtin.evidence import market_of
from desk.programs.swarm.builtin.delivery import Note, noted
from desk.programs.swarm.builtin.reading import (
    Questions,
    SpecialistReading,
    about,
    questions,
    read_analyses,
    stop_if_nobody_answered,
)
from desk.programs.swarm.builtin.widening import Widening, ask_on_or_deliver, opening
from desk.programs.swarm.conclusion.wording import above, joined
from desk.programs.swarm.tasks import SPECIALITIES

RESTS_ON: Final = (
    Metric.RSI,
    Metric.MACD_HISTOGRAM,
    Metric.SMA_50,
    Metric.SMA_200,
    Metric.ADX,
    Metric.BOLLINGER_POSITION,
    Metric.TARGET,
    Metric.PATTERN_COUNT,
)


def take_turn(request: TurnRequest) -> Turn:
    """Asks for prices, indicators and chart patterns. Once the answers are there, delivers the
    result.

    Raises:
        TaskNotPossible: no tool could be asked.
    """
    market = market_of(request)
    asked = _asked(market)
    if not request.exchanges:
        return questions(request, about(market, *asked), "the indicators")
    kinds = dict.fromkeys(asked, Analysis)
    opened = opening(request, WIDENING)
    reading = read_analyses(opened, kinds, figures_only=(Capability.MARKET_DATA,))
    stop_if_nobody_answered(reading, asked[0])
    speciality = SPECIALITIES[AgentId.TECHNICAL_SPECIALIST]
    return ask_on_or_deliver(request, reading, WIDENING, speciality, _notes, RESTS_ON)


NEAR: Final = 10
"""Percent of the width of the Bollinger bands. Closer to an edge than this, the price is at the
edge."""


def _closer(reading: SpecialistReading) -> Questions:
    """Returns the call for the quarter's levels, if the price is at an edge of its bands or between
    its averages, or its strength index is beyond a threshold."""
    place, strength = reading.value(Metric.BOLLINGER_POSITION), reading.value(Metric.RSI)
    at_an_edge = place is not None and not NEAR < place < 100 - NEAR
    stretched = strength is not None and not OVERSOLD < strength < OVERBOUGHT
    if at_an_edge or stretched or _is_between_averages(reading):
        return about(reading.market, Capability.STANDING)
    return {}


def _is_between_averages(reading: SpecialistReading) -> bool:
    last, short, long = map(reading.value, (Metric.LAST, Metric.SMA_50, Metric.SMA_200))
    return None not in (last, short, long) and (last > short) != (last > long)  # type: ignore[operator]


WIDENING: Final = Widening(
    capability=Capability.INDICATORS,
    metric=Metric.RSI,
    lead="The strength index",
    narrow=_closer,
)


def _asked(market: MarketSpec) -> tuple[Capability, ...]:
    """Returns what is asked about a market. Candles need highs and lows, which fixings do not
    have."""
    asked = (Capability.INDICATORS, Capability.MARKET_DATA)
    return (*asked, Capability.CHART_PATTERNS) if market.kind is MarketKind.STOCK else asked


def _notes(reading: SpecialistReading) -> Iterator[Note]:
    return noted(
        (
            ("momentum", joined((strength_index_words(reading), momentum_words(reading)))),
            ("trend", joined((averages_words(reading), trend_strength_words(reading)))),
            ("bands", bands_words(reading)),
            ("target", target_words(reading)),
            ("levels", _levels(reading)),
            ("chart patterns", patterns_words(reading)),
        )
    )


def strength_index_words(reading: SpecialistReading) -> str:
    """Says whether the market is overbought or oversold, by its relative strength index; empty
    without it."""
    strength = reading.value(Metric.RSI)
    if strength is None:
        return ""
    reference = reading.reference(Metric.RSI)
    if strength >= OVERBOUGHT:
        return f"{reading.name} is overbought: its relative strength index is {reference}."
    if strength <= OVERSOLD:
        return f"{reading.name} is oversold: its relative strength index is {reference}."
    return f"The relative strength index of {reading.name} is {reference}, in the neutral range."


def momentum_words(reading: SpecialistReading) -> str:
    """Describes the direction of momentum, by the MACD histogram; empty without it."""
    histogram = reading.value(Metric.MACD_HISTOGRAM)
    if histogram is None:
        return ""
    reference = reading.reference(Metric.MACD_HISTOGRAM)
    way = "upwards" if histogram > 0 else "downwards" if histogram < 0 else "neither way"
    return (
        f"Momentum points {way}: the MACD histogram, the gap between a fast and a slow average"
        f" less its own recent average, is {reference} of the price."
    )


def averages_words(reading: SpecialistReading) -> str:
    """Describes the position of the price relative to its averages; empty without the price or all
    averages."""
    last = reading.value(Metric.LAST)
    sides = [
        f"{above(last, average)} its {words} average of {reading.reference(metric)}"
        for metric, words in ((Metric.SMA_50, "medium-term"), (Metric.SMA_200, "long-term"))
        if last is not None and (average := reading.value(metric)) is not None
    ]
    if not sides:
        return ""
    return f"At {reading.reference(Metric.LAST)} the price is {listed(sides)}."


def trend_strength_words(reading: SpecialistReading) -> str:
    """Says whether the trend is strong, by its directional index; empty without it."""
    index = reading.value(Metric.ADX)
    if index is None:
        return ""
    strong = "strong" if index >= TRENDING else "weak"
    return f"The trend is {strong}: its directional index is {reading.reference(Metric.ADX)}."


def bands_words(reading: SpecialistReading) -> str:
    """Describes the position of the price in its Bollinger bands; empty if unknown."""
    place = reading.value(Metric.BOLLINGER_POSITION)
    if place is None:
        return ""
    reference = reading.reference(Metric.BOLLINGER_POSITION)
    if place >= 100:
        return (
            f"The price has reached its upper Bollinger band (at {reference} of the bands' width)."
        )
    if place <= 0:
        return (
            f"The price has reached its lower Bollinger band (at {reference} of the bands' width)."
        )
    return f"The price is within its Bollinger bands, at {reference} of their width."


def target_words(reading: SpecialistReading) -> str:
    """Describes the end of the line through the recent prices; empty without it."""
    target, last = reading.value(Metric.TARGET), reading.value(Metric.LAST)
    if target is None:
        return ""
    reference = reading.reference(Metric.TARGET)
    where = f", {above(target, last)} the last price" if last is not None else ""
    return (
        f"The regression line through recent prices, extended four weeks, ends at"
        f" {reference}{where}."
    )


def _levels(reading: SpecialistReading) -> str:
    if not reading.has(Metric.PRIOR_LOW, Metric.PRIOR_HIGH):
        return ""
    low, high = reading.reference(Metric.PRIOR_LOW), reading.reference(Metric.PRIOR_HIGH)
    return f"The levels of the quarter before are {low} and {high}."


def patterns_words(reading: SpecialistReading) -> str:
    """Says how many patterns the last candles form; empty if none were looked for."""
    count = reading.value(Metric.PATTERN_COUNT)
    if count is None:
        return ""
    if count == 0:
        return f"The candles of the last two weeks form no known pattern ({_count(reading)})."
    return f"Known patterns among the candles of the last two weeks: {_count(reading)}."


def _count(reading: SpecialistReading) -> str:
    return reading.reference(Metric.PATTERN_COUNT)
