"""How a run is compiled into the document that is published, for every kind of document.

A program brings a `Compiler`, which says what of its run may be printed and how. The evidence, its
sources and the seal are handled here, once for all programs.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Generic, NamedTuple, TypeVar

from desk.contracts.agents.tools import DataSource, ToolResult
from desk.contracts.markets import MarketSpec
from desk.contracts.question.answers import AnswerReport
from desk.contracts.week.report import ResearchReport
from desk.contracts.weeks import TimeWindow
from desk.documents.evidence import Carried, first_of_each
from desk.trust.ledger import Ledger
from desk.trust.seals import sealed

Printable = TypeVar("Printable")
"""What of a program's run may be printed."""

Compiled = TypeVar("Compiled", ResearchReport, AnswerReport)


class Subject(NamedTuple):
    """What a document is about: its markets, its window, the area that policy rates are compared
    with, and until when an outcome was waited for."""

    specs: tuple[MarketSpec, ...]
    window: TimeWindow
    base_area: str
    due: datetime | None = None


class DocumentGrounds(NamedTuple):
    """The tool results that a document carries as evidence, and the sources that gave them."""

    evidence: Carried
    sources: tuple[DataSource, ...]


class Compiler(ABC, Generic[Printable, Compiled]):
    """How a program compiles one of its runs. No method has an effect."""

    @property
    @abstractmethod
    def subject(self) -> Subject:
        """What the document is about."""

    @property
    @abstractmethod
    def results(self) -> Sequence[ToolResult]:
        """All tool results of the run. If two different ones share an id, neither is evidence."""

    @abstractmethod
    def printable(self, ledger: Ledger) -> Printable:
        """What may be printed. The ledger derives every claim in it again."""

    @abstractmethod
    def carried(self, printable: Printable, results: Mapping[str, ToolResult]) -> Carried:
        """The tool results that the printable part rests on, chosen from those of the run by id."""

    @abstractmethod
    def sources(
        self, printable: Printable, evidence: Sequence[ToolResult]
    ) -> tuple[DataSource, ...]:
        """The sources of the evidence that the document carries."""

    @abstractmethod
    def document(self, printable: Printable, grounds: DocumentGrounds) -> Compiled:
        """The document without its seal."""


def compile_document(compiler: Compiler[Printable, Compiled]) -> Compiled:
    """The sealed document of a run. There is always one, also for a run in which everything failed.

    It prints only claims that follow from their evidence, were not rejected, and hold after the
    conflicts were decided.
    """
    results = compiler.results
    subject = compiler.subject
    printable = compiler.printable(
        Ledger(subject.specs, subject.window, subject.base_area, results, subject.due)
    )
    evidence = compiler.carried(printable, first_of_each(results))
    grounds = DocumentGrounds(evidence, compiler.sources(printable, evidence.results))
    return sealed(compiler.document(printable, grounds))
