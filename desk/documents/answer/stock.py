"""What an answer tells of a stock's episode, as far as it stands on claims that stand."""

from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from desk.contracts.episode.analysis import MeasuredFigure
from desk.contracts.episode.stock import (
    Blackboard,
    BoardPart,
    EpisodeStep,
    Evaluation,
    Insight,
    StockRecommendation,
    StockRecord,
)
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.verdicts import DroppedSentence
from desk.contracts.question.answers import NodeReport
from desk.contracts.question.knowledge import Synthesis
from desk.documents.answer.prose import Known, kept_prose
from desk.documents.answer.stock_rules import built_in_actions, departures, recommended
from desk.programs.episode.run.actions import PART_FIELDS
from desk.trust.prose import references

DIFFERENT = "it is not the one that the recommendation agent delivered"
UNFOUNDED = "a reason of it is an insight that does not stand"
WITHDRAWN = "the recommendation is withdrawn: {}"
CUT_OFF = "the episode was cut off: {}"
NO_CHART = "no chart is drawn: the tool result {} is not among the evidence"


class ToldStock(NamedTuple):
    """An episode as its answer tells of it, and what of it is left out, with the reasons."""

    record: StockRecord | None
    missing: tuple[str, ...] = ()
    dropped: tuple[DroppedSentence, ...] = ()
    withdrawn: bool = False

    @property
    def named(self) -> tuple[str, ...]:
        """The claims that it names, each once."""
        return named_in_stock(self.record) if self.record else ()

    @property
    def needs_no_synthesis(self) -> bool:
        """Whether an answer is complete without one: of an episode, unless it was withdrawn."""
        return self.record is not None and not self.withdrawn

    @property
    def is_cut_off(self) -> bool:
        """Whether it ended before its end."""
        return self.record is not None and self.record.cut_off is not None

    @property
    def evidence(self) -> tuple[str, ...]:
        """The tool results that it is drawn from besides."""
        prices = self.record.prices if self.record else None
        return (prices,) if prices else ()


def told_stock(
    stock: StockRecord | None,
    known: Known,
    made: Synthesis | None,
    nodes: Iterable[NodeReport],
    evidence: Container[str],
) -> ToldStock:
    """The episode of a run, without figures that are no claims that stand and without what rests on
    them: an insight that does is left out, and a recommendation that no longer follows is withdrawn
    from the blackboard. All of that is told, and what else could not be done."""
    if stock is None:
        return ToldStock(None)
    writer = _Writer(known, stock.market.market)
    steps = tuple(map(writer.step, stock.steps))
    prices = stock.prices
    if prices is not None and prices not in evidence:
        writer.missing.append(NO_CHART.format(prices))
        prices = None
    board = writer.board(stock.board)
    told = stock.model_copy(update={"steps": steps, "board": board, "prices": prices})
    objection = _objection(told, made, built_in_actions(nodes))
    if objection is not None:
        writer.missing.append(WITHDRAWN.format(objection))
        told = _withdrawn(told)
    missing = tuple(dict.fromkeys((*undone(stock), *writer.missing)))
    return ToldStock(told, missing, tuple(writer.dropped), withdrawn=objection is not None)


def undone(stock: StockRecord) -> Iterator[str]:
    """What could not be done, besides what a part lacks: that the episode was cut off, and its
    notes."""
    if stock.cut_off is not None:
        yield CUT_OFF.format(stock.cut_off)
    yield from stock.notes


def named_in_stock(stock: StockRecord) -> tuple[str, ...]:
    """What its blackboards, its conflicts and its prose refer to, each once."""
    symbol = stock.market.market
    boards = (*(step.board for step in stock.steps), stock.board)
    figures = chain.from_iterable(map(figures_on, boards))
    names = [claim_id(symbol, metric) for metric in dict.fromkeys(f.metric for f in figures)]
    names += [p.claim_id for c in stock.conflicts for p in c.positions if p.claim_id]
    names += [name for _, prose in texts_of_stock(stock) for name in references(prose)]
    return tuple(dict.fromkeys(names))


def texts_of_stock(stock: StockRecord) -> Iterator[tuple[str, str]]:
    """The prose that is printed of an episode, each text with its place."""
    for number, insight in enumerate(stock.board.insights, start=1):
        yield f"insight {number}, topic", insight.topic
        yield f"insight {number}", insight.statement
    for step in stock.steps:
        yield f"step {step.number}, reason", step.reason
        if step.refused is not None:
            yield f"step {step.number}, refused", step.refused


def figures_on(board: Blackboard) -> Iterator[MeasuredFigure]:
    """Every figure of a blackboard, its evaluation's included."""
    for field in PART_FIELDS.values():
        part = getattr(board, field)
        if isinstance(part, BoardPart):
            yield from part.figures
    if board.evaluation is not None:
        yield from board.evaluation.figures


