"""A blackboard as the Temporal UI shows it, in Markdown. Light: the workflow uses it."""

from collections.abc import Iterator

from desk.contracts.episode.stock import Blackboard, BoardPart, Evaluation
from desk.programs.episode.run.actions import DATA, PART_FIELDS
from desk.runs.escalations.details import plain


def board_details(board: Blackboard) -> str:
    """What stands in each part, in a line each."""
    return "\n".join(f"- `{name}`: {words}" for name, words in _lines(board))


def _lines(board: Blackboard) -> Iterator[tuple[str, str]]:
    for action in DATA:
        field = PART_FIELDS[action]
        yield field, _part(getattr(board, field))
    topics = ", ".join(f"{plain(each.topic)} ({each.leaning})" for each in board.insights)
    yield "insights", topics or "none"
    made = board.recommendation
    yield "recommendation", f"**{made}**, confidence {board.confidence:.2f}" if made else "not yet"
    came = board.evaluation
    reward = "" if came is None or came.reward is None else f", reward {came.reward}"
    yield "evaluation", f"{_part(came)}{reward}"


def _part(part: BoardPart | Evaluation | None) -> str:
    if part is None:
        return "not yet"
    figures = ", ".join(f"{figure.metric} {figure.value}" for figure in part.figures)
    lacking = f"lacking: {', '.join(part.lacking)}" if part.lacking else ""
    return "; ".join(filter(None, (figures, lacking))) or "empty"
