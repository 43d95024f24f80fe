"""The technical analysis agent: how a stock's price stands, and what its indicators make of it."""

from datetime import timedelta
from typing import Final

from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.turns import Turn, TurnRequest
from desk.contracts.episode.analysis import Analysis, PriceHistory
from desk.contracts.episode.stock import StockAction
from desk.programs.builtin.evidence import market_of
from desk.programs.episode.builtin.part import deliver_part, read_part
from desk.programs.swarm.builtin.delivery import noted
from desk.programs.swarm.builtin.market import tell_expected, tell_move, tell_trend, tell_year
from desk.programs.swarm.builtin.technical import (
    tell_averages,
    tell_bands,
    tell_momentum,
    tell_patterns,
    tell_strength,
    tell_target,
    tell_trend_strength,
)
from desk.programs.swarm.conclusion.reading import (
    Questions,
    Reading,
    about,
    consulted,
    questions,
    stop_if_nobody_answered,
)

BASIC: Final = (Capability.MARKET_DATA, Capability.INDICATORS)
ADVANCED: Final = (Capability.INDICATORS, Capability.CHART_PATTERNS, Capability.MARKET_DATA)

CHARTED: Final = timedelta(weeks=95)
"""How far back the prices of the chart go: a year, and the 200 days of trading before it that its
longest average needs."""

_OF_BASIC: Final = frozenset({"relative strength index", "long trend", "moving averages"})
_OF_ADVANCED: Final = frozenset({"MACD", "Bollinger bands", "regression line"})
"""The signals of the indicators, by the analysis that has their figures: each is heard once."""


def basic(request: TurnRequest) -> Turn:
    """Ask for the market, its indicators and the prices of the chart side by side; with them,
    submit moves, ranges, averages and relative strength.

    The prices are evidence for the chart and give no claim.

    Raises:
        TaskNotPossible: no tool could be asked.
    """
    if not request.exchanges:
        return questions(request, _asked(request), "the price and its averages")
    action = StockAction.RUN_TA_BASIC
    reading = read_part(request, action, dict.fromkeys(BASIC, Analysis))
    reading = _with_prices(reading.without_signals(_OF_ADVANCED))
    stop_if_nobody_answered(reading, BASIC[0])
    told = (
        ("move", tell_move(reading)),
        ("trend", tell_trend(reading)),
        ("year", tell_year(reading)),
        ("averages", tell_averages(reading)),
        ("relative strength", tell_strength(reading)),
    )
    return Turn(result=deliver_part(reading, action, noted(told)))


def advanced(request: TurnRequest) -> Turn:
    """Ask for indicators, chart patterns and the market side by side; with them, submit momentum,
    the strength of the trend, bands, target, patterns and the range that is to be expected.

    Raises:
        TaskNotPossible: no tool could be asked.
    """
    if not request.exchanges:
        return questions(request, about(market_of(request), *ADVANCED), "the indicators")
    action = StockAction.RUN_TA_ADVANCED
    kinds = dict.fromkeys(ADVANCED, Analysis)
    reading = read_part(request, action, kinds, figures_only=(Capability.MARKET_DATA,))
    reading = reading.without_signals(_OF_BASIC)
    stop_if_nobody_answered(reading, ADVANCED[0])
    told = (
        ("momentum", tell_momentum(reading)),
        ("strength of the trend", tell_trend_strength(reading)),
        ("bands", tell_bands(reading)),
        ("target", tell_target(reading)),
        ("chart patterns", tell_patterns(reading)),
        ("expected range", tell_expected(reading)),
    )
    return Turn(result=deliver_part(reading, action, noted(told)))


def _asked(request: TurnRequest) -> Questions:
    market = market_of(request)
    start = (request.assignment.window.end - CHARTED).date().isoformat()
    prices = {"symbol": market.market, "start": start}
    return {**about(market, *BASIC), Capability.PRICE_HISTORY: prices}


def _with_prices(reading: Reading) -> Reading:
    """With the prices of the chart among the sources, where they are this stock's."""
    evidence, reading = consulted(reading, Capability.PRICE_HISTORY, PriceHistory)
    if evidence is None:
        return reading
    if evidence.answer.symbol != reading.market.market:
        return reading.with_gaps(["the prices of the chart are of another market"])
    return reading.with_source(evidence).with_gaps(evidence.answer.missing)
