"""The market specialist: the moves of the price, its volatility, and how its group did."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from desk.agents.capabilities import tools_for
from desk.analytics.prices.pegs import peg_known
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.config import RunPolicy
from desk.contracts.episode.analysis import Analysis
from desk.contracts.findings.claims import Metric
from desk.contracts.markets import MarketKind
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.programs.builtin.evidence import market_of
from desk.programs.swarm.builtin.delivery import Note, noted
from desk.programs.swarm.builtin.rates import ask_rates, policy_rates, policy_rates_words
from desk.programs.swarm.builtin.reading import (
    Questions,
    SpecialistReading,
    about,
    questions,
    read_analyses,
    stop_if_nobody_answered,
)
from desk.programs.swarm.builtin.widening import Widening, ask_on_or_deliver, opening
from desk.programs.swarm.conclusion.wording import joined, phrases
from desk.programs.swarm.tasks import SPECIALITIES

ASKED: Final = (Capability.MARKET_DATA, Capability.SECTORS)
RATE_TOOLS: Final = frozenset(tools_for((Capability.POLICY_RATE,), RunPolicy()))
RESTS_ON: Final = (
    Metric.LAST,
    Metric.MOVE,
    Metric.MONTH_MOVE,
    Metric.QUARTER_MOVE,
    Metric.YEAR_MOVE,
    Metric.VOLATILITY,
    Metric.RELATIVE_MOVE,
    Metric.BREADTH,
)

DRIFTS: Final = Decimal("0.5")
TRENDS: Final = Decimal(1)
"""In standard deviations of a quarter: from `DRIFTS` on a move has a direction, from `TRENDS` on it
is a trend. A convention."""
QUARTERS_OF_A_DEVIATION: Final = Decimal(2)
"""A year's volatility is twice that of a quarter: the square root of four."""
NEAR_THE_EDGE: Final = Decimal("0.1")
"""A share of the year's range."""

_SPANS: Final = (
    (Metric.MOVE, "on the week"),
    (Metric.MONTH_MOVE, "on the month"),
    (Metric.QUARTER_MOVE, "on the quarter"),
    (Metric.YEAR_MOVE, "on the year"),
)


def take_turn(request: TurnRequest) -> Turn:
    """Asks for the market, its group and its policy rates. Once the answers are there, delivers the
    result.

    Raises:
        TaskNotPossible: no tool could be asked.
    """
    market = market_of(request)
    of_rates = ask_rates(market) if _has_rates(request) else {}
    if not request.exchanges:
        return questions(request, {**about(market, *ASKED), **of_rates}, "the conditions")
    reading = read_analyses(opening(request, WIDENING), dict.fromkeys(ASKED, Analysis))
    reading = policy_rates(reading) if of_rates else reading
    stop_if_nobody_answered(reading, ASKED[0])
    speciality = SPECIALITIES[AgentId.MARKET_SPECIALIST]
    return ask_on_or_deliver(request, reading, WIDENING, speciality, _notes, RESTS_ON)


def _has_rates(request: TurnRequest) -> bool:
    """Returns whether the plan gives policy rates to this specialist rather than the fundamental
    one."""
    tools = request.assignment.tools
    return not tools or not RATE_TOOLS.isdisjoint(tools)


def _closer(reading: SpecialistReading) -> Questions:
    """Returns the calls for a closer look: the market's own past, if the quarter's move is unusual
    or the price is near an end of the year's range; and the band of a pegged pair."""
    market = reading.market
    asked: tuple[Capability, ...] = ()
    if _quarters_size(reading) >= TRENDS or _place(reading):
        asked += (Capability.STANDING,)
    if peg_known(market.market, reading.request.assignment.window.end) is not None:
        asked += (Capability.PEG_BAND,)
    return about(market, *asked)


WIDENING: Final = Widening(
    capability=Capability.MARKET_DATA,
    metric=Metric.QUARTER_MOVE,
    lead="The quarter's move",
    form="signed",
    narrow=_closer,
)


def _notes(reading: SpecialistReading) -> Iterator[Note]:
    return noted(
        (
            ("move", move_words(reading)),
            ("trend", trend_words(reading)),
            ("range", _range(reading)),
            ("group", _group(reading)),
            ("standing", _standing(reading)),
            ("policy rates", policy_rates_words(reading)),
        )
    )


def move_words(reading: SpecialistReading) -> str:
    """Describes the last price and its moves over several spans; empty without any."""
    moves = phrases([(reading.reference(m), over) for m, over in _SPANS if reading.has(m)])
    if not reading.has(Metric.LAST):
        return f"{reading.name} has moved {moves}." if moves else ""
    last = f"{reading.name} stands at {reading.reference(Metric.LAST)}"
    return f"{last}: {moves}." if moves else f"{last}."


