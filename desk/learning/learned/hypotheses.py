"""The hypotheses that the learning system knows, and their scores.

The result does not depend on the order in which they were reported. A prediction counts once,
however many runs made it: one on the same market, the same side or the same bounds, from the same
first day and for the same number of weeks. The level is not part of its identity, because it is the
price of that first day. Nor is the instant at which it is due: it differs between runs on a Friday
night, a Saturday and a Sunday, although they predict the same.
"""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Final, NamedTuple

from desk.contracts.base import Figure
from desk.contracts.findings.results import Leaning
from desk.contracts.learning.lessons import Scorecard, ScoreRow
from desk.contracts.learning.record import MOST_KEPT_HYPOTHESES
from desk.contracts.names import AgentId
from desk.contracts.swarm.hypotheses import HypothesisKind, HypothesisState, ScoredHypothesis
from desk.learning.calibration import COIN, DIGITS, brier, coin_brier
from desk.learning.hypotheses import view_state
from desk.learning.standing import is_backtested

HYPOTHESES: Final = "hypotheses"


class _Prediction(NamedTuple):
    """The fields by which two hypotheses are the same prediction."""

    market: str
    kind: HypothesisKind
    leaning: Leaning
    begins: date
    weeks: int
    low: Figure | None
    high: Figure | None


class LearnedHypotheses:
    """Scored hypotheses, one of each workflow: the `most` that were due last."""

    def __init__(
        self, known: Iterable[ScoredHypothesis] = (), *, most: int = MOST_KEPT_HYPOTHESES
    ) -> None:
        self._known = {scored.workflow_id: scored for scored in known}
        self._most = most

    @property
    def every(self) -> tuple[ScoredHypothesis, ...]:
        """All of them, sorted by due date."""
        return tuple(sorted(self._known.values(), key=_order))

    def take(self, scored: ScoredHypothesis) -> None:
        """Adds a hypothesis. If it was reported twice, the one that was scored later is stored."""
        before = self._known.get(scored.workflow_id)
        if before is not None and before.scored_at > scored.scored_at:
            return
        self._known[scored.workflow_id] = scored
        if len(self._known) > self._most:
            del self._known[min(self._known.values(), key=_order).workflow_id]

    def known_by(self, as_of: datetime) -> tuple[ScoredHypothesis, ...]:
        """Returns those that were due by an instant, the latest first, each prediction once. A
        prediction scored by a price has precedence over one given up, one made in time over one
        made afterwards, and then the one scored last."""
        due = (one for one in self._known.values() if one.hypothesis.due <= as_of)
        counted = {_prediction(one): one for one in sorted(due, key=_sort_key)}
        return tuple(sorted(counted.values(), key=_order, reverse=True))


def with_hypotheses(card: Scorecard, known: Sequence[ScoredHypothesis]) -> Scorecard:
    """Returns a scorecard with the scores of some hypotheses and of the views that came with them.
    Those written afterwards are in its `backtest`, and views that a person overruled are
    separate."""
    late = [one for one in known if is_backtested(one)]
    card = _with_all(card, [one for one in known if not is_backtested(one)])
    if not late:
        return card
    beside = card.backtest or Scorecard(as_of=card.as_of, open=0)
    return card.model_copy(update={"backtest": _with_all(beside, late)})


def _with_all(card: Scorecard, known: Sequence[ScoredHypothesis]) -> Scorecard:
    void = sum(one.state is HypothesisState.VOID for one in known)
    if views := view_rows(known, overruled=True):
        beside = card.overruled or Scorecard(as_of=card.as_of, open=0)
        apart = beside.model_copy(update={"views": views})
        card = card.model_copy(update={"overruled": apart})
    return card.model_copy(
        update={
            "hypotheses": hypothesis_row(known),
            "void_hypotheses": void,
            "views": view_rows(known),
        }
    )


def hypothesis_row(known: Iterable[ScoredHypothesis]) -> ScoreRow | None:
    """Returns the scores of hypotheses that held or were refuted; None without any. A coin gets
    0.25."""
    decided = [
        (one.hypothesis.probability, _outcome(one)) for one in known if one.score is not None
    ]
    return _row(HYPOTHESES, decided) if decided else None


def view_rows(
    known: Iterable[ScoredHypothesis], *, overruled: bool = False
) -> tuple[ScoreRow, ...]:
    """Returns the scores of specialists' views that came with hypotheses, one row for each
    specialist. A view counts once, however many runs contain it: two views are the same if
    specialist, market, first day and number of weeks agree. The first of `known` counts. Those that
    a person overruled are in rows of their own."""
    counted: dict[tuple[AgentId, str, date, int], tuple[float, float]] = {}
    for scored in known:
        about = scored.hypothesis
        for view in about.views:
            if (view.overruled_by is not None) is not overruled:
                continue
            state = view_state(scored, view)
            if view.probability is not None and state is not HypothesisState.VOID:
                outcome = view.probability, float(state is HypothesisState.HELD)
                key = view.agent, about.market.market, about.level_on, about.weeks
                counted.setdefault(key, outcome)
    agents = sorted({agent for agent, *_ in counted})
    return tuple(_row(who, [o for (a, *_), o in counted.items() if a is who]) for who in agents)


def _row(of: str, decided: Sequence[tuple[float, float]]) -> ScoreRow:
    said, came = zip(*decided, strict=True)
    return ScoreRow(
        of=of,
        scored=len(decided),
        hits=sum((s - COIN) * (c - COIN) > 0 for s, c in decided),
        decided=sum(s != COIN for s in said),
        brier=round(brier(said, came), DIGITS),
        random_walk=round(coin_brier(came), DIGITS),
    )


def _outcome(scored: ScoredHypothesis) -> float:
    return float(scored.state is HypothesisState.HELD)


def _prediction(scored: ScoredHypothesis) -> _Prediction:
    said = scored.hypothesis
    side = (said.market.market, said.kind, said.leaning)
    return _Prediction(*side, said.level_on, said.weeks, said.low, said.high)


def _sort_key(scored: ScoredHypothesis) -> tuple[bool, bool, datetime, datetime, str]:
    decided = scored.state is not HypothesisState.VOID
    return (
        decided,
        not is_backtested(scored),
        scored.scored_at,
        scored.made_as_of,
        scored.workflow_id,
    )


def _order(scored: ScoredHypothesis) -> tuple[datetime, str]:
    return scored.hypothesis.due, scored.workflow_id
