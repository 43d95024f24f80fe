"""The days of several stocks as arrays, with the results of each action on each day.

A row stands for the close of one day of one stock. Insights and recommendations are computed by the
functions that the workflow uses, when first asked for, and kept.
"""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from desk.analytics.evaluation import POSITIONS
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import Recommended
from desk.contracts.findings.claims import Metric
from desk.programs.episode.actions import DATA, PART_FIELDS, PART_METRICS
from desk.programs.episode.encoding import (
    EVALUATION,
    INSIGHTS,
    encode_figures,
    encode_insights,
    figure_rows,
    mask_of,
)
from desk.programs.episode.insights import insights
from desk.programs.episode.recommendation import StockDecision, decided, judged, known
from desk.programs.swarm.balance import SignalConsensus
from desk.training.company_figures import ON_COMPANIES
from desk.training.tables import StockTable

Rows = NDArray[np.int64]
Encoded = NDArray[np.float32]

MOST_KEPT: Final = 65_536
"""Judgements that are kept at once, of a third of a kilobyte to one each; then they are made
anew."""

BITS: Final = {action: 1 << place for place, action in enumerate(DATA)}
"""The bit of each action that brings figures, in a number that says which parts there are."""

_BASIC, _ADVANCED = StockAction.RUN_TA_BASIC, StockAction.RUN_TA_ADVANCED
_LAST: Final = PART_METRICS[_BASIC].index(Metric.LAST)


class JudgedParts(NamedTuple):
    """The insights into some parts of the blackboard as their two arrays, and their balance."""

    strengths: Encoded
    known: Encoded
    found: SignalConsensus


class PositionOutcome(NamedTuple):
    """The outcome of a position: its reward (None if there is none) and the two arrays."""

    reward: float | None
    figures: Encoded
    known: Encoded


class _Part:
    """An action's figures of all rows, encoded; those of companies only once they are asked for."""

    def __init__(self, numbers: Encoded, known_: Encoded, filled: NDArray[np.bool_]) -> None:
        self.numbers, self.known, self.filled = numbers, known_, filled


class EpisodeArrays:
    """The blackboards of many episodes, by row and by the parts that are filled."""

    def __init__(self, tables: Sequence[StockTable], weeks: int, cost: Decimal) -> None:
        """`cost` is percent of the price, for entering a position and again for leaving it."""
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
            action: self._empty(action) if action in ON_COMPANIES else _whole(action, basic, last)
            for action in DATA
            if action is not _ADVANCED
        }
        self._advanced = {
            True: _whole(_ADVANCED, advanced, last),
            False: _whole(_ADVANCED, advanced, None),
        }
        self._judged: dict[tuple[int, int], JudgedParts] = {}
        self._shares: dict[tuple[int, int], float] = {}
        self._outcomes: dict[tuple[int, int], PositionOutcome] = {}

    def row(self, symbol: str, at: int) -> int:
        """The row of a stock's day by its place in the table."""
        return self._first[symbol] + at

    def day(self, row: int) -> tuple[str, date]:
        """The stock and the day of a row."""
        table, at = self._of(row)
        return table.symbol, table.days[at]

    def part(self, action: StockAction, rows: Rows, *, priced: bool) -> tuple[Encoded, Encoded]:
        """The two arrays of an action that brings figures, a row for each of `rows`.

        `priced` says whether the last price is on the blackboards, which tells other prices.
        """
        if action is _ADVANCED:
            part = self._advanced[priced]
        else:
            part = self._parts[action]
            self._fill(action, part, rows)
        return part.numbers[rows], part.known[rows]

    def judged(self, row: int, parts: int) -> JudgedParts:
        """The insights into the filled parts, which are given as bits."""
        found = self._judged.get((row, parts))
        if found is None:
            pointers = insights(self._values(row, parts))
            arrays = encode_insights(pointers)
            found = JudgedParts(arrays[INSIGHTS], arrays[mask_of(INSIGHTS)], judged(pointers))
            if len(self._judged) >= MOST_KEPT:
                self._judged.clear()
            self._judged[row, parts] = found
        return found

    def decided(self, row: int, judged_on: int, parts: int) -> StockDecision:
        """What is recommended on insights into some parts, where there are `parts` by now."""
        share = self._shares.get((row, parts))
        if share is None:
            share = known(self._values(row, parts))
            if len(self._shares) >= MOST_KEPT:
                self._shares.clear()
            self._shares[row, parts] = share
        return decided(self.judged(row, judged_on).found, share)

    def outcome(self, row: int, recommended: Recommended) -> PositionOutcome:
        """The outcome of a recommendation."""
        position = POSITIONS[recommended]
        found = self._outcomes.get((row, position))
        if found is None:
            table, at = self._of(row)
            figures, _ = table.evaluation(at, position, self._weeks, self._cost)
            arrays = encode_figures(figures, StockAction.EVALUATE_PERFORMANCE)
            reward = figures.get(Metric.REWARD)
            found = PositionOutcome(
                None if reward is None else float(reward),
                arrays[EVALUATION],
                arrays[mask_of(EVALUATION)],
            )
            self._outcomes[row, position] = found
        return found

    def _of(self, row: int) -> tuple[StockTable, int]:
        return self._tables[int(self._table_of[row])], int(self._at[row])

    def _computed(self, action: StockAction) -> NDArray[np.float64]:
        return np.concatenate([table.rows(action) for table in self._tables])

    def _empty(self, action: StockAction) -> _Part:
        shape = len(self._at), len(PART_METRICS[action])
        return _Part(
            np.zeros(shape, np.float32), np.zeros(shape, np.float32), np.zeros(shape[0], bool)
        )

    def _fill(self, action: StockAction, part: _Part, rows: Rows) -> None:
        name = PART_FIELDS[action]
        for row in np.unique(rows[~part.filled[rows]]).tolist():
            table, at = self._of(row)
            arrays = encode_figures(table.values(action, at), action)
            part.numbers[row], part.known[row] = arrays[name], arrays[mask_of(name)]
            part.filled[row] = True

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
