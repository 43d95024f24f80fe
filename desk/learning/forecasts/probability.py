"""The probability that a pair is fixed higher in four weeks."""

import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Final, NamedTuple

from desk.agents.capabilities import routes_to
from desk.analytics.prices.series import Fixings
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.config import RunPolicy
from desk.contracts.findings.results import Forecast, Leaning
from desk.contracts.learning.record import RecordQuery

HORIZON: Final = 4
"""Weeks from a view to the fixing that scores it."""

MOST_WEEKS: Final = 56
"""The maximum number of past weeks that are used, which is what the price analyst requests."""

FEWEST_WEEKS: Final = 26
"""The minimum number of past weeks with a known sequel."""

PROBABILITY_DIGITS: Final = 3
DEVIATION_DIGITS: Final = 6

WEEKS_A_YEAR: Final = 52
BASIS_POINTS: Final = 10_000

_SIGNS: Final = {Leaning.UP: 1, Leaning.DOWN: -1}


class ForecastCount(NamedTuple):
    """What a forecast was counted from: the similar weeks, and how many of them a higher fixing
    followed; one that was the same counts half."""

    weeks: int
    higher: float


def count_of(fixings: Fixings, first_day: date, leaning: Leaning) -> ForecastCount:
    """Returns what `forecast_of` counts, of the same arguments."""
    closes = _closes(fixings, first_day)
    sequels = _sequels(closes, _moves(closes), _SIGNS.get(leaning))
    return ForecastCount(len(sequels), math.fsum(sequels))


def forecast_of(fixings: Fixings, first_day: date, leaning: Leaning) -> Forecast | None:
    """Returns the frequency of rises of a pair after weeks like the one whose window starts on
    `first_day`.

    `fixings` run up to the end of the window and contain no suspect ones. Similar weeks are the
    past ones that moved in the direction of `leaning`; for a neutral one, all. Four-week spans that
    start a week apart overlap, so that four of them count as one. None for an abstention, or if no
    fixing lies in the window, fewer than `FEWEST_WEEKS` past weeks have a sequel, a fixing is not
    above zero, or the pair does not move.
    """
    closes = _closes(fixings, first_day)
    usable = len(closes) - 1 - HORIZON >= FEWEST_WEEKS and min(closes) > 0
    if leaning is Leaning.ABSTAINS or not usable:
        return None
    moves = _moves(closes)
    deviation = round(_deviation(moves) * math.sqrt(HORIZON), DEVIATION_DIGITS)
    if deviation <= 0:
        return None
    return Forecast(
        probability=_smoothed(_sequels(closes, moves, _SIGNS.get(leaning))),
        weeks=HORIZON,
        deviation=deviation,
    )


def carry_probability(differential: Decimal | float, weeks: int, deviation: float) -> float:
    """Returns the probability that a pair rises by the carry: a bet on the currency with the higher
    rate.

    `differential` is the base currency's policy rate less the quote currency's, in basis points;
    `deviation` is the standard deviation of the log move over that many weeks, above zero. The
    drift is what the differential pays in that time, towards the higher rate (Froot and Thaler,
    Anomalies: Foreign Exchange, JEP 1990).
    """
    drift = float(differential) / BASIS_POINTS * weeks / WEEKS_A_YEAR
    return round(_normal(drift / deviation), PROBABILITY_DIGITS)


def _closes(fixings: Fixings, first_day: date) -> list[float]:
    """Returns the last fixing of each week, oldest first: of the window, and of the spans of seven
    days before it as far back as none is empty. Empty without a fixing in the window."""
    last: dict[int, Decimal] = {}
    start = first_day.toordinal()
    for fixing in fixings.items:
        last[max((start - fixing.day.toordinal() + 6) // 7, 0)] = fixing.value
    closes: list[float] = []
    while len(closes) <= MOST_WEEKS and len(closes) in last:
        closes.append(float(last[len(closes)]))
    return closes[::-1]


def _moves(closes: Sequence[float]) -> list[float]:
    return [math.log(after / before) for before, after in pairwise(closes)]


def _sequels(closes: Sequence[float], moves: Sequence[float], sign: int | None) -> list[float]:
    """Returns for each similar week 1 if the close four weeks later was higher, 0 if it was lower,
    a half if it was the same."""
    return [
        _rise(closes[place + 1], closes[place + 1 + HORIZON])
        for place, move in enumerate(moves[:-HORIZON])
        if sign is None or move * sign > 0
    ]


def _rise(before: float, after: float) -> float:
    return 0.5 if after == before else float(after > before)


def _smoothed(sequels: Sequence[float]) -> float:
    """Applies Laplace's rule of succession to the number of spans that do not overlap."""
    risen, spans = math.fsum(sequels) / HORIZON, len(sequels) / HORIZON
    return round((risen + 1) / (spans + 2), PROBABILITY_DIGITS)


def _deviation(moves: Sequence[float]) -> float:
    mean = _mean(moves)
    return math.sqrt(math.fsum((move - mean) ** 2 for move in moves) / (len(moves) - 1))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _normal(score: float) -> float:
    return (1 + math.erf(score / math.sqrt(2))) / 2


def question_of(
    policy: RunPolicy,
    as_of: datetime,
    *,
    asked_at: datetime | None = None,
    market: str | None = None,
) -> RecordQuery:
    """Returns the query for what was known by an instant, for a run of this policy: its sources for
    each capability, and its timeout of calls. `asked_at` is when it runs, which only determines the
    weekday. With `market`, forecasts are those of that market alone."""
    routes = {
        capability: tuple(dict.fromkeys(route.server for route in routes_to(capability, policy)))
        for capability in Capability
    }
    return RecordQuery(
        as_of=as_of,
        asked_at=asked_at,
        routes={capability: servers for capability, servers in routes.items() if servers},
        call_seconds=policy.deadlines.tool_call.total_seconds(),
        market=market,
    )
