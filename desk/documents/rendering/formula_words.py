"""Formulas written out with the figures that go into them."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from desk.contracts.findings.claims import Claim
from desk.contracts.markets import Band

WRITTEN: Final[Mapping[str, str]] = {
    "percent_change": "({1} / {0} − 1) × 100",
    "basis_point_difference": "({0} − {1}) × 100",
    "range_position": "({0} − {1}) / ({2} − {1}) × 100",
}
"""Formulas over claims, with places for the inputs in their order."""

IN_WORDS: Final[Mapping[str, str]] = {
    "highest": "the highest fixing of the span",
    "lowest": "the lowest fixing of the span",
    "z_score": "the window's log move less the mean of the 52 weekly ones before it, in their "
    "standard deviations",
    "highest_since": "the day of the newest earlier fixing that is as high or higher",
    "lowest_since": "the day of the newest earlier fixing that is as low or lower",
    "largest_day": "the day's step over the move from the fixing before the window to the last, "
    "of the day with the largest such part",
    "band_edge": "the edge of the band as the desk is configured",
    "in_a_row": "how many of the last recorded meetings decided the same, the newest included",
    "banks_cut": "how many of the newest decisions of the banks below are cuts",
    "banks_raised": "how many of the newest decisions of the banks below are rises",
    "banks_held": "how many of the newest decisions of the banks below are holds",
    "dollar_rose": "in how many of the pairs below the dollar rose",
    "dollar_fell": "in how many of the pairs below the dollar fell",
    "streak": "how many of the last daily steps went the same way",
}
"""Formulas over a series, which is too long to be written out."""

BAND_FORMULA: Final = "band_position"


def formula_words(claim: Claim, inputs: Sequence[Claim], band: Band | None = None) -> str | None:
    """`percent change: (157.25 / 156.80 − 1) × 100`; None for a figure that was read as it is.

    A formula whose inputs are not all there, or that is not known here, is named only.
    """
    if claim.formula is None:
        return None
    written = _written(claim, [line.value for line in inputs], band)
    name = claim.formula.replace("_", " ")
    return f"{name}: {written}" if written else name


def _written(claim: Claim, values: Sequence[Decimal], band: Band | None) -> str | None:
    formula = claim.formula or ""
    if formula in IN_WORDS:
        return IN_WORDS[formula]
    if formula == BAND_FORMULA and band and len(values) == 1:
        formula, values = "range_position", (values[0], band.low, band.high)
    pattern = WRITTEN.get(formula)
    if pattern is None or f"{{{len(values) - 1}}}" not in pattern or not values:
        return None
    try:
        return pattern.format(*(f"{value:,f}" for value in values))
    except IndexError:
        return None
