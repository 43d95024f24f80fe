"""The entries of an episode for the memory and for the learning system, and its query to the
memory.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from desk.analytics.figures import print_full_day
from desk.contracts.episode.analysis import MeasuredFigure
from desk.contracts.episode.stock import Blackboard, Evaluation, Recommended
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Leaning
from desk.contracts.learning.memory import MemoryEntry, MemoryKind, MemoryQuery
from desk.contracts.names import AgentId
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.swarm import HypothesisRequest
from desk.contracts.runs.turns import StateEntry
from desk.contracts.swarm.hypotheses import Hypothesis, HypothesisKind, ScoredHypothesis
from desk.documents.rendering.words.prose import Known, plain_if_known
from desk.learning.hypotheses import Price, scored
from desk.programs.episode.horizon import due_of
from desk.programs.episode.run.assignments import market_of
from desk.trust.prose import claims_in

LONGEST: Final = 20_000
MOST_RECALLED: Final = 8

_SIDES: Final = {Recommended.BUY: Leaning.UP, Recommended.SELL: Leaning.DOWN}
_WORDS: Final = {Leaning.UP: "above", Leaning.DOWN: "below"}


class NotScorable(ValueError):
    """A recommendation cannot be scored as something that held or was refuted; the message says
    why."""


class StockRemembering(NamedTuple):
    """The context of a memory entry: the run, its objective, and the blackboard."""

    workflow_id: str
    objective: str
    board: Blackboard

    def query(self) -> MemoryQuery:
        """Builds the query for what earlier runs recommended and found on the stock, and for the
        outcomes."""
        return MemoryQuery(
            text=f"{self.objective} Earlier recommendations on {self.board.symbol}.",
            markets=(self.board.symbol,),
            as_of=self.board.as_of,
            besides=self.workflow_id,
            most=MOST_RECALLED,
        )

    def recommendation(self, made: Synthesis, state: Sequence[StateEntry]) -> MemoryEntry:
        """Builds the entry of the recommendation, with its reasons."""
        known = Known(claims_in(state), {})
        texts = (made.summary, *(section.content for section in made.sections))
        prose = (plain_if_known(text, known) for text in texts)
        text = "\n".join((f"{self._said}.", *prose))
        return self._entry(MemoryKind.FINDINGS, "recommendation", self.board.as_of, text)

    def outcome(self, known_at: datetime) -> MemoryEntry:
        """Builds the entry of the outcome, known from the end of the horizon, or from when the wait
        ended."""
        text = f"{self._said}. Outcome: {_what_came(self.board.evaluation)}."
        return self._entry(MemoryKind.OUTCOME, "evaluation", known_at, text)

    @property
    def _said(self) -> str:
        board = self.board
        likely = "" if board.probability is None else f", {board.probability:.2f} likely to rise"
        return (
            f"Recommendation of {print_full_day(board.as_of.date())} on {board.symbol} for"
            f" {board.weeks} week{'' if board.weeks == 1 else 's'}: {board.recommendation},"
            f" confidence {board.confidence:.2f}{likely}"
        )

    def _entry(self, kind: MemoryKind, name: str, as_of: datetime, text: str) -> MemoryEntry:
        return MemoryEntry(
            memory_id=f"{self.workflow_id}/{self.board.as_of:%Y%m%dT%H%M%S}/{name}"[:200],
            kind=kind,
            objective=self.objective,
            markets=(self.board.symbol,),
            as_of=as_of,
            text=text[:LONGEST],
            workflow_id=self.workflow_id,
        )


def scored_recommendation(
    board: Blackboard,
    agents: Sequence[AgentId],
    *,
    workflow_id: str,
    written_at: datetime | None,
    now: datetime,
) -> ScoredHypothesis | None:
    """Converts an evaluated recommendation into a scored hypothesis: a buy says that the price will
    be above that of the entry, a sell that it will be below. Returns None if it takes no side.

    Raises:
        NotScorable: a price is missing at either end.
    """
    leaning = _SIDES.get(board.recommendation) if board.recommendation else None
    if leaning is None or board.probability is None:
        return None
    level, exit_ = _ends(board)
    rises = leaning is Leaning.UP
    hypothesis = Hypothesis(
        hypothesis_id=f"{board.symbol}-{board.recommendation}-{board.weeks}w",
        market=market_of(board.symbol),
        kind=HypothesisKind.DIRECTION,
        leaning=leaning,
        level=level.value,
        level_on=level.as_of,
        weeks=board.weeks,
        due=due_of(board.as_of, board.weeks),
        probability=board.probability if rises else round(1 - board.probability, 6),
        statement=f"It is {_WORDS[leaning]} [[{board.symbol}:{Metric.ENTRY}]].",
        refuted_by="It is not.",
        claims=(f"{board.symbol}:{Metric.ENTRY}",),
    )
    request = HypothesisRequest(
        hypothesis=hypothesis,
        swarm=workflow_id,
        objective=f"{board.symbol}: {board.recommendation}",
        made_as_of=board.as_of,
        written_at=written_at,
        by=tuple(dict.fromkeys(agents))[:10],
    )
    price = Price(exit_.value, exit_.as_of)
    return scored(request, price, workflow_id=workflow_id, now=now)


def _ends(board: Blackboard) -> tuple[MeasuredFigure, MeasuredFigure]:
    """The prices of the entry and of the exit, both in the shares of the exit."""
    entry, exit_ = (_figure(board.evaluation, metric) for metric in (Metric.ENTRY, Metric.EXIT))
    if entry is None or exit_ is None:
        raise NotScorable("there is no price to hold it against")
    return entry, exit_


def _figure(evaluation: Evaluation | None, metric: Metric) -> MeasuredFigure | None:
    figures = evaluation.figures if evaluation else ()
    return next((figure for figure in figures if figure.metric is metric), None)


def _what_came(evaluation: Evaluation | None) -> str:
    move = _figure(evaluation, Metric.FORWARD_MOVE)
    if evaluation is None or move is None:
        return "there was no price to hold it against"
    reward = "none" if evaluation.reward is None else f"{evaluation.reward}"
    return f"the price moved by {move.value} % by {print_full_day(move.as_of)}; reward {reward}"
