"""On which side the views of a swarm's specialists come down.

Each view weighs as it does in a vote: its confidence times the weights of its source and agent.
The views of all specialists count here, those of one origin as well: a chart and a rate are read
differently where both go back to one publisher. Where there was a conflict its positions count as
they were put to the vote, those of targets included, and what it was decided for goes before the
balance.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from desk.contracts.config import VotingConfig
from desk.contracts.findings.results import (
    ConflictKind,
    ConflictRecord,
    Leaning,
    ResearchResult,
    View,
    ViewKind,
)
from desk.contracts.names import AgentId
from desk.programs.swarm.parts.signals import leaning_of
from desk.trust.conflicts import view_position

CLOSE: Final = 0.15
"""A balance nearer to zero than this, of -1 to 1, is no balance to go by: a convention."""


class WeightedView(NamedTuple):
    """One specialist's view of a market's direction, and what it weighs."""

    result: ResearchResult
    view: View
    weight: float


class Vote(NamedTuple):
    """What counts for a side: a leaning, its weight and how sure it is."""

    leaning: str
    weight: float
    confidence: float


class Balance(NamedTuple):
    """All views of a market's direction. `chosen` is what a conflict on it was decided for:
    neutral where it was decided for no side or is open."""

    market: str
    voices: tuple[WeightedView, ...]
    conflict: ConflictRecord | None = None

    @property
    def chosen(self) -> Leaning | None:
        """What was decided; None where nothing had to be."""
        if self.conflict is None:
            return None
        return _leaning(self.conflict.chosen) if self.conflict.resolved else Leaning.NEUTRAL

    @property
    def net(self) -> float:
        """How far the views come down on one side, from -1 (all down) to 1."""
        total = self._total
        if not total:
            return 0.0
        return round((self.weight(Leaning.UP) - self.weight(Leaning.DOWN)) / total, 6)

    @property
    def leaning(self) -> Leaning:
        """Where the market is taken to be going."""
        return self.chosen or leaning_of(self.net, CLOSE)

    @property
    def is_close(self) -> bool:
        """Whether views on both sides balance each other."""
        both = self.weight(Leaning.UP) > 0 and self.weight(Leaning.DOWN) > 0
        return both and abs(self.net) < CLOSE

    @property
    def votes(self) -> tuple[Vote, ...]:
        """The positions of the conflict, or else the views."""
        if self.conflict is not None:
            return tuple(Vote(p.stated, p.weight, p.confidence) for p in self.conflict.positions)
        return tuple(Vote(v.view.leaning, v.weight, v.view.confidence) for v in self.voices)

    def weight(self, leaning: Leaning) -> float:
        """What counts for one leaning together."""
        return sum(vote.weight for vote in self.votes if vote.leaning == leaning)

    def share(self, leaning: Leaning) -> float:
        """The share of the weight on one side, half of what leans neither way counted to it; a
        half where there is none."""
        total = self._total
        if not total:
            return 0.5
        return (self.weight(leaning) + self.weight(Leaning.NEUTRAL) / 2) / total

    @property
    def sureness(self) -> float:
        """How sure the views are, on the whole: the mean of their confidences by their weight."""
        total = self._total
        if not total:
            return 0.0
        return sum(vote.weight * vote.confidence for vote in self.votes) / total

    @property
    def _total(self) -> float:
        return sum(vote.weight for vote in self.votes)


def balance_of(
    market: str,
    results: Sequence[ResearchResult],
    conflicts: Iterable[ConflictRecord],
    voting: VotingConfig,
) -> Balance:
    """The views of a market's direction, of each specialist the newest."""
    voices = tuple(
        WeightedView(result, view, view_position(result, view, voting).weight)
        for result, view in opinions_on(market, results)
    )
    found = (c for c in conflicts if c.market == market and is_on_views(c))
    return Balance(market, voices, next(found, None))


def opinions_on(
    market: str, results: Iterable[ResearchResult]
) -> Iterator[tuple[ResearchResult, View]]:
    """The views of a market's direction, each with the result that holds it: of each specialist the
    newest, and none that a list of words read out of a text."""
    for result in newest_of(results):
        for view in result.views:
            if (view.subject, view.kind) == (market, ViewKind.DIRECTION) and not view.by_words:
                yield result, view


def newest_of(results: Iterable[ResearchResult]) -> tuple[ResearchResult, ...]:
    """Of what one specialist found on one market in several rounds the last. The reserve stands in
    for different ones, and all that it found counts."""
    newest: dict[tuple[str, str], ResearchResult] = {}
    for result in results:
        reserve = result.agent is AgentId.RESERVE_SPECIALIST
        newest[result.result_id if reserve else result.agent, result.market] = result
    return tuple(newest.values())


def is_on_views(conflict: ConflictRecord) -> bool:
    """Whether a conflict is one of opposite views of a direction, and not of figures."""
    if conflict.kind is not ConflictKind.DIRECTION:
        return False
    return all(position.claim_id is None for position in conflict.positions)


def _leaning(stated: str | None) -> Leaning:
    return Leaning(stated) if stated in set(Leaning) else Leaning.NEUTRAL