def trend_words(reading: SpecialistReading) -> str:
    """Says whether the market rises, falls or moves sideways, by the quarter's move in units of a
    usual one; empty if either is unknown."""
    move, volatility = reading.value(Metric.QUARTER_MOVE), reading.value(Metric.VOLATILITY)
    if move is None or not volatility:
        return ""
    quarter = reading.reference(Metric.QUARTER_MOVE)
    beside = f"for a volatility of {reading.reference(Metric.VOLATILITY)} a year"
    size = _quarters_size(reading)
    if size < DRIFTS:
        return f"The market is moving sideways: a quarter's move of {quarter} is small {beside}."
    if size < TRENDS:
        way = "up" if move > 0 else "down"
        return f"The market has drifted {way}: a quarter's move of {quarter} is ordinary {beside}."
    way = "rising" if move > 0 else "falling"
    return f"The market is {way}: a quarter's move of {quarter} is large {beside}."


def _quarters_size(reading: SpecialistReading) -> Decimal:
    """Returns the quarter's move in its standard deviations; 0 if either is unknown."""
    move, volatility = reading.value(Metric.QUARTER_MOVE), reading.value(Metric.VOLATILITY)
    if move is None or not volatility:
        return Decimal(0)
    return abs(move) * QUARTERS_OF_A_DEVIATION / volatility


def _range(reading: SpecialistReading) -> str:
    return joined((year_range_words(reading), expected_range_words(reading)))


def _standing(reading: SpecialistReading) -> str:
    if not reading.has(Metric.PAST_RANK, Metric.DRAWDOWN):
        return ""
    return (
        f"The price is above {reading.reference(Metric.PAST_RANK)} of ten years' days, and"
        f" {reading.reference(Metric.DRAWDOWN)} from the highest of the year."
    )


def year_range_words(reading: SpecialistReading) -> str:
    """Describes the year's range and the price's position in it; empty without the range."""
    if not reading.has(Metric.YEAR_LOW, Metric.YEAR_HIGH):
        return ""
    low, high = reading.reference(Metric.YEAR_LOW), reading.reference(Metric.YEAR_HIGH)
    return f"Over the year it has ranged from {low} to {high}{_place(reading)}."


def _place(reading: SpecialistReading) -> str:
    last, low, high = map(reading.value, (Metric.LAST, Metric.YEAR_LOW, Metric.YEAR_HIGH))
    if last is None or low is None or high is None or high <= low:
        return ""
    share = (last - low) / (high - low)
    if share >= 1 - NEAR_THE_EDGE:
        return ", and is near the top of that"
    return ", and is near the bottom of that" if share <= NEAR_THE_EDGE else ""


def expected_range_words(reading: SpecialistReading) -> str:
    """Describes the range expected from its volatility; empty without it."""
    if not reading.has(Metric.EXPECTED_LOW, Metric.EXPECTED_HIGH):
        return ""
    low, high = reading.reference(Metric.EXPECTED_LOW), reading.reference(Metric.EXPECTED_HIGH)
    told = f"Given its usual swings, a price from {low} to {high} in four weeks is more likely"
    told += f" than not{_at_its_edge(reading)}"
    # An episode of a stock does not observe how often a range held.
    of_stock = reading.market.kind is MarketKind.STOCK
    if of_stock or not reading.has(Metric.RANGE_HELD, Metric.RANGE_STARTS):
        return f"{told}."
    held, starts = reading.reference(Metric.RANGE_HELD), reading.reference(Metric.RANGE_STARTS)
    return f"{told}: such ranges held in {held} of {starts} weekly starts of its last five years."


def _at_its_edge(reading: SpecialistReading) -> str:
    """Says that the expected range ends at the edge of an authority's band, if it does."""
    peg = peg_known(reading.market.market, reading.request.assignment.window.end)
    ends = {reading.value(Metric.EXPECTED_LOW), reading.value(Metric.EXPECTED_HIGH)}
    return ", up to the edge of its band" if peg and ends & {peg.low, peg.high} - {None} else ""


def _group(reading: SpecialistReading) -> str:
    if not reading.has(Metric.GROUP_MOVE):
        return ""
    of_pair = reading.market.kind is MarketKind.PAIR
    group = reading.reference(Metric.GROUP_MOVE)
    told = f"Its group has moved {group} on the quarter{' against the US dollar' * of_pair}"
    relative = reading.value(Metric.RELATIVE_MOVE)
    if relative is not None:
        way = "ahead of" if relative > 0 else "behind" if relative < 0 else "level with"
        who = "its own currency" if of_pair else "it"
        told += f", and {who} is {way} the group ({reading.reference(Metric.RELATIVE_MOVE)})"
    if not reading.has(Metric.BREADTH):
        return f"{told}."
    share = reading.reference(Metric.BREADTH)
    if reading.value(Metric.BREADTH) == 0:
        return f"{told}. None of the group has gone the same way ({share})."
    return f"{told}. {share} of the group have gone the same way."
