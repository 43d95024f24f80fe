"""Verifying what an answer prints beside its sections: nothing else than the answer is read."""

from collections.abc import Iterable, Iterator, Mapping

from desk.contracts.findings.claims import Claim
from desk.documents.audit.findings import AuditFinding
from desk.trust.prose import objections


def prose_findings(
    texts: Iterable[tuple[str, str]], claims: Mapping[str, Claim]
) -> Iterator[AuditFinding]:
    """Whether texts, each with its place, refer to claims that are there, and no figure was typed
    into them."""
    for where, prose in texts:
        for found in objections(prose, claims, place=where):
            yield AuditFinding(where, f"{found.written!r}: {found.reason}")
