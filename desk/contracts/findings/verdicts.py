"""What was decided about a claim, and what was found in prose that is no claim."""

from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.base import Contract, ShortText, Text
from desk.contracts.findings.claims import ClaimId

NOTHING_AGAINST: Final = "Every figure follows from its evidence, and nothing speaks against one."
"""What is recommended of a market with which everything is as it should be."""


class ClaimStatus(StrEnum):
    """How far a claim can be relied on.

    `verified`: a source of another origin agrees. `single_source`: it follows from its evidence,
    and nobody else was there to ask. `contested`: sources of different origins disagree, and a
    vote or a person decided. `rejected`: it does not follow from its evidence; never printed.
    """

    VERIFIED = "verified"
    SINGLE_SOURCE = "single_source"
    CONTESTED = "contested"
    REJECTED = "rejected"


class ClaimCheck(StrEnum):
    """The checks that can decide about a claim."""

    EVIDENCE = "evidence"
    """Its evidence is there, unchanged, known by the as-of instant, and about its subject."""
    UNIT = "unit"
    """It is counted in the unit of its metric."""
    DATE = "date"
    """Its day is the one that its evidence gives."""
    VALUE = "value"
    """Its value is the one that its evidence gives."""
    FORMULA = "formula"
    """It names the formula and inputs of its metric, and they give its value."""
    SECOND_SOURCE = "second_source"
    """A source of another origin states the same quantity."""
    SERIES = "series"
    """The series it was read from agrees with another origin's over the last common months."""
    CROSS_MARKET = "cross_market"
    """It is consistent with what other markets claim."""


class ClaimVerdict(Contract):
    """One claim's verdict, and the check that decided.

    Results may state one claim differently: a rejection that names a `result` is of that result's
    claim alone. `origins` are those whose figures support it, each once. `evidence` are the tool
    results that the deciding check used besides the claim's own.
    """

    claim_id: ClaimId
    result: ShortText | None = None
    status: ClaimStatus
    decided_by: ClaimCheck
    words: Text
    origins: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()
    evidence: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()


class RejectedFigure(Contract):
    """A figure in an agent's prose that is no claim. The agent is told, and may mend it.

    `place` says which text of the result it stands in; `sentence` is the sentence as written.
    """

    place: ShortText
    written: ShortText
    sentence: Text
    reason: Text


class DroppedSentence(Contract):
    """A sentence that was left out of the report because of a figure that is no claim.

    Its words are not repeated: the figure would get into the report after all. They stand in the
    history of the run.
    """

    place: ShortText
    reason: Text


class CrossCheckKind(StrEnum):
    """What is looked at across markets."""

    TRIANGLE = "triangle"
    DECISION_AGAINST_SERIES = "decision_against_series"
    MOVE_WITHOUT_EVENT = "move_without_event"
    EVENT_OUTSIDE_WINDOW = "event_outside_window"


class CrossCheck(Contract):
    """Something that does not fit across markets, in prose with references."""

    kind: CrossCheckKind
    subject: ShortText
    prose: Text
    text: Text
    claims: Annotated[tuple[ClaimId, ...], Field(max_length=8)] = ()
