"""The blackboard as arrays of numbers, for training on episodes.

Every array is float32, within the bounds of `OBSERVATION`, and never contains NaN. The meaning of
the arrays:

- `news_data`, `fundamentals_data`, `sentiment_data`, `ta_basic_data`, `ta_advanced_data`: the
  figures of a part in the order of `PART_METRICS`, each brought to about -1 to 1 by `SCALES` and
  clipped to it. A price is told by its distance from the last price, so that a split changes
  nothing; the place of the last price itself is always 0. Beside each, `…_known` has 1 where a
  figure is there and 0 where it is not, which is 0 in the array as well. Without a last price the
  other prices of the part tell nothing, and count as not there.
- `insights`: the strengths of the insights in the order of `Topic`, below 0 for those that point
  down and 0 for those that point neither way; `insights_known` has 1 for those that there are. A
  topic that is none of the desk's own is left out.
- `recommendation`: 1 at what is recommended (in the order of `Recommended`), then its confidence
  and its probability. All are 0 before there is one.
- `evaluation`: its figures in the order of `EVALUATION_METRICS`, as those of a part, the exit by
  its distance from the entry; `evaluation_known` as above. 0 before the end.
- `taken`: how often each action was taken, in the order of `StockAction`, over `MOST_STEPS`.
- `horizon`: the weeks that the recommendation is for, over the most there can be.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from desk.analytics.evaluation import EVALUATION_METRICS
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import (
    MOST_STEPS,
    MOST_WEEKS,
    USUAL_WEEKS,
    Recommended,
    StockRecommendation,
)
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Leaning
from desk.programs.episode.actions import DATA, PART_FIELDS, PART_METRICS, Pointer
from desk.programs.episode.blackboard import StockBoard, Values
from desk.programs.episode.recommendation import StockDecision
from desk.programs.episode.wording import Topic

Observation = dict[str, NDArray[np.float32]]

Space = tuple[tuple[int, ...], float, float]
"""An array's shape, and its lowest and highest value."""


class Scale(NamedTuple):
    """The value of a figure that becomes 0, and the distance from it that becomes 1."""

    middle: float
    reach: float


SCALES: Final[Mapping[Metric, Scale]] = MappingProxyType(
    {
        Metric.NEWS_COUNT: Scale(0, 50),
        Metric.NEWS_TONE: Scale(0, 100),
        Metric.PRICE_TO_EARNINGS: Scale(0, 100),
        Metric.PRICE_TO_BOOK: Scale(0, 50),
        Metric.NET_MARGIN: Scale(0, 100),
        Metric.DEBT_TO_EQUITY: Scale(0, 5),
        Metric.REVENUE_GROWTH: Scale(0, 100),
        Metric.EARNINGS_SURPRISE: Scale(0, 100),
        Metric.MOVE: Scale(0, 20),
        Metric.MONTH_MOVE: Scale(0, 40),
        Metric.QUARTER_MOVE: Scale(0, 60),
        Metric.YEAR_MOVE: Scale(0, 100),
        Metric.VOLATILITY: Scale(0, 100),
        Metric.RSI: Scale(50, 50),
        Metric.MACD_HISTOGRAM: Scale(0, 5),
        Metric.ADX: Scale(0, 100),
        Metric.BOLLINGER_POSITION: Scale(50, 100),
        Metric.PATTERN_COUNT: Scale(0, 50),
        Metric.FORWARD_MOVE: Scale(0, 40),
        Metric.CASH_MOVE: Scale(0, 5),
        Metric.RISK: Scale(0, 40),
        Metric.OVER_CASH: Scale(0, 40),
        Metric.OVER_HOLDING: Scale(0, 40),
        Metric.REWARD: Scale(0, 5),
    }
)
"""The scales of all figures except prices."""

PRICE_REACH: Final = 0.5
"""A price at this distance from its reference price, as a share of it, becomes 1."""

PRICES: Final[Mapping[Metric, Metric]] = MappingProxyType(
    {
        Metric.LAST: Metric.LAST,
        Metric.YEAR_HIGH: Metric.LAST,
        Metric.YEAR_LOW: Metric.LAST,
        Metric.SMA_50: Metric.LAST,
        Metric.SMA_200: Metric.LAST,
        Metric.TARGET: Metric.LAST,
        Metric.EXPECTED_LOW: Metric.LAST,
        Metric.EXPECTED_HIGH: Metric.LAST,
        Metric.ENTRY: Metric.ENTRY,
        Metric.EXIT: Metric.ENTRY,
    }
)
"""The prices, each with its reference price."""

_RECOMMENDED: Final = {each: place for place, each in enumerate(Recommended)}
_TOPICS: Final = {topic.value: place for place, topic in enumerate(Topic)}
_ACTIONS: Final = {action: place for place, action in enumerate(StockAction)}
_SIGNS: Final = {Leaning.UP: 1.0, Leaning.DOWN: -1.0}
OFTEN: Final = tuple(count / MOST_STEPS for count in range(MOST_STEPS + 1))
"""The value in `taken` for each number of times."""

TAKEN: Final = "taken"
HORIZON: Final = "horizon"
INSIGHTS: Final = PART_FIELDS[StockAction.GENERATE_INSIGHT]
RECOMMENDATION: Final = PART_FIELDS[StockAction.GENERATE_RECOMMENDATION]
EVALUATION: Final = PART_FIELDS[StockAction.EVALUATE_PERFORMANCE]


def mask_of(name: str) -> str:
    """The name of the array that says which entries of another are known."""
    return f"{name}_known"


def _masked(name: str, places: int) -> dict[str, Space]:
    return {name: ((places,), -1.0, 1.0), mask_of(name): ((places,), 0.0, 1.0)}


