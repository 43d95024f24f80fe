"""Boards: the state of a run, which its status query and the Temporal UI show."""

from desk.runs.boards.board import GraphBoard, NodeBoard, RunBoard, lost_calls, lost_tools
from desk.runs.boards.market_board import (
    MarketBoard,
    after_decisions,
    after_rerun,
    decide_outcome,
    ended_status,
    reasons_missing,
)
from desk.runs.boards.usage import sum_of, usage_of, usage_of_week
from desk.runs.boards.week_board import CommentedWeek, QueuedRerun, WeekBoard

__all__ = [
    "CommentedWeek",
    "GraphBoard",
    "MarketBoard",
    "NodeBoard",
    "QueuedRerun",
    "RunBoard",
    "WeekBoard",
    "after_decisions",
    "after_rerun",
    "decide_outcome",
    "ended_status",
    "lost_calls",
    "lost_tools",
    "reasons_missing",
    "sum_of",
    "usage_of",
    "usage_of_week",
]
