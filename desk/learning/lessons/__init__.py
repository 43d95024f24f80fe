"""The lesson that a run sends to the learning system."""

from desk.learning.lessons.attempts import AttemptRecord, Fault, sources_of, task_key, with_attempts
from desk.learning.lessons.week_lesson import lesson_of

__all__ = [
    "AttemptRecord",
    "Fault",
    "lesson_of",
    "sources_of",
    "task_key",
    "with_attempts",
]
