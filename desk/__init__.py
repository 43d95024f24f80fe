"""A research desk for currency and rate markets, on Temporal.

In Python: `load_report` and `load_answer` read what is published, `scorecard` asks how the desk's
forecasts did, and a `Desk` runs weeks and asks questions. They are loaded when they are first asked
for: importing `desk` takes no time.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from desk.api import (
        Answer,
        Desk,
        Report,
        Scores,
        load_answer,
        load_report,
        published_weeks,
        scorecard,
    )

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


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'desk' has no attribute '{name}'")
    from desk import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
