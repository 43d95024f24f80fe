"""Verifying a published answer from itself: nothing is asked, and nothing else is read."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import chain
from typing import Final, NamedTuple

from desk.analytics.links import web_link
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import ToolResult, ToolStatus
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.graph import NodeState
from desk.contracts.question.knowledge import Quotation
from desk.documents.answer.evidence import (
    Library,
    evidence_named,
    is_carried,
    source_of_answer,
    with_inputs,
)
from desk.documents.answer.nodes import usage_of_nodes
from desk.documents.answer.prose import Known, render_answer
from desk.documents.audit.findings import AuditFinding, differing
from desk.documents.parts import parts_of
from desk.trust.ledger import EvidenceUnusable, Ledger, seal_of, verified_answer
from desk.trust.prose import UnknownReferenceError, objections, references, split_sentences

KNOWN_FROM: Final = ("published_at", "updated_at")
"""What an answer says of when its content came to be known."""

_PAGE: Final = re.compile(r"page (\d{1,5})")


Check = Callable[[AnswerReport], Iterator[AuditFinding]]


class AnswerCounts(NamedTuple):
    """What there is to verify in an answer. A quotation that is printed twice counts twice."""

    quotations: int
    claims: int
    tool_results: int
    references: int
    conflicts: int = 0
    hypotheses: int = 0
    steps: int = 0
    insights: int = 0


def audit_answer(report: AnswerReport) -> tuple[str, ...]:
    """Everything in an answer that does not follow from its evidence, in sentences; nothing when
    all of it does."""
    return tuple(f"{finding.where}: {finding.words}" for finding in findings_in_answer(report))


def findings_in_answer(report: AnswerReport) -> tuple[AuditFinding, ...]:
    """The same by place.

    The seal tells that something was changed, the rest tells what. What is missing, remarks and the
    words between the references are the agents' own: only the seal guards them.
    """
    checks = {check.__name__.removesuffix("_findings"): check for check in CHECKS}
    checks |= {part.name: part.findings for part in parts_of(report)}
    return tuple(
        chain.from_iterable(_found_by(name, check, report) for name, check in checks.items())
    )


def counted_in_answer(report: AnswerReport) -> AnswerCounts:
    """How many quotations, claims, tool results and references an audit looks at."""
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
    """How many sentences an answer prints. None of them is written anew."""
    return sum(len(split_sentences(prose)) for prose in _proses(answer))


def _found_by(name: str, check: Check, answer: AnswerReport) -> Iterator[AuditFinding]:
    """What a check finds. One that an answer's contradictions stop in its tracks has found them."""
    try:
        yield from check(answer)
    except (ValueError, LookupError, ArithmeticError) as error:
        yield AuditFinding(name, f"the answer contradicts itself: {error}")


def seal_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Whether the answer is as it was when it was sealed."""
    if answer.seal != seal_of(answer):
        yield AuditFinding("seal", "the answer is not the one that was sealed")


def frame_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Whether the answer tells of its graph's nodes, and counts itself right."""
    told = [(line.node, index) for index, line in enumerate(answer.nodes)]
    if told != [(node.name, index) for index, node in enumerate(answer.graph.nodes)]:
        yield AuditFinding("nodes", "they are not those of the graph, in its order")
    failed = any(line.state is NodeState.FAILED for line in answer.nodes)
    if failed and answer.outcome is not Outcome.INCOMPLETE:
        yield AuditFinding("outcome", f"a node failed, and it says {answer.outcome}")
    if answer.answered and not any(line.state is NodeState.DONE for line in answer.nodes):
        yield AuditFinding("answered", "no node is done, and it says that there is an answer")
    if answer.as_of != answer.window.end:
        yield AuditFinding("as of", "it is not the end of the window")
    if answer.usage != usage_of_nodes(answer.nodes):
        yield AuditFinding("usage", "it is not the sum of what the nodes used")


def evidence_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Whether every tool result is unchanged, of the as-of instant and an answer to its call."""
    counts = Counter(result.evidence_id for result in answer.evidence)
    for result in answer.evidence:
        where = f"evidence {result.evidence_id}"
        if counts[result.evidence_id] > 1:
            yield AuditFinding(where, "two tool results go by this id")
        if not is_carried(result):
            yield AuditFinding(where, "its content is not carried, and cannot be verified")
            continue
        yield from _of_content(where, result, answer)
    named = evidence_named(answer.quotations, answer.claims, answer.verdicts)
    drawn = (name for part in parts_of(answer) for name in part.evidence(answer))
    for name in sorted(counts.keys() - named.union(drawn)):
        yield AuditFinding(f"evidence {name}", "nothing rests on it")


def _of_content(where: str, result: ToolResult, answer: AnswerReport) -> Iterator[AuditFinding]:
    try:
        verified_answer(result, answer.window, answer.due)
    except EvidenceUnusable as unusable:
        yield AuditFinding(where, str(unusable))
    for name in KNOWN_FROM:
        known_from = _instant(result, name)
        if known_from is not None and known_from > answer.as_of:
            yield AuditFinding(
                where, f"it is {name.replace('_', ' ')} {known_from}, which is later"
            )


def source_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Whether every source is that of a tool result, attributed as the result says itself."""
    held = {result.evidence_id: result for result in answer.evidence}
    for number, source in enumerate(answer.sources, start=1):
        where = f"source {number}, {source.evidence_id}"
        result = held.get(source.evidence_id)
        if result is None:
            yield AuditFinding(where, "there is no tool result of that id")
        elif is_carried(result):
            yield from differing(where, source, source_of_answer(result, source))
    for name in sorted(held.keys() - {source.evidence_id for source in answer.sources}):
        yield AuditFinding(f"evidence {name}", "no source is listed for it")


