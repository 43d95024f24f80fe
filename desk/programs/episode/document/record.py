"""The episode's part of an answer, as far as it rests on surviving claims."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from desk.contracts.agents.usage import BUILTIN
from desk.contracts.episode.actions import StockAction
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
from desk.contracts.names import AgentId
from desk.contracts.question.answers import NodeReport
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.graph import GraphRecord
from desk.documents.answer.nodes import node_reports
from desk.documents.answer.parts import PartRecord, RunMaterial
from desk.documents.rendering.words.prose import Known, printable_prose
from desk.programs.episode.actions import PART_FIELDS, Pointer
from desk.programs.episode.blackboard import StockBoard
from desk.programs.episode.insights import insights
from desk.programs.episode.recommendation import recommend
from desk.trust.prose import references

INSIGHTS = "the insights are not those that its figures give"
RECOMMENDATION = "the recommendation does not follow from its insights and its figures"


def built_in_actions(nodes: Iterable[NodeReport]) -> frozenset[str]:
    """The nodes without a round by a model."""
    return frozenset(line.node for line in nodes if line.usage.model == BUILTIN)


def recommended(board: Blackboard) -> StockRecommendation | None:
    """Returns the recommendation on a blackboard, or None."""
    if board.recommendation is None or board.probability is None:
        return None
    return StockRecommendation(
        action=board.recommendation,
        confidence=board.confidence,
        probability=board.probability,
        reasons_for=board.reasons_for,
        reasons_against=board.reasons_against,
    )


def departures(
    steps: Sequence[EpisodeStep], built_in: frozenset[str]
) -> Iterator[tuple[EpisodeStep, str]]:
    """Yields the steps in which a built-in analyst wrote something that does not follow from the
    blackboard before. A step that wrote nothing has failed, and is not among them."""
    before: Blackboard | None = None
    for step in steps:
        wrote = before is not None and step.board.taken != before.taken
        if before is not None and wrote and step.action in built_in:
            words = _departure(step, before)
            if words is not None:
                yield step, words
        before = step.board


def _departure(step: EpisodeStep, before: Blackboard) -> str | None:
    board = StockBoard.read_back(before)
    if step.action is StockAction.GENERATE_INSIGHT:
        expected = [_without_words(pointer) for pointer in insights(board.values)]
        written = StockBoard.read_back(step.board).pointers
        return None if [_without_words(each) for each in written] == expected else INSIGHTS
    told = recommended(step.board)
    if step.action is StockAction.GENERATE_RECOMMENDATION and told is not None:
        return None if recommend(board.pointers, board) == told else RECOMMENDATION
    return None


def _without_words(pointer: Pointer) -> tuple[object, ...]:
    return str(pointer.topic), pointer.leaning, pointer.strength, pointer.metrics


DIFFERENT = "it is not the one that the recommendation agent delivered"
UNFOUNDED = "a reason of it is an insight that does not stand"
WITHDRAWN = "the recommendation is withdrawn: {}"
CUT_OFF = "the episode was cut off: {}"
NO_CHART = "no chart is drawn: the tool result {} is not among the evidence"
UNASKED: Final = (
    "No recommendation was asked for. What the steps wrote onto the blackboard stands below, with"
    " what is missing."
)
UNMADE: Final = (
    "No recommendation was made. What the steps wrote onto the blackboard stands below; why there"
    " is none stands with the steps and under what is missing."
)
NOW_WITHDRAWN: Final = (
    "A recommendation was made, and is withdrawn, because it does not follow from figures that"
    " stand. What stands on the blackboard is below; the reason is under what is missing."
)
STEPS: Final = "steps"
"""The parameter with the steps that an episode was given."""


def printable_stock(run: RunMaterial) -> PartRecord:
    """Builds the episode of a run, without figures that are not surviving claims and without what
    rests on them: such an insight is omitted, and a recommendation that no longer follows is
    withdrawn from the blackboard. All of this is reported, with what else could not be done.

    It needs no synthesis, because actions can be refused in it and not all episodes are asked for a
    recommendation. If a recommendation was withdrawn, the synthesis is missing.
    """
    stock = run.record.stock
    if stock is None:
        return PartRecord({})
    writer = _EpisodeWriter(run.known, stock.market.market)
    steps = tuple(map(writer.step, stock.steps))
    prices = stock.prices
    if prices is not None and prices not in run.results:
        writer.missing.append(NO_CHART.format(prices))
        prices = None
    board = writer.board(stock.board)
    told = stock.model_copy(update={"steps": steps, "board": board, "prices": prices})
    withdrawn = _why_withdrawn(told, run.synthesis, built_in_actions(node_reports(run.record)))
    if withdrawn is not None:
        writer.missing.append(WITHDRAWN.format(withdrawn))
        told = _withdrawn(told)
    return PartRecord(
        {"stock": told},
        missing=tuple(dict.fromkeys((*undone(stock), *writer.missing))),
        dropped=tuple(writer.dropped),
        named=named_in_stock(told),
        evidence=(prices,) if prices else (),
        instead=_withdrawn_instead(run.record) if withdrawn else _instead(run.record),
        withdrawn=withdrawn is not None,
        needs_no_synthesis=withdrawn is None,
        is_cut_off=stock.cut_off is not None,
    )


def undone(stock: StockRecord) -> Iterator[str]:
    """Yields what could not be done, besides what a part lacks: that the episode was cut off, and
    its notes."""
    if stock.cut_off is not None:
        yield CUT_OFF.format(stock.cut_off)
    yield from stock.notes


def named_in_stock(stock: StockRecord) -> tuple[str, ...]:
    """The claims that its blackboards, its conflicts and its prose refer to, without duplicates."""
    symbol = stock.market.market
    boards = (*(step.board for step in stock.steps), stock.board)
    figures = chain.from_iterable(map(figures_on, boards))
    names = [claim_id(symbol, metric) for metric in dict.fromkeys(f.metric for f in figures)]
    names += [p.claim_id for c in stock.conflicts for p in c.positions if p.claim_id]
    names += [name for _, prose in texts_of_stock(stock) for name in references(prose)]
    return tuple(dict.fromkeys(names))


def texts_of_stock(stock: StockRecord) -> Iterator[tuple[str, str]]:
    """Yields the printed prose of an episode, each text with its place."""
    for number, insight in enumerate(stock.board.insights, start=1):
        yield f"insight {number}, topic", insight.topic
        yield f"insight {number}", insight.statement
    for step in stock.steps:
        yield f"step {step.number}, reason", step.reason
        if step.refused is not None:
            yield f"step {step.number}, refused", step.refused


def figures_on(board: Blackboard) -> Iterator[MeasuredFigure]:
    """Yields every figure of a blackboard, including its evaluation's."""
    for field in PART_FIELDS.values():
        part = getattr(board, field)
        if isinstance(part, BoardPart):
            yield from part.figures
    if board.evaluation is not None:
        yield from board.evaluation.figures


