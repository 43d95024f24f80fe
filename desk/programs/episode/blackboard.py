"""The blackboard of a stock's episode while it is written.

The workflow and the training environment both write to this implementation: the same figures, as
decimals or as floats, give the same `snapshot()`. A write changes only its own part and `taken`.
Figures that a part does not have are lacking; they are never guessed.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from typing import Final, NamedTuple, Self

from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.analysis import MeasuredFigure
from desk.contracts.episode.stock import (
    USUAL_WEEKS,
    Blackboard,
    BoardPart,
    Evaluation,
    Insight,
    StockRecommendation,
)
from desk.contracts.findings.claims import Metric
from desk.programs.episode.actions import DATA, PART_FIELDS, PART_METRICS, Pointer, why_not
from desk.programs.episode.wording import statement
from desk.runs.escalations import plain

Values = Mapping[Metric, Decimal | float]

Days = date | Mapping[Metric, date]
"""The day of all figures, or the day of each."""

MOST_INSIGHTS: Final = 40
MOST_RESTED_ON: Final = 20
"""The limits of `Blackboard.insights` and of an insight's `metrics`."""


class NotNow(ValueError):
    """An action is not allowed now. The blackboard is unchanged."""

    def __init__(self, action: StockAction, reason: str) -> None:
        self.action = action
        self.reason = reason
        super().__init__(f"{action}: {reason}")


class _PartFigures(NamedTuple):
    """The available figures of a part."""

    values: dict[Metric, Decimal | float]
    days: Days
    generated: str | None = None


class StockBoard:
    """What is known of a stock within an episode, and the conclusions from it.

    Each `write_…` method takes an action. If it is not allowed (`why_not`), the method raises
    `NotNow` and changes nothing. Repeating an action rewrites its part.
    """

    __slots__ = (
        "_evaluation",
        "_parts",
        "_taken",
        "_values",
        "as_of",
        "pointers",
        "recommendation",
        "symbol",
        "weeks",
    )

    def __init__(self, symbol: str, as_of: datetime, weeks: int = USUAL_WEEKS) -> None:
        """Creates an empty blackboard.

        Args:
            symbol: The stock.
            as_of: The instant whose knowledge may be written; only an evaluation uses later data.
            weeks: The horizon of the recommendation.
        """
        self.symbol = symbol
        self.as_of = as_of
        self.weeks = weeks
        self.pointers: tuple[Pointer, ...] = ()
        self.recommendation: StockRecommendation | None = None
        self._parts: dict[StockAction, _PartFigures] = {}
        self._values: dict[Metric, float] = {}
        self._evaluation: _PartFigures | None = None
        self._taken: tuple[StockAction, ...] = ()

    @classmethod
    def read_back(cls, told: Blackboard) -> Self:
        """Restores the blackboard from a snapshot: `read_back(board).snapshot() == board`."""
        board = cls(told.symbol, told.as_of, told.weeks)
        for action in DATA:
            part: BoardPart | None = getattr(told, PART_FIELDS[action])
            if part is not None:
                board._fill(action, _read(part.figures)._replace(generated=part.generated))
        board.pointers = tuple(
            Pointer(each.topic, each.leaning, each.strength, each.metrics, each.statement)
            for each in told.insights
        )
        if told.recommendation is not None:
            board.recommendation = StockRecommendation(
                action=told.recommendation,
                confidence=told.confidence,
                probability=0.5 if told.probability is None else told.probability,
                reasons_for=told.reasons_for,
                reasons_against=told.reasons_against,
            )
        if told.evaluation is not None:
            board._evaluation = _read(told.evaluation.figures)
        board._taken = told.taken
        return board

    @property
    def taken(self) -> tuple[StockAction, ...]:
        """The actions that were carried out, in order."""
        return self._taken

    @property
    def values(self) -> Mapping[Metric, float]:
        """The figures of all parts with data, without those of the evaluation, which are later."""
        return self._values

    @property
    def generated(self) -> str | None:
        """What generated figures of it, if some were generated for practice and are not facts."""
        made = (part.generated for part in self._parts.values() if part.values)
        return next(filter(None, made), None)

    @property
    def evaluated(self) -> Values | None:
        """The figures of the evaluation, as given; None before it."""
        return None if self._evaluation is None else self._evaluation.values

    @property
    def lacking_parts(self) -> tuple[StockAction, ...]:
        """The actions with data that were not taken, or found no figure."""
        return tuple(
            action
            for action in DATA
            if (part := self._parts.get(action)) is None or not part.values
        )

    @property
    def asked_in_vain(self) -> tuple[StockAction, ...]:
        """The actions with data that were taken and found no figure."""
        return tuple(action for action in self.lacking_parts if action in self._parts)

    @property
    def reward(self) -> Decimal | None:
        """The reward of the evaluation; None without an evaluation, or if it could not be
        computed."""
        if self._evaluation is None or Metric.REWARD not in self._evaluation.values:
            return None
        return _decimal(self._evaluation.values[Metric.REWARD])

    def write_part(
        self, action: StockAction, values: Values, days: Days, generated: str | None = None
    ) -> None:
        """Writes the figures of one of `DATA`. Those of its `PART_METRICS` that are absent, not
        finite or without a day are lacking; other metrics are ignored. `generated` names what
        generated them, if they are not facts.

        Raises:
            NotNow: the action is not allowed.
            ValueError: the action has no data.
        """
        if action not in DATA:
            raise ValueError(f"{action} writes no part with data")
        self._take(action)
        self._fill(action, _written(action, values, days)._replace(generated=generated))

    def write_insights(self, pointers: Sequence[Pointer]) -> None:
        """Writes the insights, replacing earlier ones.

        Raises:
            NotNow: there is no part with data.
        """
        self._take(StockAction.GENERATE_INSIGHT)
        self.pointers = tuple(pointers[:MOST_INSIGHTS])

    def write_recommendation(self, recommendation: StockRecommendation) -> None:
        """Writes the recommendation, replacing an earlier one.

        Raises:
            NotNow: no insights were generated.
        """
        self._take(StockAction.GENERATE_RECOMMENDATION)
        self.recommendation = recommendation

    def write_evaluation(self, values: Values, days: Days) -> None:
        """Writes the evaluation of the recommendation. Nothing can be written after it.

        Raises:
            NotNow: there is no recommendation.
        """
        self._take(StockAction.EVALUATE_PERFORMANCE)
        self._evaluation = _written(StockAction.EVALUATE_PERFORMANCE, values, days)

    def snapshot(self) -> Blackboard:
        """Returns an immutable copy of the blackboard."""
        chosen = self.recommendation
        said = {} if chosen is None else _said(chosen)
        return Blackboard(
            symbol=self.symbol,
            as_of=self.as_of,
            weeks=self.weeks,
            insights=tuple(self._insight(pointer) for pointer in self.pointers),
            evaluation=self._told_evaluation(),
            taken=self._taken,
            **{PART_FIELDS[action]: _part(action, part) for action, part in self._parts.items()},
            **said,
        )

    def _take(self, action: StockAction) -> None:
        reason = why_not(self, action)
        if reason is not None:
            raise NotNow(action, reason)
        self._taken = (*self._taken, action)

    def _fill(self, action: StockAction, written: _PartFigures) -> None:
        before = self._parts.get(action)
        for metric in before.values if before is not None else ():
            del self._values[metric]
        self._parts[action] = written
        for metric, value in written.values.items():
            self._values[metric] = float(value)

    def _insight(self, pointer: Pointer) -> Insight:
        words = pointer.statement
        return Insight(
            topic=pointer.topic,
            statement=statement(pointer, self.symbol) if words is None else words,
            leaning=pointer.leaning,
            strength=pointer.strength,
            metrics=pointer.metrics[:MOST_RESTED_ON],
        )

    def _told_evaluation(self) -> Evaluation | None:
        if self._evaluation is None:
            return None
        part = _part(StockAction.EVALUATE_PERFORMANCE, self._evaluation)
        return Evaluation(figures=part.figures, lacking=part.lacking, reward=self.reward)


