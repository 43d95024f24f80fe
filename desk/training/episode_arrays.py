"""The days of several stocks as arrays, with the results of each action on each day.

A row represents the close of one day of one stock. Insights and recommendations are computed on
first use by the functions that the workflow uses, and cached.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from desk.analytics.evaluation import POSITIONS
from desk.contracts.episode.actions import StockAction
from desk.contracts.findings.claims import Metric
from desk.programs.episode.actions import DATA, PART_METRICS
from desk.programs.episode.encoding import (
    INSIGHTS,
    encode_insights,
    figure_rows,
    mask_of,
)
from desk.programs.episode.insights import insights
from desk.programs.episode.recommendation import StockDecision, decided, judged, known
from desk.programs.swarm.balance import SignalConsensus
from desk.training.company_figures import COMPANY_ACTIONS
from desk.training.tables import StockTable

Rows = NDArray[np.int64]
Encoded = NDArray[np.float32]

CACHED_JUDGEMENTS: Final = 65_536
"""How many judgements are cached, of a third of a kilobyte to one kilobyte each; the cache is
cleared when full."""

BITS: Final = {action: 1 << place for place, action in enumerate(DATA)}
"""The bit of each action that fetches figures, in a number that says which parts are filled."""

_BASIC, _ADVANCED = StockAction.RUN_TA_BASIC, StockAction.RUN_TA_ADVANCED
_POSITIONS: Final = frozenset(POSITIONS.values())
_LAST: Final = PART_METRICS[_BASIC].index(Metric.LAST)


class JudgedParts(NamedTuple):
    """The insights into some parts of the blackboard as their two arrays, their balance, and the
    share of the figures that are known."""

    strengths: Encoded
    known: Encoded
    found: SignalConsensus
    share: float


class PositionOutcomes(NamedTuple):
    """The outcomes of a position, one row each: the rewards, NaN where there is none, and the two
    arrays."""

    rewards: NDArray[np.float64]
    figures: Encoded
    known: Encoded


class _Part:
    """An action's figures of all rows, encoded; some rows are filled only on first use."""

    def __init__(self, numbers: Encoded, known_: Encoded, filled: NDArray[np.bool_]) -> None:
        self.numbers, self.known, self.filled = numbers, known_, filled

    def missing(self, rows: Rows) -> Rows:
        """Returns those of some rows that are not filled yet, without duplicates."""
        return np.unique(rows[~self.filled[rows]])

    def fill(
        self, action: StockAction, rows: Rows, figures: Sequence[Mapping[Metric, Any]]
    ) -> None:
        """Writes the figures of some rows."""
        metrics = PART_METRICS[action]
        listed = [[values.get(metric, np.nan) for metric in metrics] for values in figures]
        numbers = np.array(listed, np.float64)
        priced_by = numbers[:, metrics.index(Metric.ENTRY)] if Metric.ENTRY in metrics else None
        self.numbers[rows], self.known[rows] = figure_rows(action, numbers, priced_by)
        self.filled[rows] = True


