"""From a run to the document that is published: what every document is made by, once.

A program brings a `Compiler`, which says what of its run may be printed and what it tells. What
that rests on, who was asked for it and the seal are the same for all.
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

Told = TypeVar("Told")
"""What a program tells of a run, as far as it stands."""

Compiled = TypeVar("Compiled", ResearchReport, AnswerReport)


class Subject(NamedTuple):
    """What a document is about: markets, a span of time, the area that policy rates are held
    against, and until when its outcome was waited for."""

    specs: tuple[MarketSpec, ...]
    window: TimeWindow
    base_area: str
    due: datetime | None = None


class DocumentGrounds(NamedTuple):
    """What a document rests on: the tool results that it carries, and who was asked for them."""

    evidence: Carried
    sources: tuple[DataSource, ...]


class Compiler(ABC, Generic[Told, Compiled]):
    """What a program says of one of its runs. No method has an effect."""

    @property
    @abstractmethod
    def subject(self) -> Subject:
        """What the document is about."""

    @property
    @abstractmethod
    def results(self) -> Sequence[ToolResult]:
        """All tool results of the run. Two different ones under one id are no evidence."""

    @abstractmethod
    def told(self, ledger: Ledger) -> Told:
        """What may be printed, of which every claim is derived again by the ledger."""

    @abstractmethod
    def carried(self, told: Told, results: Mapping[str, ToolResult]) -> Carried:
        """The tool results that it rests on, of those of the run by id."""

    @abstractmethod
    def sources(self, told: Told, evidence: Sequence[ToolResult]) -> tuple[DataSource, ...]:
        """Who was asked for what it carries."""

    @abstractmethod
    def document(self, told: Told, grounds: DocumentGrounds) -> Compiled:
        """The document without its seal."""


def compile_document(compiler: Compiler[Told, Compiled]) -> Compiled:
    """The sealed document of a run. It is always made, also of a run in which everything failed.

    Printed is what follows from its evidence, was not rejected, and stands after the conflicts.
    """
    results = compiler.results
    subject = compiler.subject
    told = compiler.told(
        Ledger(subject.specs, subject.window, subject.base_area, results, subject.due)
    )
    evidence = compiler.carried(told, first_of_each(results))
    grounds = DocumentGrounds(evidence, compiler.sources(told, evidence.results))
    return sealed(compiler.document(told, grounds))
