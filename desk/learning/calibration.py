"""Scores forecasts that have come due.

Results do not depend on the order in which the forecasts are given.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.prices.fixings import LONGEST_GAP, last_known_day
from desk.contracts.learning.lessons import (
    WEIGHT_BOUNDS,
    CalibrationBin,
    MadeForecast,
    RecordWeight,
    Scorecard,
    ScoredForecast,
    ScoreRow,
    SourceRecord,
    StanceMonitor,
    WeightOf,
)
from desk.learning.forecasts import HORIZON
from desk.learning.standing import Standing, standing_of

ALL: Final = "all"

COIN: Final = 0.5

BINS: Final = 10

DIGITS: Final = 6

MONITORED_WEEKS: Final = 12

MONITORED: Final = 100
"""The stance is monitored over the newest weeks: `MONITORED_WEEKS`, or more if these have fewer
forecasts than this."""

CHANCE: Final = 0.05
"""A one-sided stance is reported if chance would produce it with less than this probability."""

AGENT_GAIN: Final = 2.0
"""The change of a factor for a skill of one, before it is shrunk."""

SOURCE_GAIN: Final = 1.0
"""The change of a factor for a share of verified claims that is one above the mean."""

LEAST_WEEKS: Final = 26
"""Forecasts of fewer weeks change nothing."""

LEAST_CLAIMS: Final = 50
"""Fewer claims with a verdict than this change nothing."""

HALF_AT_OUTCOMES: Final = 50
"""The number of outcomes at which half of the measured effect applies. All forecasts of a week have
one common outcome, the dollar's, and so have weeks whose forecasts span the same time."""

HALF_AT_CLAIMS: Final = 200
"""The number of claims at which half of the measured effect applies."""

WEIGHT_DIGITS: Final = 2


def score(made: MadeForecast, value: Decimal | None, value_on: date | None) -> ScoredForecast:
    """Returns the forecast, scored by the last fixing known when it was due.

    Void, without a value, in three cases: no fixing in the 14 days before; the fixing is no newer
    than the level that the forecast started from; the fixing was not known when the forecast was
    due.
    """
    if value is None or value_on is None:
        return ScoredForecast(made=made)
    due = last_known_day(made.due)
    if made.level_on < value_on and due - LONGEST_GAP <= value_on <= due:
        return ScoredForecast(made=made, value=value, value_on=value_on)
    return ScoredForecast(made=made)


def scorecard(
    scored: Iterable[ScoredForecast], still_open: Iterable[MadeForecast], as_of: datetime
) -> Scorecard:
    """Returns the scores of `scored`, and the direction of the newest of them and of the
    `still_open`.

    The caller gives what was known at `as_of`: what was due by then, and what was made before it
    and was not due. There are rows for all forecasts, for each agent and for each market, in that
    order. Forecasts that were written afterwards, and those that a person overruled, are scored
    separately.
    """
    every: defaultdict[Standing, list[ScoredForecast]] = defaultdict(list)
    waiting: defaultdict[Standing, list[MadeForecast]] = defaultdict(list)
    for one in scored:
        every[standing_of(one.made)].append(one)
    for made in still_open:
        waiting[standing_of(made)].append(made)
    card, *apart = (_card(every[standing], waiting[standing], as_of) for standing in Standing)
    counted = zip(list(Standing)[1:], apart, strict=True)
    parts = {part.value: each for part, each in counted if every[part] or waiting[part]}
    return card.model_copy(update=parts)


def _card(
    every: Sequence[ScoredForecast], waiting: Sequence[MadeForecast], as_of: datetime
) -> Scorecard:
    said = [_prediction(forecast) for forecast in every if forecast.value is not None]
    return Scorecard(
        as_of=as_of,
        open=len(waiting),
        overdue=sum(made.due <= as_of for made in waiting),
        void=len(every) - len(said),
        rows=tuple(_rows(said)),
        bins=tuple(_bins(said)),
        monitor=monitor([*(forecast.made for forecast in every), *waiting]),
    )


def outcome(forecast: ScoredForecast) -> float:
    """Returns 1 if the pair was fixed higher, 0 if lower, a half at the same level.

    The value is rounded to the last digit of the level.

    Raises:
        ValueError: the forecast is void.
    """
    level, value = forecast.made.level, forecast.value
    if value is None:
        raise ValueError(f"the forecast of {forecast.made.market} is void")
    printed = value.quantize(level)
    return COIN if printed == level else float(printed > level)


