"""The recommendation that follows from the insights into a stock.

The numbers are conventions of the desk; none was fitted:

- The insights are weighed like a specialist's signals (`balance.judge`): their balance is the mean
  of their strengths, up as plus, down as minus, neutral as zero. From `LEANS` on it is a buy or a
  sell; below it a hold.
- What is known is the sum of the parts' `WEIGHTS`, each times the share of its figures that are
  available. A part that was not fetched, or lacks everything, counts as zero. Below `LEAST_KNOWN`,
  and if no insight has a direction, it abstains.
- The confidence is that of the judgement times what is known: it falls with every missing figure.
  Offline a company only has prices, which are `WEIGHTS` of 0.6 together: a buy or a sell is
  possible, with three fifths of the confidence.
- The probability of a higher price is 0.5 + `REACH` x balance x what is known, so between 0.3 and
  0.7; 0.5 if it abstains.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import Blackboard, Recommended, StockRecommendation
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Leaning
from desk.programs.episode.actions import PART_METRICS, Pointer
from desk.programs.episode.blackboard import StockBoard
from desk.programs.swarm.balance import SignalConsensus, judge_pulls

WEIGHTS: Final[Mapping[StockAction, float]] = MappingProxyType(
    {
        StockAction.FETCH_NEWS: 0.1,
        StockAction.FETCH_FUNDAMENTALS: 0.2,
        StockAction.FETCH_SENTIMENT: 0.1,
        StockAction.RUN_TA_BASIC: 0.3,
        StockAction.RUN_TA_ADVANCED: 0.3,
    }
)
"""What each part adds to what is known; the sum is 1."""

_SHARES: Final[Mapping[Metric, float]] = MappingProxyType(
    {
        metric: weight / len(PART_METRICS[action])
        for action, weight in WEIGHTS.items()
        for metric in PART_METRICS[action]
    }
)

LEAST_KNOWN: Final = 0.25
"""Less than a complete technical part adds."""

SURENESS: Final = 0.8
"""The highest confidence: how much complete and unanimous figures can say about the weeks ahead."""

REACH: Final = 0.2
MOST_REASONS: Final = 20

_SIGNS: Final[Mapping[Leaning, int]] = MappingProxyType(
    {Leaning.UP: 1, Leaning.DOWN: -1, Leaning.NEUTRAL: 0}
)
_ACTIONS: Final[Mapping[Leaning, Recommended]] = MappingProxyType(
    {
        Leaning.UP: Recommended.BUY,
        Leaning.DOWN: Recommended.SELL,
        Leaning.NEUTRAL: Recommended.HOLD,
        Leaning.ABSTAINS: Recommended.ABSTAIN,
    }
)

_SIDES: Final[Mapping[Recommended, tuple[Container[Leaning], Container[Leaning]]]] = (
    MappingProxyType(
        {
            Recommended.BUY: ((Leaning.UP,), (Leaning.DOWN,)),
            Recommended.SELL: ((Leaning.DOWN,), (Leaning.UP,)),
            Recommended.HOLD: ((Leaning.NEUTRAL,), (Leaning.UP, Leaning.DOWN)),
        }
    )
)
"""The leanings of the reasons for an action, and of those against it."""

_FIRST: Final = itemgetter(0)


class Leans(Protocol):
    """An insight, being written or on a blackboard."""

    @property
    def leaning(self) -> Leaning:
        """Its direction."""

    @property
    def strength(self) -> float:
        """Its strength, from 0 to 1."""


class StockDecision(NamedTuple):
    """A recommendation with its confidence and the probability of a higher price, without the
    reasons."""

    action: Recommended
    confidence: float
    probability: float


def recommend(pointers: Sequence[Pointer], board: StockBoard) -> StockRecommendation:
    """Recommends an action from some insights, and from how much of the blackboard is known."""
    decision = decided(judged(pointers), known(board.values))
    reasons_for, reasons_against = _reasons(pointers, decision.action)
    return StockRecommendation(
        action=decision.action,
        confidence=decision.confidence,
        probability=decision.probability,
        reasons_for=reasons_for,
        reasons_against=reasons_against,
    )


def answers(board: StockBoard) -> bool:
    """Returns whether a recommendation from a blackboard answers the question: there are figures,
    and the company's accounts were found if they were asked for."""
    return bool(board.values) and StockAction.FETCH_FUNDAMENTALS not in board.asked_in_vain


def decided(found: SignalConsensus, share: float) -> StockDecision:
    """Decides what to do by a judgement of insights, if a `share` of the figures is known."""
    action = _ACTIONS[found.leaning] if share >= LEAST_KNOWN else Recommended.ABSTAIN
    reach = 0.0 if action is Recommended.ABSTAIN else REACH * found.balance * share
    return StockDecision(action, round(found.confidence * share, 3), round(0.5 + reach, 3))


def balance(pointers: Iterable[Leans]) -> float | None:
    """The balance of some insights, from -1 to 1. None without any insight of some strength that
    has a direction or is neutral."""
    found = judged(pointers)
    return None if found.leaning is Leaning.ABSTAINS else found.balance


def judged(pointers: Iterable[Leans]) -> SignalConsensus:
    """The joint judgement of some insights."""
    pulls = [(_SIGNS[p.leaning], p.strength) for p in pointers if p.leaning in _SIGNS]
    return judge_pulls(pulls, SURENESS, gaps=0)


def known(values: Mapping[Metric, float]) -> float:
    """The share of a blackboard's figures that is known, from 0 to 1."""
    return round(sum([_SHARES.get(metric, 0.0) for metric in values]), 6)


def _reasons(
    pointers: Sequence[Pointer], action: Recommended
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The topics for and against an action, the strongest first. For a hold, neutral insights are
    reasons for it, and those with a direction against; an abstention has neither."""
    if action is Recommended.ABSTAIN:
        return (), ()
    speaks_for, speaks_against = _SIDES[action]
    return _topics(pointers, speaks_for), _topics(pointers, speaks_against)


def _topics(pointers: Sequence[Pointer], leanings: Container[Leaning]) -> tuple[str, ...]:
    pointing = [(-p.strength, p.topic) for p in pointers if p.leaning in leanings and p.strength]
    pointing.sort(key=_FIRST)
    return tuple(dict.fromkeys([topic for _, topic in pointing]))[:MOST_REASONS]


def is_recommended(board: Blackboard, least: float) -> bool:
    """Returns whether a side is recommended: the confidence reaches the configured minimum."""
    side = board.recommendation not in (None, Recommended.ABSTAIN)
    return side and board.confidence >= least


def advised(board: Blackboard, least: float) -> str:
    """`buy`, or `leans to buy` if the confidence is below the minimum and nothing is
    recommended."""
    said = board.recommendation
    if said is None or said is Recommended.ABSTAIN or is_recommended(board, least):
        return str(said) if said else "nothing"
    return f"leans to {said}"
