"""Verifies a published answer from the answer alone. It queries no source and reads no other
file."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from desk.analytics.links import web_link
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import ToolResult, ToolStatus
from desk.contracts.findings.document import MarketStatement
from desk.contracts.question.answers import AnswerReport, AnswerStatement
from desk.contracts.question.graph import NodeState
from desk.contracts.question.knowledge import Quotation, YesOrNo
from desk.documents.answer.evidence import (
    Library,
    evidence_named,
    with_inputs,
)
from desk.documents.answer.nodes import SYNTHESISING, usage_of_nodes
from desk.documents.answer.parts import parts_of
from desk.documents.answer.verdicts import unfounded_verdicts
from desk.documents.audit import document
from desk.documents.audit.findings import AuditFinding
from desk.documents.evidence import is_carried, source_of_answer
from desk.documents.rendering.words.prose import Known, odds_of, render_answer
from desk.trust.prose import asked_in, references, split_sentences

PUBLICATION_FIELDS: Final = ("published_at", "updated_at")
"""The fields in which an answer states since when its content was known."""

CALLED: Final = "answer"

_PAGE: Final = re.compile(r"page (\d{1,5})(?:,|$)")


class AnswerCounts(NamedTuple):
    """The number of items to verify in an answer. A quotation that is printed twice counts
    twice."""

    quotations: int
    claims: int
    tool_results: int
    references: int
    conflicts: int = 0
    hypotheses: int = 0
    steps: int = 0
    insights: int = 0


def findings_in_answer(report: AnswerReport) -> tuple[AuditFinding, ...]:
    """Returns everything in an answer that does not follow from its evidence; empty if all of it
    does.

    The seal shows that something was changed; the other checks show what. Only the seal protects
    omissions, remarks, and the words between the references.
    """
    of_programs = {part.name: part.findings for part in parts_of(report)}
    return document.found_by({**CHECKS, **of_programs}, report, CALLED)


def counted_in_answer(report: AnswerReport) -> AnswerCounts:
    """Counts the quotations, claims, tool results and references that an audit checks."""
    return AnswerCounts(
        quotations=len(report.quotations),
        claims=len(report.claims),
        tool_results=len(report.evidence),
        references=sum(len(references(prose)) for prose in _proses(report)),
        conflicts=len(report.conflicts),
        hypotheses=len(report.swarm.hypotheses) if report.swarm else 0,
        steps=len(report.stock.steps) if report.stock else 0,
        insights=len(report.stock.board.insights) if report.stock else 0,
    )


def sentences_in_answer(answer: AnswerReport) -> int:
    """Counts the sentences that an answer prints. None of them can be recomputed."""
    return sum(len(split_sentences(prose)) for prose in _proses(answer))


def frame_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Checks that the answer has the nodes of its graph, and correct counts."""
    listed_nodes = [(line.node, index) for index, line in enumerate(answer.nodes)]
    if listed_nodes != [(node.name, index) for index, node in enumerate(answer.graph.nodes)]:
        yield AuditFinding("nodes", "they are not those of the graph, in its order")
    failed = any(line.state is NodeState.FAILED or line.lost for line in answer.nodes)
    if failed and answer.outcome is not Outcome.INCOMPLETE:
        yield AuditFinding(
            "outcome", f"a node failed, or a tool was asked in vain, and it says {answer.outcome}"
        )
    yield from _answered_findings(answer)
    if answer.as_of != answer.window.end:
        yield AuditFinding("as of", "it is not the end of the window")
    if answer.usage != usage_of_nodes(answer.nodes):
        yield AuditFinding("usage", "it is not the sum of what the nodes used")


def _answered_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Checks whether the document may state that it is an answer, or that it is none. Whether the
    text of a synthesis is an answer cannot be checked."""
    done = {line.node for line in answer.nodes if line.state is NodeState.DONE or line.rounds > 1}
    if answer.stock is None:
        done.intersection_update(n.name for n in answer.graph.nodes if n.task in SYNTHESISING)
    if answer.answered and not done:
        yield AuditFinding("answered", "nobody put one together, and it says that it is an answer")
    if answer.found and not answer.answered:
        yield AuditFinding("answered", "what was found fits, and it says that it is no answer")
    by_model = any(line.usage.asked for line in answer.nodes)
    if answer.decided in (YesOrNo.YES, YesOrNo.NO) and not answer.answered and not by_model:
        yield AuditFinding("answered", f"it decides {answer.decided}, and says that it is none")


def quotation_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Checks that every quotation is in its evidence, on its page, and printed."""
    library = Library(answer.evidence)
    printed = {name for _, prose, _ in _texts(answer) for name in references(prose)}
    counts = Counter(quotation.quotation_id for quotation in answer.quotations)
    for quotation in answer.quotations:
        where = f"quotation {quotation.quotation_id}"
        if counts[quotation.quotation_id] > 1:
            yield AuditFinding(where, "there are two of this id")
        if quotation.quotation_id not in printed:
            yield AuditFinding(where, "nothing refers to it")
        result = library.results.get(quotation.evidence_id)
        if result is None:
            yield AuditFinding(where, f"there is no tool result {quotation.evidence_id}")
        elif is_carried(result):
            yield from _of_quotation(where, quotation, result, library)


