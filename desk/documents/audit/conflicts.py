"""Verifies the conflicts and the prose of a program's part of an answer."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ConflictRecord, DecidedBy
from desk.documents.audit.document import typed_findings
from desk.documents.audit.findings import AuditFinding
from desk.trust.conflicts import (
    decide,
    default_position,
    publishers_position,
    resolution_in_old_wording,
    spread_of,
    state,
    state_on,
)

RULES: Final = (DecidedBy.VOTE, DecidedBy.PUBLISHER)


def conflict_findings(
    conflicts: Sequence[ConflictRecord], claims: Mapping[str, Claim]
) -> Iterator[AuditFinding]:
    """Checks that conflicts are decided as stated, and that the chosen figures are printed.

    The weights of positions and a person's choice are accepted.
    """
    names = Counter(conflict.conflict_id for conflict in conflicts)
    for conflict in conflicts:
        where = f"conflict {conflict.conflict_id}"
        if names[conflict.conflict_id] > 1:
            yield AuditFinding(where, "there are two of this id")
        for words in _faults(conflict, claims):
            yield AuditFinding(where, words)


def _faults(conflict: ConflictRecord, claims: Mapping[str, Claim]) -> Iterator[str]:
    held = [position.stated for position in conflict.positions if not position.abstains]
    if conflict.chosen is not None and conflict.chosen not in held:
        yield f"{conflict.chosen} was chosen, which is none of its positions"
        return
    if conflict.spread != spread_of(conflict.positions):
        yield "its spread is not that of the confidences"
    if conflict.resolved is (conflict.decided_by is None) or (
        conflict.chosen is not None and not conflict.resolved
    ):
        yield "it does not say whether it was decided"
    elif conflict.decided_by is not None:
        yield from _decided_otherwise(conflict, conflict.decided_by)
    for name in {position.claim_id for position in conflict.positions} & claims.keys():
        if name is not None and not _is_chosen(claims[name], conflict):
            yield f"{name} is printed, and is not what was chosen"


def _decided_otherwise(conflict: ConflictRecord, by: DecidedBy) -> Iterator[str]:
    """Yields if the vote has another result, or the stated outcome does not follow from it."""
    if (by is DecidedBy.PUBLISHER) is (publishers_position(conflict) is None) and by in RULES:
        yield "whether its figure's own publisher has spoken is told otherwise by its positions"
    heaviest = default_position(conflict)
    voted = None if heaviest is None else conflict.positions[heaviest].stated
    if by is not DecidedBy.PERSON and conflict.chosen != voted:
        yield f"{conflict.chosen or 'nothing'} was chosen, and the greatest weight is {voted}'s"
    places: list[int | None] = [
        place
        for place, position in enumerate(conflict.positions)
        if position.stated == conflict.chosen and not position.abstains
    ]
    decided = [
        decide(conflict, place, by, conflict.decided_by_whom) for place in (places or [None])
    ]
    wordings = {
        words for each in decided for words in (each.resolution, resolution_in_old_wording(each))
    }
    if conflict.resolution not in wordings:
        yield "how it was settled does not follow from its positions"


def _is_chosen(claim: Claim, conflict: ConflictRecord) -> bool:
    stated = (state(claim.value, claim.unit), state_on(claim))
    return conflict.chosen in stated and any(
        position.claim_id == claim.claim_id and position.stated == conflict.chosen
        for position in conflict.positions
    )


def prose_findings(
    texts: Iterable[tuple[str, str]], claims: Mapping[str, Claim], rules: int
) -> Iterator[AuditFinding]:
    """Checks that texts, each with its place, only refer to known claims, without typed figures, by
    an edition of the rules."""
    for where, prose in texts:
        yield from typed_findings(where, prose, claims, rules=rules)
