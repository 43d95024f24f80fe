"""What stands in an answer's place where nobody has made a synthesis: what was found, by kind."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from desk.contracts.episode.stock import StockAction
from desk.contracts.findings.results import ResearchResult
from desk.contracts.names import AgentId
from desk.contracts.question.graph import GraphRecord, NodeOutcome
from desk.contracts.question.knowledge import (
    DocumentsRead,
    PdfsRead,
    Quotation,
    Section,
    Synthesis,
    TicketsFound,
    WebSearched,
)
from desk.documents.answer.evidence import Library
from desk.trust.prose.prose import reference

SUMMARY: Final = (
    "No synthesis was made, so the question is not answered. What was found stands below as its"
    " sources have it; what failed stands under what is missing."
)
NOTHING: Final = (
    "No synthesis was made and nothing was found, so the question is not answered. What failed"
    " stands under what is missing."
)
UNASKED: Final = (
    "No recommendation was asked for. What the steps wrote onto the blackboard stands below, with"
    " what could not be had."
)
UNMADE: Final = (
    "No recommendation was made. What the steps wrote onto the blackboard stands below; why there"
    " is none stands with the steps and under what is missing."
)
WITHDRAWN: Final = (
    "A recommendation was made, and is withdrawn, because it does not follow from figures that"
    " stand. What stands on the blackboard is below; the reason is under what is missing."
)
TITLE: Final = "What was found"
STEPS: Final = "steps"
"""The parameter that names the steps that an episode was given."""

MOST_NAMED: Final = 99
MOST_CLAIMS: Final = 200


def found_instead(record: GraphRecord, library: Library) -> Synthesis:
    """What was found by the nodes of a graph that has no synthesis, as one.

    Everything found is named in its source's own words, and every claim by its reference; what a
    specialist of a swarm found stands there as it says it. An episode's blackboard tells what was
    found, and one that was not asked for a recommendation lacks none.
    """
    if record.stock is not None:
        return _of_episode(record)
    quotations: list[Quotation] = []
    lines: dict[str, list[str]] = {}
    for node in record.nodes:
        for kind, told in _found(node):
            if isinstance(told, str):
                lines.setdefault(kind, []).append(told)
                continue
            placed = library.placed(told)
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


def asked_for(record: GraphRecord) -> bool:
    """Whether the steps that an episode was given have a recommendation among them; where it was
    given none, its controller was to come to one."""
    given = record.request.query.parameters.get(STEPS)
    if given is None or not given.strip():
        return True
    names = {name.strip() for name in given.split(",")}
    return StockAction.GENERATE_RECOMMENDATION in names


def withdrawn_instead(record: GraphRecord) -> Synthesis:
    """What stands in the place of a recommendation that does not follow from what stands."""
    return Synthesis(
        task_id=record.workflow_id,
        agent=AgentId.RECOMMENDATION_AGENT,
        summary=WITHDRAWN,
        answered=False,
    )


def _of_episode(record: GraphRecord) -> Synthesis:
    acted = (node.entry for node in record.nodes if node.entry.node in StockAction.__members__)
    done = any(entry.result is not None for entry in acted)
    cut_off = record.stock is not None and record.stock.cut_off is not None
    wanted = asked_for(record) or cut_off
    return Synthesis(
        task_id=record.workflow_id,
        agent=AgentId.RECOMMENDATION_AGENT,
        summary=UNMADE if wanted else UNASKED,
        answered=done and not wanted,
    )


def _joined(told: Sequence[str]) -> str:
    """Names and figures with commas between them, sentences without."""
    between = " " if told[0].endswith(".") else ", "
    return between.join(told[:MOST_CLAIMS])


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
