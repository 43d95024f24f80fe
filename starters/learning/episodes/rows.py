"""An episode as rows: one a step, with the blackboard as it stood before the step."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Final

from desk.analytics.evaluation import EVALUATION_METRICS
from desk.contracts.episode.analysis import MeasuredFigure
from desk.contracts.episode.stock import Blackboard, EpisodeStep, StockAction
from desk.contracts.findings.claims import Metric
from desk.programs.episode.recommendation import balance
from desk.programs.episode.run.actions import DATA, PART_FIELDS, PART_METRICS
from starters.learning.episodes.look import ListedEpisode

SCHEMA_VERSION: Final = "1"
"""Of the columns. It changes with what a column means, and with any that goes."""

BOARD_METRICS: Final[tuple[Metric, ...]] = tuple(
    metric for action in DATA for metric in PART_METRICS[action]
)
"""The figures of the five parts with data, a column each."""

OF_EPISODE: Final = "episode_"
"""How the columns begin that were known only once the episode was at its end."""

Cell = object
"""What stands in a column: text, a number, a truth, an instant, names; None where it is lacking."""


class Kind(StrEnum):
    """What a column holds."""

    TEXT = "text"
    NUMBER = "number"
    WHOLE = "whole number"
    TRUTH = "yes or no"
    INSTANT = "instant"
    NAMES = "names"


COLUMNS: Final[Mapping[str, Kind]] = {
    "workflow_id": Kind.TEXT,
    "run_id": Kind.TEXT,
    "symbol": Kind.TEXT,
    "as_of": Kind.INSTANT,
    "weeks": Kind.WHOLE,
    "cost": Kind.NUMBER,
    "given_steps": Kind.TRUTH,
    "step": Kind.WHOLE,
    "action": Kind.TEXT,
    "reason": Kind.TEXT,
    "refused": Kind.TEXT,
    "reward": Kind.NUMBER,
    "terminated": Kind.TRUTH,
    "truncated": Kind.TRUTH,
    "started_at": Kind.INSTANT,
    "ended_at": Kind.INSTANT,
    "taken": Kind.NAMES,
    **{str(metric): Kind.NUMBER for metric in BOARD_METRICS},
    "insights": Kind.WHOLE,
    "insight_balance": Kind.NUMBER,
    "recommendation": Kind.TEXT,
    "confidence": Kind.NUMBER,
    "probability": Kind.NUMBER,
    f"{OF_EPISODE}outcome": Kind.TEXT,
    f"{OF_EPISODE}recommendation": Kind.TEXT,
    **{f"{OF_EPISODE}{metric}": Kind.NUMBER for metric in EVALUATION_METRICS},
}


def rows_of(episode: ListedEpisode) -> Iterator[dict[str, Cell]]:
    """A row for each step of an episode that is at its end, by `COLUMNS`."""
    if episode.board is None:
        return
    shared = _shared(episode)
    ended = _of_episode(episode, episode.board)
    last = len(episode.steps)
    before = Blackboard(symbol=episode.board.symbol, as_of=episode.as_of, weeks=episode.board.weeks)
    for step in episode.steps:
        yield {**shared, **_step(step, last), **_board(before), **ended}
        before = step.board


def _shared(episode: ListedEpisode) -> dict[str, Cell]:
    request = episode.request
    return {
        "workflow_id": episode.workflow_id,
        "run_id": episode.run_id,
        "symbol": request.symbol,
        "as_of": episode.as_of,
        "weeks": request.weeks,
        "cost": float(request.cost),
        "given_steps": bool(request.steps),
    }


def _step(step: EpisodeStep, last: int) -> dict[str, Cell]:
    evaluated = step.board.evaluation is not None
    return {
        "step": step.number,
        "action": str(step.action),
        "reason": step.reason,
        "refused": step.refused,
        "reward": float(step.reward),
        # Steps that were given beyond the evaluation are refused: they end nothing once more.
        "terminated": evaluated and step.refused is None,
        "truncated": step.number == last and not evaluated,
        "started_at": step.started_at,
        "ended_at": step.ended_at,
    }


def _board(board: Blackboard) -> dict[str, Cell]:
    said = board.recommendation
    return {
        "taken": [str(action) for action in board.taken],
        **dict.fromkeys(map(str, BOARD_METRICS)),
        **{name: value for action in DATA for name, value in _part(board, action)},
        "insights": len(board.insights),
        "insight_balance": balance(board.insights),
        "recommendation": str(said) if said else None,
        "confidence": board.confidence if said else None,
        "probability": board.probability,
    }


def _part(board: Blackboard, action: StockAction) -> Iterator[tuple[str, float]]:
    part = getattr(board, PART_FIELDS[action])
    for figure in part.figures if part is not None else ():
        yield _named(figure)


def _of_episode(episode: ListedEpisode, board: Blackboard) -> dict[str, Cell]:
    evaluation = board.evaluation
    figures = evaluation.figures if evaluation else ()
    return {
        **{f"{OF_EPISODE}{metric}": None for metric in EVALUATION_METRICS},
        **{f"{OF_EPISODE}{name}": value for name, value in map(_named, figures)},
        f"{OF_EPISODE}outcome": str(episode.outcome) if episode.outcome else None,
        f"{OF_EPISODE}recommendation": str(board.recommendation) if board.recommendation else None,
    }


def _named(figure: MeasuredFigure) -> tuple[str, float]:
    return str(figure.metric), float(Decimal(figure.value))
