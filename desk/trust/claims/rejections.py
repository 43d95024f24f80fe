"""The findings' claims that a validator rejected."""

from collections.abc import Collection, Iterable, Sequence

from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ResearchResult, ValidationResult
from desk.contracts.findings.verdicts import ClaimStatus, ClaimVerdict
from desk.trust.claims.dependence import without_dependents


def rejection_of(
    claim: Claim, result: ResearchResult, validation: ValidationResult | None
) -> ClaimVerdict | None:
    """Returns the rejection of a result's claim, or None if the validator accepted it."""
    verdicts = validation.verdicts if validation else ()
    return next(
        (
            verdict
            for verdict in verdicts
            if verdict.status is ClaimStatus.REJECTED
            and verdict.claim_id == claim.claim_id
            and verdict.result in (None, result.result_id)
        ),
        None,
    )


def without_rejected(
    results: Sequence[ResearchResult], validation: ValidationResult | None
) -> tuple[ResearchResult, ...]:
    """Returns the results without their rejected claims and everything computed from these. A
    rejected claim is in no conflict."""
    kept = [_sound(result, validation) for result in results]
    gone = _names(results) - _names(kept)
    while gone:
        kept = [_without(result, gone) for result in kept]
        more = _names(results) - _names(kept) - gone
        gone = gone | more if more else set()
    return tuple(kept)


def _sound(result: ResearchResult, validation: ValidationResult | None) -> ResearchResult:
    passed, rejected = list[Claim](), list[Claim]()
    for claim in result.claims:
        (rejected if rejection_of(claim, result, validation) else passed).append(claim)
    return result.model_copy(update={"claims": without_dependents(passed, rejected)})


def _without(result: ResearchResult, gone: Collection[str]) -> ResearchResult:
    """Returns the result without the claims that have one of the ids as an input, and without
    everything computed from these."""
    lost = [claim for claim in result.claims if not set(gone).isdisjoint(claim.inputs)]
    left = [claim for claim in result.claims if claim not in lost]
    return result.model_copy(update={"claims": without_dependents(left, lost)})


def _names(results: Iterable[ResearchResult]) -> set[str]:
    return {claim.claim_id for result in results for claim in result.claims}
