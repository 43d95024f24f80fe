"""Determines which of the delivered claims survive the conflicts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import EllipsisType

from desk.analytics.units import UNITS
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ConflictRecord, Position, ResearchResult
from desk.trust.claims.dependence import inputs_of
from desk.trust.conflicts.positions import (
    TIERS,
    StatedClaim,
    state,
    state_on,
    tier_of,
    weakest_source,
)


def surviving_claims(
    results: Sequence[ResearchResult], conflicts: Sequence[ConflictRecord]
) -> dict[str, Claim]:
    """Returns the surviving claim for each id, in the order delivered.

    In a conflict it is the chosen claim; there is none if the figure is withheld or the conflict is
    open. Otherwise a claim in the unit of its metric comes first, then the best sourced, then the
    first delivered. A derived claim only survives with the inputs that it was computed from. If
    another result's input survived instead, that result's derived claim survives, or none.
    """
    delivered: dict[str, list[StatedClaim]] = defaultdict(list)
    for result in results:
        for claim in result.claims:
            delivered[claim.claim_id].append(StatedClaim(result, claim))
    selection = _Selection(delivered, _decided(delivered, conflicts))
    survivors = {name: selection.survivor(name) for name in delivered}
    return {name: survivor.claim for name, survivor in survivors.items() if survivor}


@dataclass(slots=True)
class _Selection:
    """The delivered claims by id, the decisions of the conflicts, and the surviving claims."""

    delivered: Mapping[str, Sequence[StatedClaim]]
    decided: Mapping[str, StatedClaim | None]
    found: dict[str, StatedClaim | None] = field(default_factory=dict)

    def survivor(self, name: str) -> StatedClaim | None:
        """Returns the surviving claim of an id, with its result."""
        if name not in self.found:
            candidates = _candidates(self.delivered[name], self.decided.get(name, ...))
            self.found[name] = candidates[0] if candidates else None
            self.found[name] = next((c for c in candidates if self._is_founded(c)), None)
        return self.found[name]

    def _is_founded(self, candidate: StatedClaim) -> bool:
        inputs = inputs_of(candidate.claim, candidate.result.claims)
        return all(self._is_own(candidate, name) for name in inputs if name in self.delivered)

    def _is_own(self, candidate: StatedClaim, name: str) -> bool:
        """Returns whether the surviving claim of an input is the one that this result computed
        with."""
        survivor = self.survivor(name)
        if survivor is None:
            return False
        own = [claim for claim in candidate.result.claims if claim.claim_id == name]
        return not own or any(_same_figure(claim, survivor.claim) for claim in own)


def _candidates(
    delivered: Sequence[StatedClaim], decided: StatedClaim | EllipsisType | None
) -> Sequence[StatedClaim]:
    if decided is None:
        return ()
    if isinstance(decided, StatedClaim):
        return (decided,)
    return sorted(delivered, key=_preference)


def _preference(survivor: StatedClaim) -> tuple[bool, int]:
    """Returns the sort key of claims that agree: first in the unit of the metric, then by the
    weight of the source."""
    odd_unit = survivor.claim.unit is not UNITS[survivor.claim.metric]
    return odd_unit, TIERS.index(tier_of(weakest_source(survivor.result, survivor.claim.evidence)))


def _same_figure(one: Claim, other: Claim) -> bool:
    return (one.value, one.unit, one.as_of) == (other.value, other.unit, other.as_of)


def _decided(
    delivered: Mapping[str, Sequence[StatedClaim]], conflicts: Iterable[ConflictRecord]
) -> dict[str, StatedClaim | None]:
    """Returns for each id in a conflict the claim chosen by all of its conflicts, or None."""
    decided: dict[str, StatedClaim | None] = {}
    for conflict in conflicts:
        winner = _winner(conflict)
        for name in {p.claim_id for p in conflict.positions if p.claim_id}:
            won = winner if winner and winner.claim_id == name else None
            survivor = _stated(won, delivered.get(name, ())) if won else None
            decided[name] = survivor if decided.get(name, survivor) == survivor else None
    return decided


def _winner(conflict: ConflictRecord) -> Position | None:
    if not conflict.resolved or conflict.chosen is None:
        return None
    return next((p for p in conflict.positions if p.stated == conflict.chosen), None)


def _stated(position: Position, survivors: Sequence[StatedClaim]) -> StatedClaim | None:
    """Returns the claim behind a position. A claim of the position's own agent comes before others
    with the same figure."""
    alike = [
        survivor
        for survivor in survivors
        if position.stated
        in (state(survivor.claim.value, survivor.claim.unit), state_on(survivor.claim))
    ]
    return min(
        alike, key=lambda survivor: survivor.result.agent is not position.agent, default=None
    )
