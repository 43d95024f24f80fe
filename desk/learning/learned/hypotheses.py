"""The hypotheses that the learning system knows, and how they did.

They come out the same in whatever order they were told. A prediction counts once, however many runs
made it: one of the same market, the same side or the same bounds, from the same day on and for as
many weeks. The level is no part of that: it is the price of the day that it begins with. Nor is the
instant at which it is due: of runs on a Friday night, a Saturday and a Sunday it differs, and what
they say is the same.
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
    """What makes two hypotheses the same one, said again."""

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
        """All of them, the one that was due first first."""
        return tuple(sorted(self._known.values(), key=_order))

    def take(self, scored: ScoredHypothesis) -> None:
        """One hypothesis; of two tellings of it the one that was scored later stays."""
        before = self._known.get(scored.workflow_id)
        if before is not None and before.scored_at > scored.scored_at:
            return
        self._known[scored.workflow_id] = scored
        if len(self._known) > self._most:
            del self._known[min(self._known.values(), key=_order).workflow_id]

    def known_by(self, as_of: datetime) -> tuple[ScoredHypothesis, ...]:
        """Those that were due by an instant, the one that was due last first; each prediction once:
        as it was held against a price rather than given up, as it was made in time rather than
        afterwards, and as it was scored last."""
        due = (one for one in self._known.values() if one.hypothesis.due <= as_of)
        counted = {_prediction(one): one for one in sorted(due, key=_standing)}
        return tuple(sorted(counted.values(), key=_order, reverse=True))


def with_hypotheses(card: Scorecard, known: Sequence[ScoredHypothesis]) -> Scorecard:
    """A scorecard with how some hypotheses did, and the views that came with them: in its
    `backtest` those that were written afterwards, and views that a person overruled apart."""
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
    """How hypotheses did that held or were refuted; None without any. A coin gets 0.25."""
    decided = [(one.hypothesis.probability, _came(one)) for one in known if one.score is not None]
    return _row(HYPOTHESES, decided) if decided else None


def view_rows(
    known: Iterable[ScoredHypothesis], *, overruled: bool = False
) -> tuple[ScoreRow, ...]:
    """The scores of specialists' views that came with hypotheses, one row for each specialist. A
    view counts once, however many runs held it: two views are the same if specialist, market, first
    day and number of weeks agree. The first of `known` is taken. Those that a person overruled are
    in rows of their own."""
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


def _came(scored: ScoredHypothesis) -> float:
    return float(scored.state is HypothesisState.HELD)


def _prediction(scored: ScoredHypothesis) -> _Prediction:
    said = scored.hypothesis
    side = (said.market.market, said.kind, said.leaning)
    return _Prediction(*side, said.level_on, said.weeks, said.low, said.high)


def _standing(scored: ScoredHypothesis) -> tuple[bool, bool, datetime, datetime, str]:
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
