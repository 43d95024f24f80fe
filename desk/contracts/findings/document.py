"""What every published document has, whichever program it is of: a week's report and an answer are
each one, whatever else they tell."""

from datetime import datetime
from typing import Annotated, Protocol

from pydantic import Field

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import DataSource, ToolResult
from desk.contracts.agents.usage import Usage
from desk.contracts.base import Contract
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ConflictRecord
from desk.contracts.findings.verdicts import ClaimVerdict
from desk.contracts.markets import MarketSpec
from desk.contracts.weeks import TimeWindow


class MarketStatement(Protocol):
    """The claims that a document states of one market's research, with the verdicts on them."""

    @property
    def market(self) -> str:
        """The market whose research stated them."""
        ...

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims that are printed."""
        ...

    @property
    def verdicts(self) -> tuple[ClaimVerdict, ...]:
        """The verdicts on them, and those on claims that were rejected."""
        ...


class Document(Protocol):
    """A published document, with the evidence and the rules that it can be verified from."""

    @property
    def as_of(self) -> datetime:
        """The instant after which it knows nothing."""
        ...

    @property
    def window(self) -> TimeWindow:
        """The span that it is about, which ends at the as-of instant."""
        ...

    @property
    def outcome(self) -> Outcome:
        """Whether it is complete."""
        ...

    @property
    def specs(self) -> tuple[MarketSpec, ...]:
        """The markets that its claims are about."""
        ...

    @property
    def base_area(self) -> str:
        """The area that policy rates are held against."""
        ...

    @property
    def due(self) -> datetime | None:
        """Until when evidence may be of a later instant, where its outcome was waited for."""
        ...

    @property
    def statements(self) -> tuple[MarketStatement, ...]:
        """Its claims by the market whose research stated them; several may state one claim."""
        ...

    @property
    def counts(self) -> tuple[Claim, ...]:
        """Claims over the claims of the statements."""
        ...

    @property
    def conflicts(self) -> tuple[ConflictRecord, ...]:
        """The conflicts between findings, and how they were decided."""
        ...

    @property
    def sources(self) -> tuple[DataSource, ...]:
        """Who was asked for its evidence."""
        ...

    @property
    def evidence(self) -> tuple[ToolResult, ...]:
        """The tool results that it rests on."""
        ...

    @property
    def usage(self) -> Usage:
        """What it took."""
        ...

    @property
    def seal(self) -> str:
        """The SHA-256 of the canonical JSON of all the rest."""
        ...


class PublishedFiles(Contract):
    """Where a revision was written, on the machine of the worker that published it."""

    markdown: Annotated[str, Field(max_length=1_000)]
    html: Annotated[str, Field(max_length=1_000)]
    json_file: Annotated[str, Field(max_length=1_000)]
