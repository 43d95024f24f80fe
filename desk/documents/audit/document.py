"""Verifies the parts that every document has: its seal, evidence, sources, claims and verdicts."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Final, TypeVar

from desk.contracts.agents.tools import DataSource, ToolResult, ToolStatus
from desk.contracts.base import Contract
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.document import Document, MarketStatement
from desk.contracts.findings.verdicts import ClaimStatus
from desk.documents.audit.findings import AuditFinding, differing
from desk.documents.evidence import is_carried
from desk.trust.ledger import EvidenceUnusable, Ledger, verified_answer
from desk.trust.prose import UnknownReferenceError, rejected_figures
from desk.trust.seals import seal_of

Audited = TypeVar("Audited", bound=Contract)
Checks = Mapping[str, Callable[[Audited], Iterator[AuditFinding]]]
"""The checks of a document, by the name of what is checked."""

NOT_CARRIED: Final = "its content is not carried, and cannot be verified"


def found_by(checks: Checks[Audited], document: Audited, called: str) -> tuple[AuditFinding, ...]:
    """Returns the findings of some checks in a document, which is `called` a report or an
    answer."""
    every = (_found_by(name, check, document, called) for name, check in checks.items())
    return tuple(chain.from_iterable(every))


def _found_by(
    name: str,
    check: Callable[[Audited], Iterator[AuditFinding]],
    document: Audited,
    called: str,
) -> Iterator[AuditFinding]:
    """Yields the findings of a check. If a contradiction stops the check, that is the finding."""
    try:
        yield from check(document)
    except (ValueError, LookupError, ArithmeticError) as error:
        yield AuditFinding(name, f"the {called} contradicts itself: {error}")


def seal_findings(document: Contract, seal: str, called: str) -> Iterator[AuditFinding]:
    """Checks that a document has not changed since it was sealed."""
    if seal != seal_of(document):
        yield AuditFinding("seal", f"the {called} is not the one that was sealed")


def evidence_findings(document: Document, *, with_refusals: bool) -> Iterator[AuditFinding]:
    """Checks that every tool result is unchanged, of the as-of instant, and an answer to its call.

    In a document `with_refusals`, refused calls without content are allowed.
    """
    counts = Counter(result.evidence_id for result in document.evidence)
    for result in document.evidence:
        where = f"evidence {result.evidence_id}"
        if counts[result.evidence_id] > 1:
            yield AuditFinding(where, "two tool results go by this id")
        if with_refusals and result.status is not ToolStatus.OK:
            if result.content is not None or result.content_hash is not None:
                yield AuditFinding(where, f"a call that was {result.status} has no content")
            continue
        if not is_carried(result):
            yield AuditFinding(where, NOT_CARRIED)
            continue
        try:
            verified_answer(result, document.window, document.due)
        except EvidenceUnusable as unusable:
            yield AuditFinding(where, str(unusable))


def source_findings(
    document: Document,
    source_of: Callable[[ToolResult, DataSource], DataSource],
    used: Iterable[str],
    without: str,
) -> Iterator[AuditFinding]:
    """Checks that every source is that of a tool result, called and attributed as the result says,
    and that each source that is `used` is listed. `without` is the finding for a result without a
    source."""
    held = {result.evidence_id: result for result in document.evidence}
    for number, source in enumerate(document.sources, start=1):
        where = f"source {number}, {source.evidence_id}"
        result = held.get(source.evidence_id)
        if result is None:
            yield AuditFinding(where, "there is no tool result of that id")
        elif is_carried(result):
            yield from differing(where, source, source_of(result, source))
    named = {source.evidence_id for source in document.sources}
    for name in sorted(set(used) - named):
        yield AuditFinding(f"evidence {name}", without)


def claim_findings(
    document: Document,
    statements: Iterable[MarketStatement],
    place: Callable[[MarketStatement], str],
) -> Iterator[AuditFinding]:
    """Checks that every claim follows from its evidence, and occurs once in its place."""
    ledger = Ledger(
        document.specs, document.window, document.base_area, document.evidence, document.due
    )
    for statement in statements:
        known = {claim.claim_id: claim for claim in statement.claims}
        counts = Counter(claim.claim_id for claim in statement.claims)
        for claim in statement.claims:
            where = f"{place(statement)}claim {claim.claim_id}"
            if counts[claim.claim_id] > 1:
                yield AuditFinding(where, "it is stated more than once")
            failed = ledger.failed_check(claim, known)
            if failed is not None:
                yield AuditFinding(where, f"{failed.words} ({failed.check})")


def verdict_findings(
    document: Document,
    statements: Iterable[MarketStatement],
    place: Callable[[MarketStatement], str],
) -> Iterator[AuditFinding]:
    """Checks that no printed claim is rejected, every verified one has two origins, and every
    verdict rests on evidence in the document."""
    held = {result.evidence_id for result in document.evidence}
    for statement in statements:
        printed = {claim.claim_id for claim in statement.claims}
        for verdict in statement.verdicts:
            where = f"{place(statement)}verdict on {verdict.claim_id}"
            if verdict.status is ClaimStatus.REJECTED and verdict.claim_id in printed:
                yield AuditFinding(where, "it is rejected, and printed all the same")
            if verdict.status is ClaimStatus.VERIFIED and len(set(verdict.origins)) < 2:
                yield AuditFinding(where, "it is verified, and fewer than two origins support it")
            absent = [name for name in verdict.evidence if name not in held]
            if absent:
                words = f"it rests on {', '.join(absent)}, which is no tool result here"
                yield AuditFinding(where, words)


def printed_findings(where: str, printed: str, give: Callable[[], str]) -> Iterator[AuditFinding]:
    """Checks that a text is what its prose prints."""
    try:
        expected = give()
    except UnknownReferenceError as error:
        names = ", ".join(error.references)
        yield AuditFinding(where, f"it refers to {names}, which is not here")
        return
    if printed != expected:
        yield AuditFinding(where, f"it prints {printed[:200]!r}, and its prose gives another text")


def typed_findings(
    where: str,
    prose: str,
    claims: Mapping[str, Claim],
    others: Collection[str] = (),
    *,
    rules: int,
) -> Iterator[AuditFinding]:
    """Checks that prose only refers to known claims, each where the text is about the same, without
    typed figures. `rules` is the edition of the rules that the document was written by."""
    for found in rejected_figures(prose, claims, others=others, place=where, rules=rules):
        yield AuditFinding(where, f"{found.written!r}: {found.reason}")