def claimed(figure: MeasuredFigure, symbol: str, claims: Mapping[str, Claim]) -> bool:
    """Returns whether a figure is a claim's: with the same value, precision and day."""
    claim = claims.get(claim_id(symbol, figure.metric))
    return claim is not None and (
        claim.value == figure.value
        and claim.value.as_tuple().exponent == figure.value.as_tuple().exponent
        and claim.as_of == figure.as_of
    )


def _why_withdrawn(
    stock: StockRecord, made: Synthesis | None, built_in: frozenset[str]
) -> str | None:
    """Returns why the blackboard's recommendation cannot be printed, or None if it can."""
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


def is_wanted(stock: StockRecord | None, parameters: Mapping[str, str]) -> bool:
    """Returns whether an episode should make a recommendation: its steps were not given, include
    one, or it was cut off before their end."""
    given = parameters.get(STEPS)
    if given is None or not given.strip() or (stock is not None and stock.cut_off is not None):
        return True
    names = {name.strip() for name in given.split(",")}
    return StockAction.GENERATE_RECOMMENDATION in names


def _instead(record: GraphRecord) -> Synthesis:
    """The text in place of a recommendation that was not made. Nothing is missing if none was asked
    for."""
    acted = (node.entry for node in record.nodes if node.entry.node in StockAction.__members__)
    done = any(entry.result is not None for entry in acted)
    wanted = is_wanted(record.stock, record.request.query.parameters)
    return Synthesis(
        task_id=record.workflow_id,
        agent=AgentId.RECOMMENDATION_AGENT,
        summary=UNMADE if wanted else UNASKED,
        answered=done and not wanted,
    )


def _withdrawn_instead(record: GraphRecord) -> Synthesis:
    """The text in place of a recommendation that does not follow from surviving figures."""
    return Synthesis(
        task_id=record.workflow_id,
        agent=AgentId.RECOMMENDATION_AGENT,
        summary=NOW_WITHDRAWN,
        answered=False,
    )


class _EpisodeWriter:
    """Builds the printable form of an episode, and records what it had to omit."""

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
            self.missing.append(f"{action}: the {name} is left out: no surviving claim has it")
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
        """Returns the printable part of the prose. A text on several blackboards is checked
        once."""
        if prose not in self._read:
            kept = printable_prose(prose, self._known, place)
            self.dropped += kept.dropped
            self._read[prose] = kept.prose
        return self._read[prose]
