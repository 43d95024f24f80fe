"""The desk in Python: published documents as typed objects and frames, and a desk that runs weeks
and answers questions.

It calls the same functions as the commands. Frames are pandas' (`pip install
'research-desk[frames]'`); everything else works without pandas.
"""

from desk.api._desk import Desk, scorecard
from desk.api._documents import Answer, Report, load_answer, load_report, published_weeks
from desk.api._scores import Scores

__all__ = [
    "Answer",
    "Desk",
    "Report",
    "Scores",
    "load_answer",
    "load_report",
    "published_weeks",
    "scorecard",
]
