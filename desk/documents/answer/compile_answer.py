"""Compiles the published answer from the results of a graph's nodes, also if there is no
synthesis."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, NamedTuple

from desk.contracts.agents.tools import DataSource, ToolResult
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ResearchResult
from desk.contracts.findings.verdicts import ClaimVerdict, DroppedSentence
from desk.contracts.names import AgentId
from desk.contracts.question.answers import AnswerReport, AnswerSection
from desk.contracts.question.knowledge import (
    DocumentsRead,
    PdfsRead,
    Quotation,
    Section,
    Synthesis,
    TicketsFound,
    WebSearched,
)
from desk.contracts.runs.graph import GraphRecord, NodeOutcome
from desk.contracts.swarm.record import SwarmRecord
from desk.documents.answer.evidence import (
    AnswerClaims,
    Library,
    claims_of_run,
    evidence_named,
    listed_in,
    with_inputs,
)
from desk.documents.answer.nodes import (
    missing_in,
    node_reports,
    outcome_of,
    synthesis_of,
    usage_of_nodes,
)
from desk.documents.answer.parts import PartRecord, RunMaterial, parts_of
from desk.documents.compiling import Compiler, DocumentGrounds, Subject, compile_document
from desk.documents.evidence import Carried, carried, source_of_answer
from desk.documents.rendering.words.prose import (
    Known,
    odds_of,
    printable_prose,
    render_answer,
    render_plain,
)
from desk.trust.ledger import Ledger
from desk.trust.prose import NOTHING_LEFT, RULES, asked_in, reference, references

SUMMARY: Final = (
    "No synthesis was made, so the question is not answered. What was found stands below as its"
    " sources have it; what failed stands under what is missing."
)
NOTHING: Final = (
    "No synthesis was made and nothing was found, so the question is not answered. What failed"
    " stands under what is missing."
)
TITLE: Final = "What was found"

MOST_NAMED: Final = 99
MOST_CLAIMS: Final = 200


def synthesis_by_rule(record: GraphRecord, library: Library) -> Synthesis:
    """Returns a synthesis by rule of what was found, for a graph without one.

    It names everything that was found in the source's own words, and every claim by its reference.
    Findings of a swarm's specialists are quoted unchanged.
    """
    quotations: list[Quotation] = []
    lines: dict[str, list[str]] = {}
    for node in record.nodes:
        for kind, item in _found(node):
            if isinstance(item, str):
                lines.setdefault(kind, []).append(item)
                continue
            placed = library.placed(item)
            if placed is not None and len(quotations) < MOST_NAMED:
                named = placed.model_copy(update={"quotation_id": f"f{len(quotations) + 1}"})
                quotations.append(named)
                lines.setdefault(kind, []).append(f"[[{named.quotation_id}]]")
    listed = "\n".join(f"- {kind}: {_joined(names)}" for kind, names in lines.items())
    return Synthesis(
        task_id=record.workflow_id,
        agent=AgentId.SYNTHESIS_AGENT,
        summary=SUMMARY if lines else NOTHING,
        sections=(Section(title=TITLE, content=listed[:20_000]),) if lines else (),
        quotations=tuple(quotations),
        answered=False,
    )


def _joined(lines: Sequence[str]) -> str:
    """Joins names and figures with commas, sentences without."""
    between = " " if lines[0].endswith(".") else ", "
    return between.join(lines[:MOST_CLAIMS])


def _found(node: NodeOutcome) -> Iterator[tuple[str, Quotation | str]]:
    match node.entry.result:
        case TicketsFound() as result:
            yield from _named("Tickets", [each.id for each in result.tickets], result.evidence)
        case DocumentsRead() as result:
            names = [each.doc_id for each in result.documents]
            yield from _named("Documents", names, result.evidence)
        case PdfsRead() as result:
            yield from _named("PDF files", [each.url for each in result.pdfs], result.evidence)
        case WebSearched() as result:
            names = [each.title for each in result.results]
            yield from _named("Search results", names, result.evidence)
        case ResearchResult(findings=(_, *_)) as result:
            for finding in result.findings:
                yield f"{result.market}, {finding.topic}", finding.statement
        case ResearchResult() as result:
            for claim in result.claims:
                what = f"{claim.subject} {claim.metric.replace('_', ' ')}"
                yield f"Figures of {result.market}", f"{what} {reference(claim)}"
        case _:
            return


def _named(
    kind: str, names: Iterable[str], evidence: Iterable[str]
) -> Iterator[tuple[str, Quotation | str]]:
    for name, evidence_id in zip(names, evidence, strict=False):
        if name.strip():
            source = name[:500]
            yield (
                kind,
                Quotation(
                    quotation_id="f", text=name[:1_000], source=source, evidence_id=evidence_id
                ),
            )


MOST_DROPPED = 200
"""The maximum length of `AnswerReport.dropped`."""

UNTITLED = "Findings"


class _WrittenProse(NamedTuple):
    """The printable prose of an answer."""

    summary: str
    sections: tuple[AnswerSection, ...]
    dropped: tuple[DroppedSentence, ...]

    @property
    def texts(self) -> Iterator[str]:
        yield self.summary
        for section in self.sections:
            yield from (section.title, section.prose)

    @property
    def named(self) -> tuple[str, ...]:
        """All references, in the order of the answer, each once."""
        return tuple(dict.fromkeys(name for text in self.texts for name in references(text)))


class _PrintableAnswer(NamedTuple):
    """The printable part of an answer. `synthesis` is one by rule if none was made."""

    surviving: AnswerClaims
    synthesised: bool
    synthesis: Synthesis
    quotations: Mapping[str, Quotation]
    strange: tuple[str, ...]
    odds: Mapping[str, str]
    asked: Mapping[str, str]
    written: _WrittenProse
    parts: tuple[PartRecord, ...]

    @property
    def known(self) -> Known:
        """What its prose may refer to."""
        return Known(self.surviving.claims, self.quotations, self.odds, self.asked)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims named anywhere in it, with all of their inputs."""
        return with_inputs(self.named, self.surviving.claims)

    @property
    def verdicts(self) -> tuple[ClaimVerdict, ...]:
        """The verdicts on its claims."""
        return self.surviving.verdicts_on(self.claims)

    @property
    def quoted(self) -> tuple[Quotation, ...]:
        """Its quotations, in the order in which they are first printed."""
        used = (self.quotations.get(name) for name in self.written.named)
        return tuple(quotation for quotation in used if quotation is not None)

    @property
    def lost(self) -> tuple[str, ...]:
        """What was left out, with the reasons."""
        of_parts = (line for part in self.parts for line in part.missing)
        others = (self.surviving.others.get(claim.claim_id, ()) for claim in self.claims)
        unprinted = (line for lines in others for line in lines)
        return (*self.strange, *of_parts, *self.surviving.fallen, *unprinted)

    @property
    def dropped(self) -> tuple[DroppedSentence, ...]:
        """The dropped sentences, up to the limit of an answer."""
        of_parts = (line for part in self.parts for line in part.dropped)
        return (*self.synthesis.dropped, *self.written.dropped, *of_parts)[:MOST_DROPPED]

    @property
    def named(self) -> tuple[str, ...]:
        """The ids of the claims named anywhere in it."""
        return (*self.written.named, *(name for part in self.parts for name in part.named))


