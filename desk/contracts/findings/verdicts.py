"""The verdicts on claims, and the figures in prose that are not claims."""

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field

from desk.contracts.base import Contract, ShortText, Text, is_empty, is_none
from desk.contracts.findings.claims import ClaimId

NOTHING_AGAINST: Final = "Every figure follows from its evidence, and nothing speaks against one."
"""The validator's recommendation for a market without objections."""


class ClaimStatus(StrEnum):
    """How reliable a claim is.

    `verified`: a source of another origin agrees. `single_source`: it follows from its evidence,
    and there was no other source to ask. `contested`: sources of different origins disagree, and a
    vote or a person decided. `rejected`: it does not follow from its evidence; never printed.
    """

    VERIFIED = "verified"
    SINGLE_SOURCE = "single_source"
    CONTESTED = "contested"
    REJECTED = "rejected"


class ClaimCheck(StrEnum):
    """The checks that can decide about a claim."""

    EVIDENCE = "evidence"
    """Its evidence is present, unchanged, known by the as-of instant, and about its subject."""
    UNIT = "unit"
    """Its unit is that of its metric."""
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
    """The verdict on one claim, and the check that decided.

    Results may state one claim differently: a rejection that names a `result` applies to that
    result's claim alone. `origins` are those whose figures support it, each once. `evidence` are
    the tool results that the deciding check used besides the claim's own.
    """

    claim_id: ClaimId
    result: ShortText | None = None
    status: ClaimStatus
    decided_by: ClaimCheck
    words: Text
    origins: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()
    evidence: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()


class RejectedFigure(Contract):
    """A figure in an agent's prose that is not a claim. The agent is informed and may correct it.

    `place` is the text of the result that contains it; `sentence` is the sentence as written.
    """

    place: ShortText
    written: ShortText
    sentence: Text
    reason: Text


class DroppedSentence(Contract):
    """A sentence that was omitted from the report because of a figure that is not a claim.

    Its text is not repeated here, because the figure would then be in the report after all. It is
    in the history of the run.
    """

    place: ShortText
    reason: Text


class FactObjection(Contract):
    """A sentence that says something of a figure, or of the world, that its claims do not say.

    `sentence` is its number in the text, from 1; `claim` is the claim or quotation that it says it
    of. `reason` is a model's words: they are sent to the writer and are in no report.
    """

    sentence: Annotated[int, Field(ge=1)]
    claim: ShortText | None = None
    reason: Annotated[str, Field(min_length=1, max_length=500)]


class FactCheck(Contract):
    """A model's check of a written text against the claims that it cites.

    `ignored` counts the objections that name a sentence that the text does not have.
    """

    kind: Literal["fact_check"] = "fact_check"
    task_id: ShortText
    objections: Annotated[tuple[FactObjection, ...], Field(max_length=100)] = ()
    ignored: Annotated[int, Field(ge=0, exclude_if=is_empty)] = 0


class FactCheckRecord(Contract):
    """The fact check of a published text that a model wrote.

    `rules` is the edition of the rules that it was checked by, `sentences` the number that were
    checked, and `omitted` the number that were left out because of it. `unchecked` says why no
    check was made; the text is then published as it was written.
    """

    rules: Annotated[int, Field(ge=1)]
    sentences: Annotated[int, Field(ge=0, exclude_if=is_empty)] = 0
    omitted: Annotated[int, Field(ge=0, exclude_if=is_empty)] = 0
    ignored: Annotated[int, Field(ge=0, exclude_if=is_empty)] = 0
    unchecked: Annotated[Text | None, Field(exclude_if=is_none)] = None


class CrossCheckKind(StrEnum):
    """The kinds of checks across markets."""

    TRIANGLE = "triangle"
    DECISION_AGAINST_SERIES = "decision_against_series"
    MOVE_WITHOUT_EVENT = "move_without_event"
    EVENT_OUTSIDE_WINDOW = "event_outside_window"


class CrossCheck(Contract):
    """An inconsistency across markets, in prose with references."""

    kind: CrossCheckKind
    subject: ShortText
    prose: Text
    text: Text
    claims: Annotated[tuple[ClaimId, ...], Field(max_length=8)] = ()
