"""Search attributes: what a run can be found by in the Temporal UI and command line."""

from enum import StrEnum
from typing import Final


class SearchAttribute(StrEnum):
    """Names registered on the namespace."""

    RESEARCH_WEEK = "ResearchWeek"
    MARKET = "Market"
    PHASE = "Phase"
    OUTCOME = "Outcome"
    REVISION = "Revision"


INTEGER_ATTRIBUTES: Final = frozenset({SearchAttribute.REVISION})
"""All others are keywords."""


class Phase(StrEnum):
    """Where a run stands."""

    PLANNING = "planning"
    RESEARCHING = "researching"
    REASSIGNING = "reassigning"
    AWAITING_PERSON = "awaiting_person"
    AWAITING_HORIZON = "awaiting_horizon"
    PUBLISHING = "publishing"
    OPEN_FOR_RERUNS = "open_for_reruns"
    CLOSED = "closed"


class Outcome(StrEnum):
    """What became of a market or a week.

    `researched`: all its agents delivered. `partial`: some did. `missing`: there is nothing to
    print, and the reason is known. `dead_lettered`: a task failed for good with every agent.
    `complete` and `incomplete` are for weeks: at or below the coverage threshold.
    """

    RESEARCHED = "researched"
    PARTIAL = "partial"
    MISSING = "missing"
    DEAD_LETTERED = "dead_lettered"
    COMPLETE = "complete"
    INCOMPLETE = "incomplete"


COUNTED: Final = frozenset({Outcome.RESEARCHED, Outcome.PARTIAL})
"""The outcomes of a market that count as researched. A partial one is noted with what it lacks."""
