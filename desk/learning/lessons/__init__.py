"""The lesson that a run sends to the learning system."""

from desk.learning.lessons.attempts import Fault, Tried, sources_of, task_key, with_attempts
from desk.learning.lessons.week_lesson import lesson_of

__all__ = [
    "Fault",
    "Tried",
    "lesson_of",
    "sources_of",
    "task_key",
    "with_attempts",
]