def compile_answer(record: GraphRecord, *, finished_at: datetime) -> AnswerReport:
    """Returns the sealed answer of a run.

    It prints quotations that are in their evidence and claims that follow from theirs. A sentence
    that needs anything else is left out, listed in `dropped`, and explained in `missing`. Without a
    synthesis the answer lists what was found, by kind, and is incomplete. The part of a program may
    add to it, make it complete without a synthesis, or make it incomplete because the run was cut
    off.

    Pure: identical records give an identical answer, except for `finished_at`.
    """
    return compile_document(_AnswerCompiler(record, finished_at))


@dataclass(frozen=True)
class _AnswerCompiler(Compiler[_PrintableAnswer, AnswerReport]):
    record: GraphRecord
    finished_at: datetime

    @property
    def subject(self) -> Subject:
        record = self.record
        return Subject(record.specs, record.window, record.request.policy.base_area, record.due)

    @cached_property
    def results(self) -> tuple[ToolResult, ...]:
        return tuple(result for node in self.record.nodes for result in node.evidence)

    def printable(self, ledger: Ledger) -> _PrintableAnswer:
        record, library = self.record, Library(self.results)
        surviving = claims_of_run(record, ledger)
        made = synthesis_of(record)
        run = RunMaterial(record, Known(surviving.claims, {}), made, library.results)
        parts = tuple(part.addition(run) for part in parts_of(record))
        if any(part.withdrawn for part in parts):
            made = None
        instead = (part.instead for part in parts if part.instead is not None)
        synthesis = made or next(instead, None) or synthesis_by_rule(record, library)
        quotations, strange = _placed(synthesis, library)
        odds, asked = _odds(parts), asked_in(record.request.query.question)
        return _PrintableAnswer(
            surviving=surviving,
            synthesised=made is not None,
            synthesis=synthesis,
            quotations=quotations,
            strange=strange,
            odds=odds,
            asked=asked,
            written=_written(synthesis, Known(surviving.claims, quotations, odds, asked)),
            parts=parts,
        )

    def carried(self, printable: _PrintableAnswer, results: Mapping[str, ToolResult]) -> Carried:
        named = evidence_named(printable.quoted, printable.claims, printable.verdicts)
        return carried(results, named.union(*(part.evidence for part in printable.parts)))

    def sources(
        self, printable: _PrintableAnswer, evidence: Sequence[ToolResult]
    ) -> tuple[DataSource, ...]:
        listed = listed_in(self.record)
        return tuple(source_of_answer(each, listed.get(each.evidence_id)) for each in evidence)

    def document(self, printable: _PrintableAnswer, grounds: DocumentGrounds) -> AnswerReport:
        record, parts = self.record, printable.parts
        nodes = node_reports(record)
        lost = (*printable.lost, *map(_too_large, grounds.evidence.too_large))
        return AnswerReport(
            **_of_run(record),
            rules=RULES,
            fact_check=printable.synthesis.fact_check,
            sections=printable.written.sections,
            summary=render_answer(printable.written.summary, printable.known),
            summary_prose=printable.written.summary,
            answered=printable.synthesis.answered,
            decided=printable.synthesis.decided,
            found=printable.synthesis.found,
            outcome=outcome_of(
                nodes,
                synthesised=printable.synthesised or any(part.needs_no_synthesis for part in parts),
                cut_off=any(part.is_cut_off for part in parts),
            ),
            finished_at=self.finished_at,
            nodes=nodes,
            quotations=printable.quoted,
            claims=printable.claims,
            sources=grounds.sources,
            evidence=grounds.evidence.results,
            missing=missing_in(record, _missing(printable.synthesis, printable.known), lost),
            dropped=printable.dropped,
            usage=usage_of_nodes(nodes),
            verdicts=printable.verdicts,
            **{name: value for part in parts for name, value in part.fields.items()},
        )