def quotation_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Whether every quotation stands in its evidence, on its page, and is printed."""
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
    page = _PAGE.fullmatch(quotation.place or "")
    if page and not _stands_on(quotation.text, int(page[1]), result):
        yield AuditFinding(where, f"its words do not stand on {quotation.place}")
    if web_link(quotation.url) and not _names(quotation.url or "", result, library):
        yield AuditFinding(where, f"{quotation.url} is not an address of its source")
    if not _names(quotation.source, result, library):
        yield AuditFinding(where, f"{quotation.source!r} is not what its source is called")


def claim_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Whether every claim follows from its evidence and goes into what is printed."""
    ledger = Ledger(answer.specs, answer.window, answer.base_area, answer.evidence, answer.due)
    known = {claim.claim_id: claim for claim in answer.claims}
    printed = [name for _, prose, _ in _texts(answer) for name in references(prose)]
    printed += (name for part in parts_of(answer) for name in part.named(answer))
    wanted = {claim.claim_id for claim in with_inputs(printed, known)}
    counts = Counter(claim.claim_id for claim in answer.claims)
    for claim in answer.claims:
        where = f"claim {claim.claim_id}"
        if counts[claim.claim_id] > 1:
            yield AuditFinding(where, "it is stated more than once")
        if claim.claim_id not in wanted:
            yield AuditFinding(where, "nothing refers to it")
        objection = ledger.objection(claim, known)
        if objection is not None:
            yield AuditFinding(where, f"{objection.words} ({objection.check})")


def verdict_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Whether no claim that is printed is rejected, and every verified one has two origins."""
    known = {result.evidence_id for result in answer.evidence}
    printed = {claim.claim_id for claim in answer.claims}
    for verdict in answer.verdicts:
        where = f"verdict on {verdict.claim_id}"
        if verdict.claim_id not in printed:
            yield AuditFinding(where, "there is no such claim")
        if verdict.status is ClaimStatus.REJECTED:
            yield AuditFinding(where, "it is rejected, and printed all the same")
        if verdict.status is ClaimStatus.VERIFIED and len(set(verdict.origins)) < 2:
            yield AuditFinding(where, "it is verified, and fewer than two origins support it")
        for name in sorted({*verdict.evidence} - known):
            yield AuditFinding(where, f"it rests on {name}, which is no tool result here")


def prose_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Whether every printed text is what its prose gives, and no figure was typed into it."""
    known = Known(
        {claim.claim_id: claim for claim in answer.claims},
        {quotation.quotation_id: quotation for quotation in answer.quotations},
    )
    for where, prose, printed in _texts(answer):
        try:
            expected = render_answer(prose, known)
        except UnknownReferenceError as error:
            names = ", ".join(error.references)
            yield AuditFinding(where, f"it refers to {names}, which is not here")
            continue
        if printed != expected:
            shown = printed[:200]
            yield AuditFinding(where, f"it prints {shown!r}, and its prose gives another text")
        for found in objections(prose, known.claims, others=known.quotations, place=where):
            yield AuditFinding(where, f"{found.written!r}: {found.reason}")


def _proses(answer: AnswerReport) -> Iterator[str]:
    yield from (prose for _, prose, _ in _texts(answer))
    for part in parts_of(answer):
        yield from (prose for _, prose in part.texts(answer))


CHECKS: Final[tuple[Check, ...]] = (
    seal_findings,
    frame_findings,
    evidence_findings,
    source_findings,
    quotation_findings,
    claim_findings,
    verdict_findings,
    prose_findings,
)


def _texts(answer: AnswerReport) -> Iterator[tuple[str, str, str]]:
    """Every text of an answer: where it stands, its prose, and what is printed of it."""
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


def _stands_on(words: str, number: int, result: ToolResult) -> bool:
    """Whether words stand on a page; where the pages cannot be told apart, nothing speaks against
    it."""
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
    """Whether a source is called so by its answer or was asked for by that name."""
    asked = (str(value) for value in result.call.arguments.values())
    own = " ".join(name.split())
    return (
        library.holds(name, result.evidence_id)
        or own in (*asked, result.call.server, result.call.tool)
        or own == source_of_answer(result, None).name
    )
