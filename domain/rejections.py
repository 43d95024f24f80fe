"""What a validator has rejected of the findings it was given. Light: workflows use it."""

from collections.abc import Sequence

from contracts.claims import Claim
from contracts.results import ResearchResult, ValidationResult
from contracts.verdicts import ClaimStatus, ClaimVerdict


def rejection_of(
    claim: Claim, result: ResearchResult, validation: ValidationResult | None
) -> ClaimVerdict | None:
    """The rejection of a result's claim; None where the validator has let it pass."""
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
    """The results without the claims that were rejected: those contradict nobody."""
    return tuple(
        result.model_copy(
            update={
                "claims": tuple(
                    claim
                    for claim in result.claims
                    if rejection_of(claim, result, validation) is None
                )
            }
        )
        for result in results
    )
