"""Verifying what an answer prints beside its sections: nothing else than the answer is read."""

from collections.abc import Iterable, Iterator, Mapping

from contracts.claims import Claim
from domain.answer_prose import Known
from domain.audit_findings import AuditFinding
from domain.figure_gate import read_prose
from domain.prose import references


def prose_findings(
    texts: Iterable[tuple[str, str]], claims: Mapping[str, Claim]
) -> Iterator[AuditFinding]:
    """Whether texts, each with its place, refer to claims that are there, and no figure was typed
    into them."""
    known = Known(claims, {})
    for where, prose in texts:
        for name in references(prose):
            if not known.has(name):
                yield AuditFinding(where, f"it refers to {name}, which is not here")
        for figure in read_prose(prose, claims, place=where).rejected:
            yield AuditFinding(where, f"{figure.written!r} is no claim: {figure.reason}")
