"""What a run tells the learning system, and which of what was told counts."""

from desk.learning.lessons.attempts import Fault, Tried, sources_of, task_key, with_attempts
from desk.learning.lessons.counting import ToldRun, WeekLesson, newly_counted, week_lesson_of
from desk.learning.lessons.week_lesson import lesson_of

__all__ = [
    "Fault",
    "ToldRun",
    "Tried",
    "WeekLesson",
    "lesson_of",
    "newly_counted",
    "sources_of",
    "task_key",
    "week_lesson_of",
    "with_attempts",
]