def _space() -> dict[str, Space]:
    found: dict[str, Space] = {}
    for action in DATA:
        found |= _masked(PART_FIELDS[action], len(PART_METRICS[action]))
    found |= _masked(INSIGHTS, len(Topic))
    found[RECOMMENDATION] = ((len(Recommended) + 2,), 0.0, 1.0)
    found |= _masked(EVALUATION, len(EVALUATION_METRICS))
    found[TAKEN] = ((len(StockAction),), 0.0, 1.0)
    found[HORIZON] = ((1,), 0.0, 1.0)
    return found


OBSERVATION: Final[Mapping[str, Space]] = MappingProxyType(_space())
"""Every array of an observation by its name."""


def empty_observation(weeks: int = USUAL_WEEKS) -> Observation:
    """The observation of an empty blackboard."""
    found = {name: np.zeros(shape, np.float32) for name, (shape, _, _) in OBSERVATION.items()}
    found[HORIZON][0] = weeks / MOST_WEEKS
    return found


def encode(board: StockBoard) -> Observation:
    """The observation of a blackboard."""
    found = empty_observation(board.weeks)
    for action in dict.fromkeys(board.taken):
        found |= _changed(board, action)
    return found


def encode_after(observation: Observation, board: StockBoard, action: StockAction) -> Observation:
    """Updates the observation of a blackboard after an action, with the same result as `encode`.

    The arrays that the action changes are new, the others are shared. The given arrays are not
    modified.
    """
    return observation | _changed(board, action)


def _changed(board: StockBoard, action: StockAction) -> Observation:
    """The arrays that an action changes."""
    changed = {TAKEN: _counts(board.taken)}
    if action is StockAction.GENERATE_INSIGHT:
        return changed | encode_insights(board.pointers)
    if action is StockAction.GENERATE_RECOMMENDATION:
        return changed | encode_recommendation(board.recommendation)
    if action is StockAction.EVALUATE_PERFORMANCE:
        return changed | encode_figures(board.evaluated or {}, action)
    changed |= encode_figures(board.values, action)
    if action is StockAction.RUN_TA_BASIC and StockAction.RUN_TA_ADVANCED in board.taken:
        # Its prices are relative to the last price, which this action provides.
        changed |= encode_figures(board.values, StockAction.RUN_TA_ADVANCED)
    return changed


def _counts(taken: tuple[StockAction, ...]) -> NDArray[np.float32]:
    counts = [0] * len(StockAction)
    for action in taken:
        counts[_ACTIONS[action]] += 1
    return _floats([OFTEN[count] for count in counts])


def encode_figures(values: Values, action: StockAction) -> Observation:
    """The two arrays of an action's figures, from what is on the blackboard."""
    name = PART_FIELDS[action]
    places = len(PART_METRICS[action])
    numbers, known = [0.0] * places, [0.0] * places
    for place, metric in enumerate(PART_METRICS[action]):
        value = values.get(metric)
        number = None if value is None else _number(float(value), metric, values)
        if number is not None:
            numbers[place] = -1.0 if number < -1.0 else min(number, 1.0)
            known[place] = 1.0
    return {name: _floats(numbers), mask_of(name): _floats(known)}


def _number(value: float, metric: Metric, values: Values) -> float | None:
    """Scales a figure. Returns None for a price without its reference price."""
    scale = SCALES.get(metric)
    if scale is not None:
        middle, reach = scale
        return (value - middle) / reach
    by = values.get(PRICES[metric])
    return None if by is None or by <= 0 else (value / float(by) - 1) / PRICE_REACH


def figure_rows(
    action: StockAction, rows: NDArray[np.float64], last: NDArray[np.float64] | None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Computes `encode_figures` for many blackboards: a row for each, and beside it whether there
    is a figure.

    Args:
        action: One of `DATA`.
        rows: The figures of its part, a row for each blackboard; lacking figures are NaN.
        last: The last prices; None if no blackboard has them.
    """
    numbers = np.full(rows.shape, np.nan)
    for place, metric in enumerate(PART_METRICS[action]):
        scale = SCALES.get(metric)
        if scale is not None:
            numbers[:, place] = (rows[:, place] - scale.middle) / scale.reach
        elif last is not None:
            by = np.where(last > 0, last, np.nan)
            numbers[:, place] = (rows[:, place] / by - 1) / PRICE_REACH
    known = ~np.isnan(numbers)
    told = np.where(known, np.clip(numbers, -1.0, 1.0), 0.0)
    return told.astype(np.float32), known.astype(np.float32)


def encode_insights(pointers: Sequence[Pointer]) -> Observation:
    """The two arrays of some insights."""
    strengths, known = [0.0] * len(Topic), [0.0] * len(Topic)
    for pointer in pointers:
        place = _TOPICS.get(pointer.topic)
        if place is not None:
            strengths[place] = pointer.strength * _SIGNS.get(pointer.leaning, 0.0)
            known[place] = 1.0
    return {INSIGHTS: _floats(strengths), mask_of(INSIGHTS): _floats(known)}


def encode_recommendation(chosen: StockDecision | StockRecommendation | None) -> Observation:
    """The array of a recommendation."""
    numbers = [0.0] * (len(Recommended) + 2)
    if chosen is not None:
        numbers[_RECOMMENDED[chosen.action]] = 1.0
        numbers[-2:] = chosen.confidence, chosen.probability
    return {RECOMMENDATION: _floats(numbers)}


def _floats(numbers: list[float]) -> NDArray[np.float32]:
    return np.array(numbers, dtype=np.float32)
