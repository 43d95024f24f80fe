"""The product manager's commentary as a report prints it: nothing in it but printed claims."""

from collections.abc import Iterator, Mapping

from contracts.claims import Claim, Metric
from contracts.report import Sentence
from contracts.results import Commentary
from domain.banks import BANKS
from domain.checks import contradicts
from domain.directions import said_of_bank, said_of_pair
from domain.prose import references, sentence, unknown_references
from domain.prose_review import review, without_rejected


def commentary_of(written: Commentary | None, claims: Mapping[str, Claim]) -> tuple[Sentence, ...]:
    """The sentences whose figures are all printed claims and whose words do not contradict them.
    The others are left out."""
    if written is None:
        return ()
    seen = review(written, claims)
    kept = without_rejected(seen.result, seen.rejected)
    if not isinstance(kept, Commentary):
        raise TypeError(f"the review of a commentary gave a {kept.kind}")
    return tuple(
        sentence(prose, claims)
        for prose in kept.sentences
        if not unknown_references(prose, claims) and not list(contradictions(prose, claims))
    )


def contradictions(prose: str, claims: Mapping[str, Claim]) -> Iterator[str]:
    """Objects where a sentence has a pair rise, or a bank raise, whose figure in it is negative,
    and the other way round."""
    for name in references(prose):
        claim = claims.get(name)
        if claim is None or claim.metric not in (Metric.MOVE, Metric.DECISION_CHANGE):
            continue
        said = (
            said_of_pair(prose, claim.subject)
            if claim.metric is Metric.MOVE
            else said_of_bank(prose, BANKS.get(claim.subject))
        )
        if any(contradicts(leaning, claim.value) for leaning in said):
            yield f"the words contradict the sign of {name}"
