"""Compiles a run into the document that is published, for every kind of document.

A program provides a `Compiler`, which determines what of its run may be printed and how. The
evidence, its sources and the seal are handled here, for all programs.
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
"""The printable part of a program's run."""

Compiled = TypeVar("Compiled", ResearchReport, AnswerReport)


class Subject(NamedTuple):
    """The subject of a document: its markets, its window, the area that policy rates are compared
    with, and until when an outcome was waited for."""

    specs: tuple[MarketSpec, ...]
    window: TimeWindow
    base_area: str
    due: datetime | None = None


class DocumentGrounds(NamedTuple):
    """The tool results in a document's evidence, and their sources."""

    evidence: Carried
    sources: tuple[DataSource, ...]


class Compiler(ABC, Generic[Printable, Compiled]):
    """Compiles the runs of one program. No method has an effect."""

    @property
    @abstractmethod
    def subject(self) -> Subject:
        """The subject of the document."""

    @property
    @abstractmethod
    def results(self) -> Sequence[ToolResult]:
        """All tool results of the run. If two different ones share an id, neither is evidence."""

    @abstractmethod
    def printable(self, ledger: Ledger) -> Printable:
        """Returns the printable part. The ledger derives every claim in it again."""

    @abstractmethod
    def carried(self, printable: Printable, results: Mapping[str, ToolResult]) -> Carried:
        """Returns the tool results that the printable part rests on, chosen from those of the run
        by id."""

    @abstractmethod
    def sources(
        self, printable: Printable, evidence: Sequence[ToolResult]
    ) -> tuple[DataSource, ...]:
        """Returns the sources of the evidence in the document."""

    @abstractmethod
    def document(self, printable: Printable, grounds: DocumentGrounds) -> Compiled:
        """Returns the document without its seal."""


def compile_document(compiler: Compiler[Printable, Compiled]) -> Compiled:
    """Returns the sealed document of a run. There is always one, also for a run in which everything
    failed.

    It prints only claims that follow from their evidence, were not rejected, and survive the
    decided conflicts.
    """
    results = compiler.results
    subject = compiler.subject
    printable = compiler.printable(
        Ledger(subject.specs, subject.window, subject.base_area, results, subject.due)
    )
    evidence = compiler.carried(printable, first_of_each(results))
    grounds = DocumentGrounds(evidence, compiler.sources(printable, evidence.results))
    return sealed(compiler.document(printable, grounds))
