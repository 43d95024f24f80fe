"""The parts that programs add to the answers of their runs.

A program declares a `Part` in a package of its own. Documents import no program: parts are loaded
when the first answer is compiled, verified or rendered.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pkgutil import resolve_name
from typing import NamedTuple

from desk.agents.registry import PROGRAMS
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.verdicts import DroppedSentence
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.graph import GraphRecord
from desk.documents.audit.findings import AuditFinding
from desk.documents.rendering.markdown import Titled
from desk.documents.rendering.words.prose import Known


class RunMaterial(NamedTuple):
    """The input for compiling a run: its record, the surviving claims, its synthesis, and its tool
    results by id."""

    record: GraphRecord
    known: Known
    synthesis: Synthesis | None
    results: Mapping[str, ToolResult]


class PartRecord(NamedTuple):
    """The addition of a part to the answer of a run, limited to what rests on surviving claims.

    `fields` are fields of the answer. `named` are the claims that they name, `evidence` further
    tool results that they are drawn from. `instead` replaces a synthesis that was not made, or that
    is `withdrawn`. `needs_no_synthesis` means that the answer is complete without one, `is_cut_off`
    that the run did not finish.
    """

    fields: Mapping[str, object]
    missing: tuple[str, ...] = ()
    dropped: tuple[DroppedSentence, ...] = ()
    named: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    instead: Synthesis | None = None
    withdrawn: bool = False
    needs_no_synthesis: bool = False
    is_cut_off: bool = False


class PartOfPage(NamedTuple):
    """The addition of a part to an answer's page: templates, and the `names` that they use.

    `head` is above the answer, `body` below its sections. `links` are the anchors and titles of the
    body.
    """

    names: Mapping[str, object]
    head: str | None = None
    body: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()


class Part:
    """The addition of a program to an answer. By default it adds nothing."""

    name: str = ""
    """The part's name in an audit, and its field in a record and in an answer."""

    templates: str | None = None
    """The package whose folder `templates` has the templates of its page."""

    method: tuple[str, ...] = ()
    """Explanations for the reader of every answer of the program, a line each."""

    def is_in(self, document: GraphRecord | AnswerReport) -> bool:
        """Returns whether a run or an answer belongs to the program."""
        return getattr(document, self.name, None) is not None

    def method_of(self, answer: AnswerReport) -> tuple[str, ...]:
        """Returns explanations for the reader of this answer; by default those of the program."""
        return self.method

    def addition(self, run: RunMaterial) -> PartRecord:
        """Returns the part's addition to the answer of a run."""
        return PartRecord({})

    def named(self, answer: AnswerReport) -> tuple[str, ...]:
        """Returns the claims that it names."""
        return ()

    def evidence(self, answer: AnswerReport) -> tuple[str, ...]:
        """Returns the tool results that it is drawn from, besides those that claims rest on."""
        return ()

    def texts(self, answer: AnswerReport) -> Iterator[tuple[str, str]]:
        """Yields the prose that it prints, each text with its place."""
        yield from ()

    def findings(self, answer: AnswerReport) -> Iterator[AuditFinding]:
        """Yields what in it does not follow from the rest of the answer."""
        yield from ()

    def facts(self, answer: AnswerReport) -> tuple[str, ...] | None:
        """Returns the facts below a page's headline; None for the usual ones."""
        return None

    def other_missing(self, answer: AnswerReport) -> tuple[str, ...]:
        """Returns what is missing besides what the part prints itself."""
        return answer.missing

    nothing_missing: str = "that was looked for"
    """The end of the sentence that nothing is missing: nothing that …"""

    def headline(self, answer: AnswerReport) -> str | None:
        """Returns Markdown above the answer."""
        return None

    def answered(self, answer: AnswerReport) -> Iterator[Titled]:
        """Yields sections of Markdown below the answer's own, also shown in a terminal."""
        yield from ()

    def worked(self, answer: AnswerReport) -> Iterator[Titled]:
        """Yields sections of Markdown on how the answer was found."""
        yield from ()

    def page(self, answer: AnswerReport) -> PartOfPage:
        """Returns its part of a page."""
        return PartOfPage({})


@cache
def all_parts() -> tuple[Part, ...]:
    """Returns the parts of all programs, in the order of the programs."""
    return tuple(resolve_name(program.document) for program in PROGRAMS if program.document)


def parts_of(document: GraphRecord | AnswerReport) -> tuple[Part, ...]:
    """Returns the parts of the programs that a run or an answer belongs to; none for a plain
    question."""
    return tuple(part for part in all_parts() if part.is_in(document))
