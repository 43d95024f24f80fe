"""What a stock's episode adds to its answer: its recommendation, its blackboard and its steps."""

from desk.programs.episode.document.part import PART

__all__ = ["PART"]
