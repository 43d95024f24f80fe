"""What a program adds to the answers that its runs end in.

A program brings a `Part` in a package of its own, which its declaration names. Documents import no
program: parts are loaded when the first answer is compiled, verified or rendered.
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
    """A run as it has been read: its record, the claims that stand, the synthesis that it made, and
    its tool results by id."""

    record: GraphRecord
    known: Known
    synthesis: Synthesis | None
    results: Mapping[str, ToolResult]


class PartRecord(NamedTuple):
    """What a part tells of a run, as far as it stands on claims that stand.

    `fields` are those of the answer that hold it. `named` are the claims that it names, `evidence`
    the tool results that it is drawn from besides. `instead` stands in the place of a synthesis
    that was not made, or that is `withdrawn`. It `needs_no_synthesis` where an answer is complete
    without one, and `is_cut_off` where the run ended before its end.
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
    """What a part adds to the page of an answer: templates, and what they call things by `names`.

    `head` stands above the answer and `body` below its sections, to which `links` lead, each by its
    anchor with its title.
    """

    names: Mapping[str, object]
    head: str | None = None
    body: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()


class Part:
    """What a program adds to an answer: nothing, but for what it says otherwise."""

    name: str = ""
    """What an audit calls it, and its field in a record and in an answer."""

    templates: str | None = None
    """The package whose folder `templates` has its part of a page."""

    method: tuple[str, ...] = ()
    """What goes with every answer of the program, so that it is read for what it is."""

    def is_in(self, told: GraphRecord | AnswerReport) -> bool:
        """Whether a run or an answer is of the program."""
        return getattr(told, self.name, None) is not None

    def method_of(self, answer: AnswerReport) -> tuple[str, ...]:
        """What goes with this answer: as with every one, unless it says otherwise."""
        return self.method

    def told(self, run: RunMaterial) -> PartRecord:
        """What the part prints about a run."""
        return PartRecord({})

    def named(self, answer: AnswerReport) -> tuple[str, ...]:
        """The claims that it names."""
        return ()

    def evidence(self, answer: AnswerReport) -> tuple[str, ...]:
        """The tool results that it is drawn from, besides those that claims rest on."""
        return ()

    def texts(self, answer: AnswerReport) -> Iterator[tuple[str, str]]:
        """The prose that it prints, each text with its place."""
        yield from ()

    def findings(self, answer: AnswerReport) -> Iterator[AuditFinding]:
        """What in it does not follow from the rest of the answer."""
        yield from ()

    def facts(self, answer: AnswerReport) -> tuple[str, ...] | None:
        """What stands below a page's headline; None for what stands below any answer's."""
        return None

    def other_missing(self, answer: AnswerReport) -> tuple[str, ...]:
        """What is missing besides what it tells itself."""
        return answer.missing

    nothing_missing: str = "that was looked for"
    """What is said to be missing where nothing is: nothing that …"""

    def headline(self, answer: AnswerReport) -> str | None:
        """Markdown above the answer."""
        return None

    def answered(self, answer: AnswerReport) -> Iterator[Titled]:
        """Markdown below the answer's sections, which a terminal shows too."""
        yield from ()

    def worked(self, answer: AnswerReport) -> Iterator[Titled]:
        """Markdown of how it was found."""
        yield from ()

    def page(self, answer: AnswerReport) -> PartOfPage:
        """Its part of a page."""
        return PartOfPage({})


@cache
def all_parts() -> tuple[Part, ...]:
    """The parts of all programs, in the order of the programs."""
    return tuple(resolve_name(program.document) for program in PROGRAMS if program.document)


def parts_of(told: GraphRecord | AnswerReport) -> tuple[Part, ...]:
    """The parts of the programs that a run or an answer is of; none of a plain question."""
    return tuple(part for part in all_parts() if part.is_in(told))
