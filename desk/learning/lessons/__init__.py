"""What a run teaches, told once."""

from desk.learning.lessons.attempts import Fault, Tried, sources_of, task_key, with_attempts
from desk.learning.lessons.week_lesson import Run, Standing, lesson_of, newly_counted, standing_of

__all__ = [
    "Fault",
    "Run",
    "Standing",
    "Tried",
    "lesson_of",
    "newly_counted",
    "sources_of",
    "standing_of",
    "task_key",
    "with_attempts",
]
