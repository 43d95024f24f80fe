"""What the record is worth in a vote: a factor for each agent and each source, and why.

Light: workflows use it. Everything here comes out the same in whatever order the record is given.
The constants are conventions of the desk, listed in docs/method.md; nothing was fitted to anything.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from desk.contracts.learning.learning import (
    WEIGHT_BOUNDS,
    RecordWeight,
    ScoredForecast,
    SourceRecord,
    Voice,
)
from desk.learning.calibration import brier, coin_brier, outcome
from desk.learning.forecasts.forecasts import HORIZON

AGENT_GAIN: Final = 2.0
"""By how much a factor moves for a skill of one, before it is shrunk."""

SOURCE_GAIN: Final = 1.0
"""By how much it moves for a share of verified claims that is one above the mean."""

LEAST_WEEKS: Final = 26
"""Forecasts of fewer weeks change nothing."""

LEAST_CLAIMS: Final = 50
"""Fewer claims with a verdict change nothing."""

HALF_AT_OUTCOMES: Final = 50
"""With so many outcomes, half of what the record says is believed. All forecasts of a week have one
outcome between them, the dollar's, and so have weeks whose forecasts span the same time."""

HALF_AT_CLAIMS: Final = 200
"""With so many claims, half of what the record says is believed."""

DIGITS: Final = 2


class _Verdicts(NamedTuple):
    """Of the claims that rest on a source, those verified, and all with a verdict."""

    verified: int
    all: int

    def plus(self, record: SourceRecord) -> "_Verdicts":
        verified, against = record.verified, record.contested + record.rejected
        return _Verdicts(self.verified + verified, self.all + verified + against)

    @property
    def share(self) -> float:
        return self.verified / self.all


def agent_weights(scored: Iterable[ScoredForecast]) -> tuple[RecordWeight, ...]:
    """By agent, how much better its forecasts were than a coin; 1 while they are few."""
    by_agent: defaultdict[str, list[ScoredForecast]] = defaultdict(list)
    for forecast in scored:
        if forecast.value is not None:
            by_agent[forecast.made.agent].append(forecast)
    return tuple(_of_agent(agent, by_agent[agent]) for agent in sorted(by_agent))


def source_weights(records: Iterable[SourceRecord]) -> tuple[RecordWeight, ...]:
    """By source, how much oftener than those of all sources its claims were verified, of those
    that were verified, contested or rejected; 1 while they are few."""
    by_server: defaultdict[str, _Verdicts] = defaultdict(lambda: _Verdicts(0, 0))
    for record in records:
        by_server[record.server] = by_server[record.server].plus(record)
    return tuple(_of_sources({name: v for name, v in by_server.items() if v.all}))


def _of_agent(agent: str, forecasts: Sequence[ScoredForecast]) -> RecordWeight:
    came = [outcome(forecast) for forecast in forecasts]
    own = brier([forecast.made.probability for forecast in forecasts], came)
    weeks = len({forecast.made.week for forecast in forecasts})
    return agent_weight(agent, own, coin_brier(came), len(forecasts), weeks)


def agent_weight(agent: str, own: float, coin: float, outcomes: int, weeks: int) -> RecordWeight:
    """What an agent's voice is worth whose forecasts have the Brier score `own`, where a coin's is
    `coin`, over so many outcomes of so many weeks."""
    found = (
        f"Brier {own:.3f} against {coin:.3f} of a coin over {outcomes} forecasts of {weeks} weeks"
    )
    if weeks < LEAST_WEEKS:
        needed = f"{found}, of {LEAST_WEEKS} needed"
        return _weight(Voice.AGENT, agent, outcomes, 1.0, needed)
    skill = 1 - own / coin if coin else 0.0
    factor = _factor(AGENT_GAIN * skill, weeks / HORIZON, HALF_AT_OUTCOMES)
    return _weight(Voice.AGENT, agent, outcomes, factor, found)


def _of_sources(by_server: dict[str, _Verdicts]) -> Iterator[RecordWeight]:
    total = sum(verdicts.all for verdicts in by_server.values())
    mean = sum(verdicts.verified for verdicts in by_server.values()) / total if total else 0.0
    for server, verdicts in sorted(by_server.items()):
        found = (
            f"{verdicts.verified} of {verdicts.all} claims borne out by another origin, "
            f"{verdicts.share:.1%} against {mean:.1%} of all sources"
        )
        if verdicts.all < LEAST_CLAIMS:
            needed = f"{found}, of {LEAST_CLAIMS} claims needed"
            yield _weight(Voice.SOURCE, server, verdicts.all, 1.0, needed)
            continue
        factor = _factor(SOURCE_GAIN * (verdicts.share - mean), verdicts.all, HALF_AT_CLAIMS)
        yield _weight(Voice.SOURCE, server, verdicts.all, factor, found)


def _factor(merit: float, count: float, half_at: int) -> float:
    low, high = WEIGHT_BOUNDS
    return round(min(max(1 + merit * count / (count + half_at), low), high), DIGITS)


def _weight(voice: Voice, name: str, outcomes: int, factor: float, found: str) -> RecordWeight:
    return RecordWeight(
        voice=voice, name=name, factor=factor, outcomes=outcomes, reason=f"{found}: {factor:.2f}"
    )
