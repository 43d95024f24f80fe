"""An episode over a table of figures: what each action writes onto the blackboard.

It has the same pure logic as the workflow. The workflow gets its figures from the tools; a table
holds what the tools would have returned.
"""

from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from desk.analytics.evaluation import POSITIONS
from desk.contracts.episode.actions import StockAction
from desk.contracts.findings.claims import Metric
from desk.programs.episode.actions import DATA, why_not
from desk.programs.episode.blackboard import StockBoard
from desk.programs.episode.insights import insights
from desk.programs.episode.recommendation import recommend
from desk.training.tables import StockTable

_DATA = frozenset(DATA)
_NEWS = frozenset({StockAction.FETCH_NEWS, StockAction.FETCH_SENTIMENT})
"""Their figures are as of the day of the instant, all others as of the day of the last price."""


class ActionOutcome(NamedTuple):
    """The outcome of an action: why it was refused, or whether it was an evaluation, and its
    reward. An evaluation has no reward if prices or the cash rate are missing."""

    refused: str | None = None
    evaluated: bool = False
    reward: Decimal | None = None


class StockEpisode:
    """The episode of one stock, as of the close of the day at place `at` in the table."""

    __slots__ = ("_at", "_cost", "_day", "_news_day", "_table", "board")

    def __init__(
        self, table: StockTable, at: int, as_of: datetime, weeks: int, cost: Decimal
    ) -> None:
        self.board = StockBoard(table.symbol, as_of, weeks)
        self._table, self._at, self._cost = table, at, cost
        self._day = table.days[at]
        self._news_day = as_of.astimezone(UTC).date()

    def take(self, action: StockAction) -> ActionOutcome:
        """Carries out an action, or refuses it and changes nothing."""
        board = self.board
        if (reason := why_not(board, action)) is not None:
            return ActionOutcome(refused=reason)
        if action in _DATA:
            table = self._table
            day = self._news_day if action in _NEWS else self._day
            values = table.values(action, self._at, board.as_of)
            board.write_part(action, values, day, table.generated(action))
        elif action is StockAction.GENERATE_INSIGHT:
            board.write_insights(insights(board.values))
        elif action is StockAction.GENERATE_RECOMMENDATION:
            board.write_recommendation(recommend(board.pointers, board))
        else:
            return self._evaluated()
        return ActionOutcome()

    def _evaluated(self) -> ActionOutcome:
        made = self.board.recommendation
        if made is None:
            raise AssertionError("an evaluation without a recommendation was not refused")
        position = POSITIONS[made.action]
        figures, days = self._table.evaluation(
            self._at, position, self.board.weeks, self._cost, self.board.as_of
        )
        self.board.write_evaluation(figures, days)
        return ActionOutcome(evaluated=True, reward=figures.get(Metric.REWARD))
