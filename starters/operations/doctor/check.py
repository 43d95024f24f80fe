"""A check of `desk doctor`, and how it ended."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How a check ended. Only `fail` keeps the desk from working."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True)
class Check:
    """What was checked, its state, and what to do if it is not ok."""

    name: str
    level: Level
    sentence: str
