"""What the built-in analysts must have made of a blackboard, made once more from its figures.

A model's insights and its recommendation are its own, and are not recomputed.
"""

from collections.abc import Iterable, Iterator, Sequence

from desk.contracts.agents.usage import BUILTIN
from desk.contracts.episode.stock import Blackboard, EpisodeStep, StockAction, StockRecommendation
from desk.contracts.question.answers import NodeReport
from desk.programs.episode.insights import insights
from desk.programs.episode.parts import Pointer
from desk.programs.episode.recommendation import recommend
from desk.programs.episode.run.board import StockBoard

INSIGHTS = "the insights are not those that its figures give"
RECOMMENDATION = "the recommendation does not follow from its insights and its figures"


def built_in_actions(nodes: Iterable[NodeReport]) -> frozenset[str]:
    """The nodes of which no round was a model's."""
    return frozenset(line.node for line in nodes if line.usage.model == BUILTIN)


def recommended(board: Blackboard) -> StockRecommendation | None:
    """What a blackboard recommends; None as long as it recommends nothing."""
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
    """The steps in which a built-in analyst wrote what the blackboard before it does not give. One
    that wrote nothing has failed."""
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