def brier(probabilities: Sequence[float], outcomes: Sequence[float]) -> float:
    """Returns the mean squared error of the probabilities (Brier, Verification of Forecasts
    Expressed in Terms of Probability, Monthly Weather Review 1950, for two outcomes).

    Raises:
        ValueError: there are none, or they differ in number.
    """
    missed = [(said - came) ** 2 for said, came in zip(probabilities, outcomes, strict=True)]
    if not missed:
        raise ValueError("no forecast has come due")
    return math.fsum(missed) / len(missed)


def coin_brier(outcomes: Sequence[float]) -> float:
    """Returns the Brier score of a probability of one half for everything, as of a random walk."""
    return brier([COIN] * len(outcomes), outcomes)


def monitor(made: Iterable[MadeForecast]) -> StanceMonitor:
    """Returns whether the newest forecasts lean one way more often than chance allows.

    The forecasts of one week are one opinion, mostly about the dollar. So each week counts once, by
    the direction of most of its forecasts, in an exact two-sided sign test (binomial distribution).
    """
    ups: defaultdict[str, list[bool]] = defaultdict(list)
    for forecast in made:
        if forecast.probability != COIN:
            ups[forecast.week].append(forecast.probability > COIN)
    newest = _newest_weeks(ups)
    total, up = sum(map(len, newest)), sum(map(sum, newest))
    return StanceMonitor(forecasts=total, up=up, one_sided=_one_sided(newest, total, up))


def sign_test(more: int, less: int) -> float:
    """Returns the two-sided p-value of a sign test: the probability that a fair coin falls at least
    as unevenly."""
    throws = more + less
    tail = sum(math.comb(throws, heads) for heads in range(max(more, less), throws + 1))
    return min(1.0, 2 * tail / (1 << throws))


def agent_weights(scored: Iterable[ScoredForecast]) -> tuple[RecordWeight, ...]:
    """Returns for each agent a factor by how much its forecasts beat a coin; 1 while there are few.
    Only forecasts of the record count."""
    by_agent: defaultdict[str, list[ScoredForecast]] = defaultdict(list)
    for forecast in scored:
        if forecast.value is not None and standing_of(forecast.made) is Standing.RECORD:
            by_agent[forecast.made.agent].append(forecast)
    return tuple(_of_agent(agent, by_agent[agent]) for agent in sorted(by_agent))


def source_weights(records: Iterable[SourceRecord]) -> tuple[RecordWeight, ...]:
    """Returns for each source a factor by how much more often than those of all sources its claims
    were verified, among those verified, contested or rejected; 1 while there are few."""
    by_server: defaultdict[str, _Verdicts] = defaultdict(lambda: _Verdicts(0, 0))
    for record in records:
        by_server[record.server] = by_server[record.server].plus(record)
    return tuple(_of_sources({name: v for name, v in by_server.items() if v.all}))


def agent_weight(agent: str, own: float, coin: float, outcomes: int, weeks: int) -> RecordWeight:
    """Returns the weight of an agent whose forecasts have the Brier score `own`, where a coin has
    `coin`, over so many outcomes of so many weeks."""
    found = (
        f"Brier {own:.3f} against {coin:.3f} of a coin over {outcomes} forecasts of {weeks} weeks"
    )
    if weeks < LEAST_WEEKS:
        needed = f"{found}, of {LEAST_WEEKS} needed"
        return _weight(WeightOf.AGENT, agent, outcomes, 1.0, needed)
    skill = 1 - own / coin if coin else 0.0
    factor = _factor(AGENT_GAIN * skill, weeks / HORIZON, HALF_AT_OUTCOMES)
    return _weight(WeightOf.AGENT, agent, outcomes, factor, found)


class _ScoredPrediction(NamedTuple):
    """The probabilities that the desk and carry gave an outcome, and the outcome."""

    agent: str
    market: str
    probability: float
    carry: float | None
    came: float


def _prediction(forecast: ScoredForecast) -> _ScoredPrediction:
    made = forecast.made
    return _ScoredPrediction(
        made.agent, made.market, made.probability, made.carry, outcome(forecast)
    )


def _rows(said: Sequence[_ScoredPrediction]) -> Iterator[ScoreRow]:
    if said:
        yield _row(ALL, said)
    yield from _rows_by(said, lambda one: one.agent)
    yield from _rows_by(said, lambda one: one.market)


def _rows_by(
    said: Iterable[_ScoredPrediction], name: Callable[[_ScoredPrediction], str]
) -> Iterator[ScoreRow]:
    groups: defaultdict[str, list[_ScoredPrediction]] = defaultdict(list)
    for one in said:
        groups[name(one)].append(one)
    for of in sorted(groups):
        yield _row(of, groups[of])


