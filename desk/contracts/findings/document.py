"""What every published document has, whichever program published it: a week's report and an answer
are both documents."""

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
        """The market whose research stated the claims."""
        ...

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The printed claims."""
        ...

    @property
    def verdicts(self) -> tuple[ClaimVerdict, ...]:
        """The verdicts on the printed and on the rejected claims."""
        ...


class Document(Protocol):
    """A published document, with the evidence and the rules that it can be verified from."""

    @property
    def as_of(self) -> datetime:
        """The instant after which the document uses no information."""
        ...

    @property
    def window(self) -> TimeWindow:
        """The time span that the document is about, ending at the as-of instant."""
        ...

    @property
    def outcome(self) -> Outcome:
        """Whether the research is complete."""
        ...

    @property
    def specs(self) -> tuple[MarketSpec, ...]:
        """The markets that its claims are about."""
        ...

    @property
    def base_area(self) -> str:
        """The area that policy rates are compared with."""
        ...

    @property
    def due(self) -> datetime | None:
        """The latest instant of its evidence, when the document waited for an outcome."""
        ...

    @property
    def statements(self) -> tuple[MarketStatement, ...]:
        """Its claims by the market whose research stated them; several markets may state the same
        claim."""
        ...

    @property
    def counts(self) -> tuple[Claim, ...]:
        """Claims that count over the statements' claims, such as the number of banks that cut."""
        ...

    @property
    def conflicts(self) -> tuple[ConflictRecord, ...]:
        """The conflicts between findings, and how they were decided."""
        ...

    @property
    def sources(self) -> tuple[DataSource, ...]:
        """The sources of its evidence."""
        ...

    @property
    def evidence(self) -> tuple[ToolResult, ...]:
        """The tool results that the document rests on."""
        ...

    @property
    def usage(self) -> Usage:
        """The models' usage that it took."""
        ...

    @property
    def seal(self) -> str:
        """The SHA-256 of the canonical JSON of the document without the seal."""
        ...


class PublishedFiles(Contract):
    """The files of a revision, on the machine of the worker that published it."""

    markdown: Annotated[str, Field(max_length=1_000)]
    html: Annotated[str, Field(max_length=1_000)]
    json_file: Annotated[str, Field(max_length=1_000)]