def _written(action: StockAction, values: Values, days: Days) -> _PartFigures:
    had = {
        metric: value
        for metric in PART_METRICS[action]
        if (value := values.get(metric)) is not None and isfinite(value)
    }
    if isinstance(days, date):
        return _PartFigures(had, days)
    return _PartFigures({m: value for m, value in had.items() if m in days}, dict(days))


def _read(figures: Sequence[MeasuredFigure]) -> _PartFigures:
    return _PartFigures(
        {figure.metric: figure.value for figure in figures},
        {figure.metric: figure.as_of for figure in figures},
    )


def _part(action: StockAction, written: _PartFigures) -> BoardPart:
    values, days, generated = written
    return BoardPart(
        figures=tuple(
            MeasuredFigure(
                metric=metric,
                value=_decimal(value),
                as_of=days if isinstance(days, date) else days[metric],
            )
            for metric, value in values.items()
        ),
        lacking=tuple(metric for metric in PART_METRICS[action] if metric not in values),
        generated=generated if values else None,
    )


def _said(chosen: StockRecommendation) -> dict[str, object]:
    return {
        PART_FIELDS[StockAction.GENERATE_RECOMMENDATION]: chosen.action,
        "confidence": chosen.confidence,
        "probability": chosen.probability,
        "reasons_for": chosen.reasons_for,
        "reasons_against": chosen.reasons_against,
    }


def _decimal(value: Decimal | float) -> Decimal:
    """Converts a float by its decimal representation, not by its binary value."""
    return value if isinstance(value, Decimal) else Decimal(str(value))


def board_details(board: Blackboard) -> str:
    """Describes the contents of each part, a line each."""
    return "\n".join(f"- `{name}`: {words}" for name, words in _lines(board))


def _lines(board: Blackboard) -> Iterator[tuple[str, str]]:
    for action in DATA:
        field = PART_FIELDS[action]
        yield field, _details_part(getattr(board, field))
    topics = ", ".join(f"{plain(each.topic)} ({each.leaning})" for each in board.insights)
    yield "insights", topics or "none"
    made = board.recommendation
    yield "recommendation", f"**{made}**, confidence {board.confidence:.2f}" if made else "not yet"
    came = board.evaluation
    reward = "" if came is None or came.reward is None else f", reward {came.reward}"
    yield "evaluation", f"{_details_part(came)}{reward}"


def _details_part(part: BoardPart | Evaluation | None) -> str:
    if part is None:
        return "not yet"
    figures = ", ".join(f"{figure.metric} {figure.value}" for figure in part.figures)
    lacking = f"lacking: {', '.join(part.lacking)}" if part.lacking else ""
    made = part.generated if isinstance(part, BoardPart) else None
    marked = f"**no facts**, generated by {made}" if made else ""
    return "; ".join(filter(None, (figures, lacking, marked))) or "empty"
