"""The pattern specialist: what followed similar stretches, the season, and outliers."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from desk.contracts.agents.capabilities import Capability
from desk.contracts.episode.analysis import Analysis
from desk.contracts.findings.claims import Metric
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

ASKED: Final = (Capability.PATTERN_MINING, Capability.SEASONALITY, Capability.MARKET_DATA)
RESTS_ON: Final = (
    Metric.ANALOGUES,
    Metric.ANALOGUE_MOVE,
    Metric.ANALOGUE_HIT_RATE,
    Metric.TARGET,
    Metric.ANOMALY_SCORE,
    Metric.SEASONAL_MOVE,
    Metric.SEASONAL_HIT_RATE,
    Metric.SEASONAL_P_VALUE,
)

SIGNIFICANT: Final = Decimal("0.05")
"""A p value of at most this, corrected for the number of months, is significant by convention."""
UNUSUAL: Final = Decimal(3)
"""Robust standard deviations, as the tool computes them."""


def take_turn(request: TurnRequest) -> Turn:
    """Asks for patterns, seasonality and prices. Once the answers are there, delivers the result.

    Raises:
        TaskNotPossible: no tool could be asked.
    """
    market = market_of(request)
    if not request.exchanges:
        return questions(request, about(market, *ASKED), "the patterns")
    kinds = dict.fromkeys(ASKED, Analysis)
    opened = opening(request, WIDENING)
    reading = read_analyses(opened, kinds, figures_only=(Capability.MARKET_DATA,))
    stop_if_nobody_answered(reading, ASKED[0])
    speciality = SPECIALITIES[AgentId.PATTERN_SPECIALIST]
    return ask_on_or_deliver(request, reading, WIDENING, speciality, _notes, RESTS_ON)


def _closer(reading: SpecialistReading) -> Questions:
    """Returns the call for the past of its volatility, if the last week was unusual."""
    score = reading.value(Metric.ANOMALY_SCORE)
    if score is None or abs(score) < UNUSUAL:
        return {}
    return about(reading.market, Capability.STANDING)


WIDENING: Final = Widening(
    capability=Capability.PATTERN_MINING,
    metric=Metric.ANALOGUE_HIT_RATE,
    lead="The share of similar stretches that were followed by a rise",
    narrow=_closer,
)


def _notes(reading: SpecialistReading) -> Iterator[Note]:
    return noted(
        (
            ("analogues", joined((_analogues(reading), _target(reading)))),
            ("seasonality", _season(reading)),
            ("anomalies", joined((_anomaly(reading), _swings(reading)))),
        )
    )


def _analogues(reading: SpecialistReading) -> str:
    if not reading.has(Metric.ANALOGUES):
        return ""
    count = reading.reference(Metric.ANALOGUES)
    found = f"Stretches of the past that look like the present one: {count}."
    if not reading.has(Metric.ANALOGUE_MOVE):
        return found
    move = reading.reference(Metric.ANALOGUE_MOVE)
    told = f"{found} Four weeks later the median move of {reading.name} was {move}"
    if not reading.has(Metric.ANALOGUE_HIT_RATE):
        return f"{told}."
    return f"{told}, and {reading.reference(Metric.ANALOGUE_HIT_RATE)} of them rose."


def _target(reading: SpecialistReading) -> str:
    target, last = reading.value(Metric.TARGET), reading.value(Metric.LAST)
    if target is None:
        return ""
    where = f", {above(target, last)} the last price" if last is not None else ""
    return f"From here that would lead to {reading.reference(Metric.TARGET)}{where}."


def _season(reading: SpecialistReading) -> str:
    if not reading.has(Metric.SEASONAL_MOVE):
        return ""
    move = reading.reference(Metric.SEASONAL_MOVE)
    told = f"In the coming calendar month it has moved {move} on average over the years"
    if reading.has(Metric.SEASONAL_HIT_RATE):
        told += f", and risen in {reading.reference(Metric.SEASONAL_HIT_RATE)} of them"
    chance = reading.value(Metric.SEASONAL_P_VALUE)
    if chance is None:
        return f"{told}."
    reference = reading.reference(Metric.SEASONAL_P_VALUE)
    if chance <= SIGNIFICANT:
        return (
            f"{told}. Corrected for the months tested, this is significant (p value {reference})."
        )
    return (
        f"{told}. Corrected for the months tested, this cannot be told from chance (p value"
        f" {reference})."
    )


def _anomaly(reading: SpecialistReading) -> str:
    score = reading.value(Metric.ANOMALY_SCORE)
    if score is None:
        return ""
    reference = reading.reference(Metric.ANOMALY_SCORE)
    if abs(score) >= UNUSUAL:
        return f"The last week's move is out of the ordinary ({reference} from the usual)."
    return f"The last week's move is an ordinary one ({reference} from the usual)."


def _swings(reading: SpecialistReading) -> str:
    if not reading.has(Metric.VOLATILITY_RANK):
        return ""
    rank = reading.reference(Metric.VOLATILITY_RANK)
    return f"Its volatility is above that of {rank} of ten years' days."
