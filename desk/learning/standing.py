"""Determines which forecasts belong to the desk's record, and which count separately.

Forecasts that a person overruled count separately, and so do those that were written so long after
their as-of instant that they are back-tests. A forecast is written some time after its as-of
instant: an hour in a scheduled run, years in a backfill. A model, or the user who chose the
question, could know what happened in between, although the tools withheld it.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from desk.contracts.learning.lessons import MadeForecast
from desk.contracts.swarm.hypotheses import ScoredHypothesis

IN_TIME: Final = timedelta(days=8)
"""How long after its as-of instant a forecast still counts as made in time: the latest complete
week can be run until the next one is complete, and a day longer."""

SHARE_OF_HORIZON: Final = 3
"""At most one part in this many of a short horizon may have passed."""


def in_time_until(as_of: datetime, due: datetime) -> datetime:
    """Returns the last instant at which a forecast as of an instant counts as made in time."""
    return as_of + min(IN_TIME, (due - as_of) / SHARE_OF_HORIZON)


class Standing(StrEnum):
    """Where a forecast counts: in the record, or in the part of a scorecard of that name."""

    RECORD = "record"
    BACKTEST = "backtest"
    OVERRULED = "overruled"


def standing_of(made: MadeForecast) -> Standing:
    """Returns where a forecast counts."""
    if is_backtest(made):
        return Standing.BACKTEST
    return Standing.RECORD if made.overruled_by is None else Standing.OVERRULED


def is_backtest(made: MadeForecast) -> bool:
    """Returns whether a forecast was written afterwards. False if the time of writing was not
    recorded."""
    return written_afterwards(made.as_of, made.written_at, made.due)


def is_backtested(scored: ScoredHypothesis) -> bool:
    """Returns whether a hypothesis was written afterwards. False if the time of writing was not
    recorded."""
    return written_afterwards(scored.made_as_of, scored.written_at, scored.hypothesis.due)


def written_afterwards(as_of: datetime | None, written_at: datetime | None, due: datetime) -> bool:
    """Returns whether a forecast as of an instant was written so late that it is a back-test. False
    if one of the two instants was not recorded."""
    if as_of is None or written_at is None:
        return False
    return written_at > in_time_until(as_of, due)
