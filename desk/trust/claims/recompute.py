"""Recomputes derived claims from the claims that they rest on."""

from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal

from desk.analytics.formulas import CLAIM_FORMULAS, band_position
from desk.contracts.findings.claims import Claim
from desk.contracts.markets import Band


class InputsUnusable(ValueError):
    """An input of the claim is missing, or its formula rejects the inputs."""


def recompute(
    claim: Claim, claims: Mapping[str, Claim], band: Band | None = None
) -> Decimal | None:
    """Returns the value of a claim's formula for its inputs, at the precision of the claim.

    None if the formula is unknown, or runs over a series and so needs more than claims.

    Raises:
        InputsUnusable: an input is not among the claims, or the formula refuses the inputs.
    """
    absent = [name for name in claim.inputs if name not in claims]
    if absent:
        raise InputsUnusable(f"{claim.claim_id} rests on {', '.join(absent)}, which is no claim")
    try:
        value = _apply(claim.formula, [claims[name].value for name in claim.inputs], band)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise InputsUnusable(f"{claim.claim_id}: {claim.formula} of its inputs: {error}") from error
    return None if value is None else at_precision_of(claim.value, value)


def at_precision_of(printed: Decimal, value: Decimal) -> Decimal:
    """Returns a value rounded, half to even, to the decimals of a printed one."""
    return value.quantize(printed, rounding=ROUND_HALF_EVEN)


def _apply(formula: str | None, values: list[Decimal], band: Band | None) -> Decimal | None:
    if formula == band_position.__name__:
        (value,) = values
        return band_position(value, band.low, band.high) if band else None
    function = CLAIM_FORMULAS.get(formula or "")
    return function(*values) if function else None
