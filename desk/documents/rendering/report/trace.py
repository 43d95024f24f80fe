"""One figure followed to its source: value, verdict, formula, inputs and evidence."""

from typing import Annotated

from pydantic import Field, JsonValue

from desk.contracts.agents.tools import CallPlace, SourceTier, ToolStatus
from desk.contracts.base import Contract, Instant, ShortText, Text
from desk.contracts.findings.claims import Claim, ClaimId
from desk.contracts.findings.results import ConflictRecord
from desk.contracts.findings.verdicts import ClaimVerdict
from desk.contracts.markets import MarketName
from desk.trust.claims.week_counts import WEEK_METRICS


class Excerpt(Contract):
    """The piece of a tool's content that a figure was read from.

    `row` is as the source has it, `words` says it in a sentence.
    """

    words: Text
    row: dict[str, JsonValue] = Field(default_factory=dict)


class EvidenceTrace(Contract):
    """One tool call behind a figure: who was asked what, when, and where the call stands.

    `origin` is who first published the figures. Where the report has no record of the call,
    `recorded` is false and only the id is known. `url` is as the source gave it and may be
    unfit to be linked to.
    """

    evidence_id: ShortText
    recorded: bool = True
    source: ShortText | None = None
    tier: SourceTier | None = None
    origin: ShortText | None = None
    url: Annotated[str, Field(max_length=500)] | None = None
    server: ShortText | None = None
    tool: ShortText | None = None
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    as_of: Instant
    status: ToolStatus | None = None
    error: Text | None = None
    retrieved_at: Instant | None = None
    content_hash: ShortText | None = None
    place: CallPlace | None = None
    excerpt: Excerpt | None = None


class Elsewhere(Contract):
    """Another market's section that states the same claim, and the evidence it has for it."""

    market: MarketName
    printed: ShortText
    agrees: bool
    evidence: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()


class Trace(Contract):
    """A figure of the report and everything it rests on.

    `name` is the figure in words and `printed` its value with its unit. `formula` is written out
    with the figures that go into it. `inputs` are traces of their own, down to what was read from
    a source; `withheld` are inputs that are not in the report. `checked_with` are the calls that
    the verdict rests on besides the figure's own.
    """

    claim: Claim
    market: MarketName
    name: ShortText
    printed: ShortText
    verdict: ClaimVerdict | None = None
    verdict_words: Text
    formula: Text | None = None
    inputs: "tuple[Trace, ...]" = ()
    withheld: Annotated[tuple[ClaimId, ...], Field(max_length=200)] = ()
    evidence: Annotated[tuple[EvidenceTrace, ...], Field(max_length=8)] = ()
    checked_with: Annotated[tuple[EvidenceTrace, ...], Field(max_length=8)] = ()
    conflicts: Annotated[tuple[ConflictRecord, ...], Field(max_length=50)] = ()
    elsewhere: Annotated[tuple[Elsewhere, ...], Field(max_length=200)] = ()

    @property
    def place(self) -> str:
        """The part of the page that states it: its market's section, or all of the page."""
        return "content" if self.claim.metric in WEEK_METRICS else self.market
