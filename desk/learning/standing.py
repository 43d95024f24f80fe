"""Which forecasts are the desk's record, and which count apart.

Apart count those that a person overruled, and those that were written so long after their as-of
instant that they are back-tests. A forecast is written a while after the instant as of which it
knows the world: an hour in a scheduled run, years in a backfill. What happened in between was there
to be seen, by a model or by whoever chose to ask, whatever the tools held back.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from desk.contracts.learning.lessons import MadeForecast
from desk.contracts.swarm.hypotheses import ScoredHypothesis

IN_TIME: Final = timedelta(days=8)
"""So long after its as-of instant a forecast still counts as made then: the latest complete week
can be run until the next one is, and a day longer."""

SHARE_OF_HORIZON: Final = 3
"""Of a short horizon no more than one part in so many may have passed."""


def in_time_until(as_of: datetime, due: datetime) -> datetime:
    """The last instant at which what is forecast as of an instant counts as made then."""
    return as_of + min(IN_TIME, (due - as_of) / SHARE_OF_HORIZON)


class Standing(StrEnum):
    """Where a forecast counts: in the record, or in the part of a scorecard of that name."""

    RECORD = "record"
    BACKTEST = "backtest"
    OVERRULED = "overruled"


def standing_of(made: MadeForecast) -> Standing:
    """Where a forecast counts."""
    if is_backtest(made):
        return Standing.BACKTEST
    return Standing.RECORD if made.overruled_by is None else Standing.OVERRULED


def is_backtest(made: MadeForecast) -> bool:
    """Whether a forecast was written afterwards; not where nobody recorded when it was."""
    return written_afterwards(made.as_of, made.written_at, made.due)


def is_backtested(scored: ScoredHypothesis) -> bool:
    """Whether a hypothesis was written afterwards; not where nobody recorded when it was."""
    return written_afterwards(scored.made_as_of, scored.written_at, scored.hypothesis.due)


def written_afterwards(as_of: datetime | None, written_at: datetime | None, due: datetime) -> bool:
    """Whether what is forecast as of an instant was written so late that it is a back-test; not
    where one of the two is not on record."""
    if as_of is None or written_at is None:
        return False
    return written_at > in_time_until(as_of, due)
