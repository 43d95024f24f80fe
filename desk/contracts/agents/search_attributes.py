"""Search attributes: the fields by which runs are found in the Temporal UI and command line."""

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
"""The attributes that are integers. All others are keywords."""


class Phase(StrEnum):
    """The phase that a run is in."""

    PLANNING = "planning"
    RESEARCHING = "researching"
    REASSIGNING = "reassigning"
    AWAITING_PERSON = "awaiting_person"
    AWAITING_HORIZON = "awaiting_horizon"
    PUBLISHING = "publishing"
    OPEN_FOR_RERUNS = "open_for_reruns"
    CLOSED = "closed"


class Outcome(StrEnum):
    """How the research of a market or a week ended.

    For a market: `researched` if all its agents delivered, `partial` if some did, `missing` if
    there is nothing to print and the reason is known, `dead_lettered` if a task failed with every
    agent. For a week: `complete` if the share of researched markets reaches the coverage threshold,
    else `incomplete`.
    """

    RESEARCHED = "researched"
    PARTIAL = "partial"
    MISSING = "missing"
    DEAD_LETTERED = "dead_lettered"
    COMPLETE = "complete"
    INCOMPLETE = "incomplete"


COUNTED: Final = frozenset({Outcome.RESEARCHED, Outcome.PARTIAL})
"""The outcomes of a market that count as researched. A partial one is noted with what it lacks."""