class EpisodeArrays:
    """The blackboards of many episodes, by row and by filled parts."""

    def __init__(self, tables: Sequence[StockTable], weeks: int, cost: Decimal) -> None:
        """`cost` is in percent of the price, for entering a position and again for leaving it."""
        self._tables = tuple(tables)
        self._weeks, self._cost = weeks, cost
        lengths = [len(table.days) for table in self._tables]
        starts = [sum(lengths[:at]) for at in range(len(lengths))]
        self._first = {
            table.symbol: start for table, start in zip(self._tables, starts, strict=True)
        }
        self._table_of = np.repeat(np.arange(len(lengths)), lengths)
        self._at = np.concatenate([np.arange(length) for length in lengths])
        basic, advanced = (self._computed(action) for action in (_BASIC, _ADVANCED))
        last = basic[:, _LAST]
        self._parts = {
            action: self._empty(action)
            if action in COMPANY_ACTIONS
            else _whole(action, basic, last)
            for action in DATA
            if action is not _ADVANCED
        }
        self._advanced = {
            True: _whole(_ADVANCED, advanced, last),
            False: _whole(_ADVANCED, advanced, None),
        }
        self._judged: dict[tuple[int, int], JudgedParts] = {}
        self._outcomes = {
            position: self._empty(StockAction.EVALUATE_PERFORMANCE) for position in _POSITIONS
        }
        self._rewards = {position: np.full(len(self._at), np.nan) for position in _POSITIONS}

    def row(self, symbol: str, at: int) -> int:
        """Returns the row of a stock's day, given its place in the table."""
        return self._first[symbol] + at

    def day(self, row: int) -> tuple[str, date]:
        """Returns the stock and the day of a row."""
        table, at = self._of(row)
        return table.symbol, table.days[at]

    def part(self, action: StockAction, rows: Rows, *, priced: bool) -> tuple[Encoded, Encoded]:
        """Returns the two arrays of an action that fetches figures, with a row for each of `rows`.

        `priced` says whether the blackboards have the last price, relative to which other prices
        are encoded.
        """
        if action is _ADVANCED:
            part = self._advanced[priced]
        else:
            part = self._parts[action]
            missing = part.missing(rows)
            if len(missing):
                days = map(self._of, missing.tolist())
                part.fill(action, missing, [table.values(action, at) for table, at in days])
        return part.numbers[rows], part.known[rows]

    def judged(self, row: int, parts: int) -> JudgedParts:
        """Returns the insights into the filled parts, which are given as bits."""
        found = self._judged.get((row, parts))
        if found is None:
            values = self._values(row, parts)
            pointers = insights(values)
            arrays = encode_insights(pointers)
            strengths, there = arrays[INSIGHTS], arrays[mask_of(INSIGHTS)]
            found = JudgedParts(strengths, there, judged(pointers), known(values))
            if len(self._judged) >= CACHED_JUDGEMENTS:
                self._judged.clear()
            self._judged[row, parts] = found
        return found

    def decided(self, row: int, judged_on: int, parts: int) -> StockDecision:
        """Returns the recommendation from insights into the parts `judged_on`, where `parts` are
        filled by now."""
        return decided(self.judged(row, judged_on).found, self.judged(row, parts).share)

    def outcomes(self, position: int, rows: Rows) -> PositionOutcomes:
        """Returns the outcomes of a position entered on each of some days."""
        part, rewards = self._outcomes[position], self._rewards[position]
        missing = part.missing(rows)
        if len(missing):
            found = [self._evaluated(row, position) for row in missing.tolist()]
            part.fill(StockAction.EVALUATE_PERFORMANCE, missing, found)
            rewards[missing] = [figures.get(Metric.REWARD, np.nan) for figures in found]
        return PositionOutcomes(rewards[rows], part.numbers[rows], part.known[rows])

    def _evaluated(self, row: int, position: int) -> Mapping[Metric, Decimal]:
        table, at = self._of(row)
        return table.evaluation(at, position, self._weeks, self._cost)[0]

    def _of(self, row: int) -> tuple[StockTable, int]:
        return self._tables[int(self._table_of[row])], int(self._at[row])

    def _computed(self, action: StockAction) -> NDArray[np.float64]:
        return np.concatenate([table.rows(action) for table in self._tables])

    def _empty(self, action: StockAction) -> _Part:
        shape = len(self._at), len(PART_METRICS[action])
        return _Part(
            np.zeros(shape, np.float32), np.zeros(shape, np.float32), np.zeros(shape[0], bool)
        )

    def _values(self, row: int, parts: int) -> dict[Metric, float]:
        table, at = self._of(row)
        values: dict[Metric, float] = {}
        for action, bit in BITS.items():
            if parts & bit:
                values |= table.values(action, at)
        return values


def _whole(
    action: StockAction, rows: NDArray[np.float64], last: NDArray[np.float64] | None
) -> _Part:
    numbers, there = figure_rows(action, rows, last)
    return _Part(numbers, there, np.ones(len(rows), bool))