def claimed(figure: MeasuredFigure, symbol: str, claims: Mapping[str, Claim]) -> bool:
    """Whether a figure is that of a claim: its value at its precision, and its day."""
    claim = claims.get(claim_id(symbol, figure.metric))
    return claim is not None and (
        claim.value == figure.value
        and claim.value.as_tuple().exponent == figure.value.as_tuple().exponent
        and claim.as_of == figure.as_of
    )


def _objection(stock: StockRecord, made: Synthesis | None, built_in: frozenset[str]) -> str | None:
    """Why what the blackboard recommends cannot be told; None where it can."""
    told = recommended(stock.board)
    if told is None:
        return None
    delivered = made.recommendation if made else None
    if delivered is None or _without_reasons(delivered) != _without_reasons(told):
        return DIFFERENT
    if delivered != told:
        return UNFOUNDED
    return next((words for _, words in departures(stock.steps, built_in)), None)


def _without_reasons(recommendation: StockRecommendation) -> tuple[object, ...]:
    return recommendation.action, recommendation.confidence, recommendation.probability


def _withdrawn(stock: StockRecord) -> StockRecord:
    without = {
        "recommendation": None,
        "confidence": 0.0,
        "probability": None,
        "reasons_for": (),
        "reasons_against": (),
    }
    steps = tuple(
        step.model_copy(update={"board": step.board.model_copy(update=without)})
        for step in stock.steps
    )
    board = stock.board.model_copy(update=without)
    return stock.model_copy(update={"steps": steps, "board": board})


class _Writer:
    """Reads an episode once more, and keeps what it had to leave out."""

    def __init__(self, known: Known, symbol: str) -> None:
        self._known = known
        self._symbol = symbol
        self._read: dict[str, str] = {}
        self.missing: list[str] = []
        self.dropped: list[DroppedSentence] = []

    def step(self, step: EpisodeStep) -> EpisodeStep:
        board = self.board(step.board)
        evaluated = step.board.evaluation is not None and step.board.evaluation.reward is not None
        lost = evaluated and (board.evaluation is None or board.evaluation.reward is None)
        return step.model_copy(
            update={
                "board": board,
                "reason": self._kept(step.reason, f"step {step.number}, reason"),
                "reward": step.reward * 0 if lost else step.reward,
            }
        )

    def board(self, board: Blackboard) -> Blackboard:
        insights = tuple(self._insights(board.insights))
        topics = {insight.topic for insight in insights}
        parts = {
            field: self._part(part, action)
            for action, field in PART_FIELDS.items()
            if isinstance(part := getattr(board, field), BoardPart)
        }
        return board.model_copy(
            update={
                **parts,
                "insights": insights,
                "reasons_for": tuple(name for name in board.reasons_for if name in topics),
                "reasons_against": tuple(name for name in board.reasons_against if name in topics),
                "evaluation": self._evaluation(board.evaluation),
            }
        )

    def _part(self, part: BoardPart, action: str) -> BoardPart:
        kept, lost = self._sorted(part.figures, action)
        lacking = (*part.lacking, *(figure.metric for figure in lost))
        return part.model_copy(update={"figures": kept, "lacking": lacking})

    def _evaluation(self, evaluation: Evaluation | None) -> Evaluation | None:
        if evaluation is None:
            return None
        kept, lost = self._sorted(evaluation.figures, "EVALUATE_PERFORMANCE")
        rewarded = any(figure.metric is Metric.REWARD for figure in kept)
        return Evaluation(
            figures=kept,
            lacking=(*evaluation.lacking, *(figure.metric for figure in lost)),
            reward=evaluation.reward if rewarded else None,
        )

    def _sorted(
        self, figures: Iterable[MeasuredFigure], action: str
    ) -> tuple[tuple[MeasuredFigure, ...], tuple[MeasuredFigure, ...]]:
        kept, lost = list[MeasuredFigure](), list[MeasuredFigure]()
        for figure in figures:
            stands = claimed(figure, self._symbol, self._known.claims)
            (kept if stands else lost).append(figure)
        for figure in lost:
            name = figure.metric.replace("_", " ")
            self.missing.append(f"{action}: the {name} is left out, which is no claim that stands")
        return tuple(kept), tuple(lost)

    def _insights(self, insights: Iterable[Insight]) -> Iterator[Insight]:
        for number, insight in enumerate(insights, start=1):
            names = (claim_id(self._symbol, metric) for metric in insight.metrics)
            fallen = [name for name in names if name not in self._known.claims]
            statement = self._kept(insight.statement, f"insight {number}")
            topic = self._kept(insight.topic, f"insight {number}, topic")
            if fallen:
                why = f"it rests on {', '.join(fallen)}, which does not stand"
            elif not statement or topic != insight.topic:
                why = "it holds what is no claim"
            else:
                yield insight.model_copy(update={"statement": statement})
                continue
            self.missing.append(f"the insight into {insight.topic} is left out: {why}")

    def _kept(self, prose: str, place: str) -> str:
        """The prose as far as it may be printed; what stands on many blackboards is read once."""
        if prose not in self._read:
            kept = kept_prose(prose, self._known, place)
            self.dropped += kept.dropped
            self._read[prose] = kept.prose
        return self._read[prose]