def _row(of: str, said: Sequence[_ScoredPrediction]) -> ScoreRow:
    own, came = [one.probability for one in said], [one.came for one in said]
    bets = [(one.carry, one.probability, one.came) for one in said if one.carry is not None]
    carry, beside, carried = zip(*bets, strict=True) if bets else ((), (), ())
    return ScoreRow(
        of=of,
        scored=len(said),
        hits=_hits(own, came),
        decided=sum(COIN not in pair for pair in zip(own, came, strict=True)),
        brier=round(brier(own, came), DIGITS),
        random_walk=round(coin_brier(came), DIGITS),
        carried=len(bets),
        carry=round(brier(carry, carried), DIGITS) if bets else None,
        carry_hits=_hits(carry, carried),
        brier_carried=round(brier(beside, carried), DIGITS) if bets else None,
    )


def _hits(said: Sequence[float], came: Sequence[float]) -> int:
    """Returns how many were on the right side. A probability of one half is on neither."""
    return sum((s - COIN) * (c - COIN) > 0 for s, c in zip(said, came, strict=True))


def _bins(said: Iterable[_ScoredPrediction]) -> Iterator[CalibrationBin]:
    """Yields forecasts by tenths of probability, each including its lower edge. Empty tenths are
    left out."""
    groups: defaultdict[int, list[_ScoredPrediction]] = defaultdict(list)
    for one in said:
        groups[min(int(one.probability * BINS), BINS - 1)].append(one)
    for place, group in sorted(groups.items()):
        mean = math.fsum(one.probability for one in group) / len(group)
        yield CalibrationBin(
            low=place / BINS,
            high=(place + 1) / BINS,
            count=len(group),
            mean=round(mean, DIGITS),
            rose=sum(one.came > COIN for one in group),
        )


def _newest_weeks(by_week: dict[str, list[bool]]) -> list[list[bool]]:
    newest: list[list[bool]] = []
    for week in sorted(by_week, reverse=True):
        if len(newest) >= MONITORED_WEEKS and sum(map(len, newest)) >= MONITORED:
            break
        newest.append(by_week[week])
    return newest


def _one_sided(weeks: Sequence[Sequence[bool]], total: int, up: int) -> str | None:
    more = sum(2 * sum(week) > len(week) for week in weeks)
    less = sum(2 * sum(week) < len(week) for week in weeks)
    if more == less or (chance := sign_test(more, less)) >= CHANCE:
        return None
    side, share = ("up", up) if more > less else ("down", total - up)
    return (
        f"{share} of the last {total} forecasts say {side}: more than half of them in "
        f"{max(more, less)} weeks, fewer in {min(more, less)}, which chance would bring about "
        f"with probability {chance:.2g}"
    )


class _Verdicts(NamedTuple):
    """The number of a source's claims that were verified, and of all with a verdict."""

    verified: int
    all: int

    def plus(self, record: SourceRecord) -> "_Verdicts":
        verified, against = record.verified, record.contested + record.rejected
        return _Verdicts(self.verified + verified, self.all + verified + against)

    @property
    def share(self) -> float:
        return self.verified / self.all


def _of_agent(agent: str, forecasts: Sequence[ScoredForecast]) -> RecordWeight:
    came = [outcome(forecast) for forecast in forecasts]
    own = brier([forecast.made.probability for forecast in forecasts], came)
    weeks = len({forecast.made.week for forecast in forecasts})
    return agent_weight(agent, own, coin_brier(came), len(forecasts), weeks)


def _of_sources(by_server: dict[str, _Verdicts]) -> Iterator[RecordWeight]:
    total = sum(verdicts.all for verdicts in by_server.values())
    mean = sum(verdicts.verified for verdicts in by_server.values()) / total if total else 0.0
    for server, verdicts in sorted(by_server.items()):
        # Published reports contain these words, and `desk audit` derives them again: they must not
        # change.
        found = (
            f"{verdicts.verified} of {verdicts.all} claims borne out by another origin, "
            f"{verdicts.share:.1%} against {mean:.1%} of all sources"
        )
        if verdicts.all < LEAST_CLAIMS:
            needed = f"{found}, of {LEAST_CLAIMS} claims needed"
            yield _weight(WeightOf.SOURCE, server, verdicts.all, 1.0, needed)
            continue
        factor = _factor(SOURCE_GAIN * (verdicts.share - mean), verdicts.all, HALF_AT_CLAIMS)
        yield _weight(WeightOf.SOURCE, server, verdicts.all, factor, found)


def _factor(merit: float, count: float, half_at: int) -> float:
    low, high = WEIGHT_BOUNDS
    return round(min(max(1 + merit * count / (count + half_at), low), high), WEIGHT_DIGITS)


def _weight(voice: WeightOf, name: str, outcomes: int, factor: float, found: str) -> RecordWeight:
    return RecordWeight(
        voice=voice, name=name, factor=factor, outcomes=outcomes, reason=f"{found}: {factor:.2f}"
    )