def _odds(parts: Iterable[PartRecord]) -> Mapping[str, str]:
    """Returns the probabilities of the hypotheses that an answer prints."""
    candidates = (part.fields.get("swarm") for part in parts)
    swarms = [swarm for swarm in candidates if isinstance(swarm, SwarmRecord)]
    return odds_of(each for swarm in swarms for each in swarm.hypotheses)


def _of_run(record: GraphRecord) -> dict[str, Any]:
    """Returns the fields that an answer copies from its run."""
    request = record.request
    return {
        "question": request.query.question,
        "parameters": request.query.parameters,
        "as_of": record.window.end,
        "started_at": record.started_at,
        "graph": request.graph,
        "workflow_id": record.workflow_id,
        "run_id": record.run_id,
        "window": record.window,
        "market": request.market,
        "base_area": request.policy.base_area,
    }


def _placed(
    synthesis: Synthesis, library: Library
) -> tuple[Mapping[str, Quotation], tuple[str, ...]]:
    """Returns the quotations that are in their evidence, by id, and why others were left out."""
    found: dict[str, Quotation] = {}
    strange: list[str] = []
    texts = (synthesis.summary, *(section.content for section in synthesis.sections))
    used = {name for text in (*texts, *synthesis.missing) for name in references(text)}
    for quotation in synthesis.quotations:
        if quotation.quotation_id not in used:
            continue
        placed = library.placed(quotation)
        if placed is None:
            strange.append(
                f"a quotation of {quotation.source} is left out: its words do not stand in what"
                f" the tool answered ({quotation.evidence_id})"
            )
        else:
            found.setdefault(quotation.quotation_id, placed)
    return found, tuple(strange)


def _written(synthesis: Synthesis, known: Known) -> _WrittenProse:
    summary = printable_prose(synthesis.summary, known, "summary")
    dropped = [*summary.dropped]
    sections: list[AnswerSection] = []
    for number, section in enumerate(synthesis.sections, start=1):
        title = printable_prose(section.title, Known({}, {}), f"section {number}, title")
        content = printable_prose(section.content, known, f"section {number}")
        dropped += (*title.dropped, *content.dropped)
        if content.prose:
            printed = render_answer(content.prose, known)
            named = title.prose or UNTITLED
            sections.append(AnswerSection(title=named, content=printed, prose=content.prose))
    return _WrittenProse(summary.prose or NOTHING_LEFT, tuple(sections), tuple(dropped))


def _missing(synthesis: Synthesis, known: Known) -> tuple[str, ...]:
    kept = (printable_prose(line, known, "missing").prose for line in synthesis.missing)
    return tuple(render_plain(prose, known) for prose in kept)


def _too_large(evidence_id: str) -> str:
    return (
        f"the answer of {evidence_id} is too large to be carried here, so that what is quoted of"
        " it can be verified only at its source"
    )
