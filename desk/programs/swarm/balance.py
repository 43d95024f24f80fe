"""Which side the views of a swarm's specialists favour.

Each view weighs as it does in a vote: its confidence times the weights of its source and agent. A
neutral view abstains: it is on neither side, has no weight, and does not lower the confidence of
the others.
The views of all specialists count here, including those with one origin: a chart and a rate are
read differently even if both go back to one publisher. After a conflict its positions count as they
were put to the vote, including those on targets, and its decision takes precedence over the
balance.

This module also computes what a specialist's own signals add up to, and the confidence in that. The
numbers are conventions of the desk; none was fitted to anything:

- A signal counts by its strength: up as plus, down as minus, neutral as zero. Their balance is the
  mean. From `LEANS` on, either way, it is a view; below that the view is neutral.
- The confidence of a view depends on the speciality's reach: a share of the reach for any view at
  all, and the rest by the size of the balance. The share is a half (`ANY_VIEW`), and a quarter for
  a swarm's specialists (`SPECIALISTS_VIEW`): so a clear view and a faint opposite one lie further
  apart than a vote allows, and a person is asked. A neutral view has two fifths of the reach, and
  up to a fifth more the nearer the balance is to zero. `GAP` is subtracted for each missing item,
  for up to `MOST_GAPS` of them.
- The confidence is at most `SUREST` and at least `LEAST_SURE`.
- The action is to buy or sell from a confidence of `ACTS` on, and to hold below it.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from desk.contracts.agents.config import VotingConfig
from desk.contracts.episode.analysis import Hint, Signal
from desk.contracts.findings.results import (
    ConflictKind,
    ConflictRecord,
    Leaning,
    ResearchResult,
    View,
    ViewKind,
)
from desk.contracts.names import AgentId
from desk.trust.conflicts import view_position

LEANS: Final = 0.15
ANY_VIEW: Final = 0.5
SPECIALISTS_VIEW: Final = 0.25
GAP: Final = 0.04
MOST_GAPS: Final = 5
SUREST: Final = 0.8
LEAST_SURE: Final = 0.2
ACTS: Final = 0.45
LESS_SURE_TO_ACT: Final = 0.9
"""The confidence in an action as a share of the confidence in the direction."""

_SIGNS: Final = {Hint.UP: 1, Hint.DOWN: -1, Hint.NEUTRAL: 0}

Pull = tuple[int, float]
"""Which way something pulls: 1 is up, -1 down, 0 neither; and how strongly, from 0 to 1."""


class SignalConsensus(NamedTuple):
    """The overall direction of some signals, how far they agree (-1 to 1), and the confidence in
    it.

    Without a signal it abstains.
    """

    leaning: Leaning
    balance: float
    confidence: float

    @property
    def action(self) -> Leaning:
        """What to do: buy, sell, or hold as neutral."""
        if self.leaning is Leaning.ABSTAINS:
            return Leaning.ABSTAINS
        return self.leaning if self.confidence >= ACTS else Leaning.NEUTRAL

    @property
    def action_confidence(self) -> float:
        """The confidence in the action."""
        return round(self.confidence * LESS_SURE_TO_ACT, 3)


def judge(
    signals: Iterable[Signal], reach: float, gaps: int, *, any_view: float = ANY_VIEW
) -> SignalConsensus:
    """Returns the direction of some signals and the confidence in it, by the rules above.

    Args:
        signals: Those of all tools that answered.
        reach: How much the speciality can say about the weeks ahead, from 0 to 1.
        gaps: How many things were missing.
        any_view: The share of the reach that any view has at all, however faint.
    """
    pulls = [(_SIGNS[signal.hint], signal.strength) for signal in signals]
    return judge_pulls(pulls, reach, gaps, any_view=any_view)


def judge_pulls(
    pulls: Sequence[Pull], reach: float, gaps: int, *, any_view: float = ANY_VIEW
) -> SignalConsensus:
    """Returns the same for signals given by direction and strength alone."""
    heard = [(sign, strength) for sign, strength in pulls if strength > 0]
    if not heard:
        return SignalConsensus(Leaning.ABSTAINS, 0.0, LEAST_SURE)
    balance = round(sum([sign * strength for sign, strength in heard]) / len(heard), 6)
    leaning = leaning_of(balance)
    share = any_view + (1 - any_view) * abs(balance)
    if leaning is Leaning.NEUTRAL:
        share = 0.4 + 0.2 * (1 - abs(balance) / LEANS)
    sure = reach * share - GAP * min(gaps, MOST_GAPS)
    return SignalConsensus(
        leaning=leaning,
        balance=balance,
        confidence=round(min(SUREST, max(LEAST_SURE, sure)), 3),
    )


def leaning_of(balance: float, least: float = LEANS) -> Leaning:
    """Returns the direction of a balance: neutral if it is smaller than `least`."""
    if abs(balance) < least:
        return Leaning.NEUTRAL
    return Leaning.UP if balance > 0 else Leaning.DOWN


def strongest(signals: Sequence[Signal], hint: Hint) -> Signal | None:
    """Returns the strongest signal in one direction, the first if there are several; None without
    any."""
    pointing = [signal for signal in signals if signal.hint is hint and signal.strength > 0]
    return max(pointing, key=lambda signal: signal.strength, default=None)


CLOSE: Final = 0.15
"""A balance closer to zero than this, on a scale of -1 to 1, is too close to decide: a
convention."""


class WeightedView(NamedTuple):
    """One specialist's view of a market's direction, and its weight."""

    result: ResearchResult
    view: View
    weight: float


class Vote(NamedTuple):
    """A vote for a side: its leaning, weight and confidence."""

    leaning: str
    weight: float
    confidence: float


class Balance(NamedTuple):
    """All views of a market's direction. `chosen` is the decision of a conflict on it: neutral if
    the conflict is open or was decided for no side."""

    market: str
    voices: tuple[WeightedView, ...]
    conflict: ConflictRecord | None = None

    @property
    def chosen(self) -> Leaning | None:
        """The decision; None if nothing had to be decided."""
        if self.conflict is None:
            return None
        return _leaning(self.conflict.chosen) if self.conflict.resolved else Leaning.NEUTRAL

    @property
    def net(self) -> float:
        """How far the views are on one side, from -1 (all down) to 1 (all up)."""
        total = self._total
        if not total:
            return 0.0
        return round((self.weight(Leaning.UP) - self.weight(Leaning.DOWN)) / total, 6)

    @property
    def leaning(self) -> Leaning:
        """The direction that the market is taken to have."""
        return self.chosen or leaning_of(self.net, CLOSE)

    @property
    def is_close(self) -> bool:
        """Whether the views on both sides balance each other."""
        both = self.weight(Leaning.UP) > 0 and self.weight(Leaning.DOWN) > 0
        return both and abs(self.net) < CLOSE

    @property
    def votes(self) -> tuple[Vote, ...]:
        """The positions of the conflict, or else the views."""
        if self.conflict is not None:
            return tuple(Vote(p.stated, p.weight, p.confidence) for p in self.conflict.positions)
        return tuple(Vote(v.view.leaning, v.weight, v.view.confidence) for v in self.voices)

    def weight(self, leaning: Leaning) -> float:
        """The total weight of one leaning."""
        return sum(vote.weight for vote in self.votes if vote.leaning == leaning)

    def share(self, leaning: Leaning) -> float:
        """The share of the weight on one side; one half if no view takes a side."""
        total = self._total
        return self.weight(leaning) / total if total else 0.5

    @property
    def sureness(self) -> float:
        """The mean confidence of the views that take a side, by weight."""
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
    """Returns the views of a market's direction, the newest of each specialist."""
    voices = tuple(
        WeightedView(result, view, view_position(result, view, voting).weight)
        for result, view in opinions_on(market, results)
    )
    found = (c for c in conflicts if c.market == market and is_on_views(c))
    return Balance(market, voices, next(found, None))


def opinions_on(
    market: str, results: Iterable[ResearchResult]
) -> Iterator[tuple[ResearchResult, View]]:
    """The views of a market's direction, each with its result: the newest of each specialist,
    without views that a word list read from a text."""
    for result in newest_of(results):
        for view in result.views:
            if (view.subject, view.kind) == (market, ViewKind.DIRECTION) and not view.by_words:
                yield result, view


def newest_of(results: Iterable[ResearchResult]) -> tuple[ResearchResult, ...]:
    """Returns the last result of each specialist on a market. The reserve stands in for different
    specialists, so all of its results count."""
    newest: dict[tuple[str, str], ResearchResult] = {}
    for result in results:
        reserve = result.agent is AgentId.RESERVE_SPECIALIST
        newest[result.result_id if reserve else result.agent, result.market] = result
    return tuple(newest.values())


def is_on_views(conflict: ConflictRecord) -> bool:
    """Returns whether a conflict is between opposite views of a direction, and not between
    figures."""
    if conflict.kind is not ConflictKind.DIRECTION:
        return False
    return all(position.claim_id is None for position in conflict.positions)


def _leaning(stated: str | None) -> Leaning:
    return Leaning(stated) if stated in set(Leaning) else Leaning.NEUTRAL