def _of_quotation(
    where: str, quotation: Quotation, result: ToolResult, library: Library
) -> Iterator[AuditFinding]:
    if not library.holds(quotation.text, result.evidence_id):
        yield AuditFinding(where, f"its words do not stand in {result.evidence_id}")
        return
    page = _PAGE.match(quotation.place or "")
    if page and not _is_on_page(quotation.text, int(page[1]), result):
        yield AuditFinding(where, f"its words do not stand on {quotation.place}")
    if web_link(quotation.url) and not _names(quotation.url or "", result, library):
        yield AuditFinding(where, f"{quotation.url} is not an address of its source")
    if not _names(quotation.source, result, library):
        yield AuditFinding(where, f"{quotation.source!r} is not what its source is called")


def known_from_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Checks that no content became known after the as-of instant, and that each result is used."""
    for result in answer.evidence:
        for name in PUBLICATION_FIELDS:
            at = _instant(result, name)
            if at is not None and at > answer.as_of:
                words = f"it is {name.replace('_', ' ')} {at}, which is later"
                yield AuditFinding(f"evidence {result.evidence_id}", words)
    named = evidence_named(answer.quotations, answer.claims, answer.verdicts)
    named = named.union(*(part.evidence(answer) for part in parts_of(answer)))
    for name in sorted({result.evidence_id for result in answer.evidence} - named):
        yield AuditFinding(f"evidence {name}", "nothing rests on it")


def claim_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Checks that every claim follows from its evidence and is used in what is printed."""
    yield from document.claim_findings(answer, _stated(answer), _place)
    known = {claim.claim_id: claim for claim in answer.claims}
    printed = [name for _, prose, _ in _texts(answer) for name in references(prose)]
    printed += (name for part in parts_of(answer) for name in part.named(answer))
    for name in known.keys() - {claim.claim_id for claim in with_inputs(printed, known)}:
        yield AuditFinding(f"claim {name}", "nothing refers to it")


def verdict_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Checks that no printed claim is rejected, and that every verdict is on a printed claim and
    follows from the evidence."""
    yield from document.verdict_findings(answer, _stated(answer), _place)
    yield from unfounded_verdicts(answer)
    printed = {claim.claim_id for claim in answer.claims}
    for verdict in answer.verdicts:
        if verdict.claim_id not in printed:
            yield AuditFinding(f"verdict on {verdict.claim_id}", "there is no such claim")


def prose_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Checks that every printed text is what its prose prints, without typed figures."""
    known = Known(
        {claim.claim_id: claim for claim in answer.claims},
        {quotation.quotation_id: quotation for quotation in answer.quotations},
        odds_of(answer.swarm.hypotheses if answer.swarm else ()),
        asked_in(answer.question),
    )
    for where, prose, printed in _texts(answer):
        yield from document.printed_findings(where, printed, partial(render_answer, prose, known))
        yield from document.typed_findings(
            where, prose, known.claims, known.others, rules=answer.rules
        )


def _stated(answer: AnswerReport) -> tuple[AnswerStatement, ...]:
    """Returns all claims of an answer, also those that name no market."""
    return (AnswerStatement("", answer.claims, answer.verdicts),)


def _place(_: MarketStatement) -> str:
    return ""


def _proses(answer: AnswerReport) -> Iterator[str]:
    yield from (prose for _, prose, _ in _texts(answer))
    for part in parts_of(answer):
        yield from (prose for _, prose in part.texts(answer))


CHECKS: Final[document.Checks[AnswerReport]] = {
    "seal": lambda answer: document.seal_findings(answer, answer.seal, CALLED),
    "frame": frame_findings,
    "evidence": lambda answer: document.evidence_findings(answer, with_refusals=False),
    "known from": known_from_findings,
    "source": lambda answer: document.source_findings(
        answer,
        source_of_answer,
        (result.evidence_id for result in answer.evidence),
        "no source is listed for it",
    ),
    "quotation": quotation_findings,
    "claim": claim_findings,
    "verdict": verdict_findings,
    "prose": prose_findings,
}
"""The checks of every answer. Those of its program's parts are added."""


def _texts(answer: AnswerReport) -> Iterator[tuple[str, str, str]]:
    """Yields every text of an answer: its place, its prose, and its printed form."""
    yield "summary", answer.summary_prose, answer.summary
    for number, section in enumerate(answer.sections, start=1):
        yield f"section {number}, title", section.title, section.title
        yield f"section {number}", section.prose, section.content


def _instant(result: ToolResult, name: str) -> datetime | None:
    content = result.content if result.status is ToolStatus.OK else None
    written = content.get(name) if isinstance(content, dict) else None
    try:
        instant = datetime.fromisoformat(str(written))
    except ValueError:
        return None
    return instant if instant.tzinfo else None


def _is_on_page(words: str, number: int, result: ToolResult) -> bool:
    """Returns whether words are on a page. True if the pages cannot be distinguished."""
    content = result.content
    pages = content.get("pages") if isinstance(content, dict) else None
    if not isinstance(pages, list):
        return True
    plain = " ".join(words.split())
    return any(
        isinstance(page, dict)
        and page.get("page_number") == number
        and plain in " ".join(str(page.get("text", "")).split())
        for page in pages
    )


def _names(name: str, result: ToolResult, library: Library) -> bool:
    """Returns whether an answer calls its source by a name, or was requested by that name."""
    asked = (str(value) for value in result.call.arguments.values())
    own = " ".join(name.split())
    return (
        library.holds(name, result.evidence_id)
        or own in (*asked, result.call.server, result.call.tool)
        or own == source_of_answer(result, None).name
    )
