"""What chance alone would bring: tests of significance, and how strongly a result may speak.

The tests are those of scipy and statsmodels, which belong to the extra `swarm` and take a second
to import; they are imported when a test is asked for.
"""

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal

import numpy as np
from numpy.typing import NDArray

from desk.analytics.technical.measures import INSTALL_SWARM, NotInstalled

Floats = NDArray[np.float64]

LEVEL = Decimal("0.05")
"""A p value below this counts as significant."""

MOST_STRENGTH = 0.6
"""Of what was significant in the past alone: nothing says that it goes on."""

_LEAST_STRENGTH, _UNCERTAIN = 0.3, 0.1
_SMALLEST_P = 0.001


def share_p_value(hits: int, trials: int, other_hits: int, other_trials: int) -> float:
    """How likely a share of hits is by chance to lie so far from the share among the others:
    Fisher's exact two-sided test.

    Raises:
        NotInstalled: scipy is not installed.
    """
    try:
        from scipy.stats import fisher_exact
    except ImportError as error:
        raise _not_installed("scipy") from error
    table = [[hits, trials - hits], [other_hits, other_trials - other_hits]]
    return float(fisher_exact(table)[1])


def group_p_values(groups: Sequence[Floats]) -> tuple[float, ...]:
    """How likely a group is by chance to rank so far from all the others.

    The two-sided test of Mann and Whitney for each group, which heavy tails do not mislead,
    adjusted for the number of groups by Benjamini and Hochberg: of the groups below a level, at
    most that share is expected to be so by chance.

    Raises:
        NotInstalled: scipy or statsmodels is not installed.
    """
    try:
        from scipy.stats import mannwhitneyu
        from statsmodels.stats.multitest import multipletests
    except ImportError as error:
        raise _not_installed("scipy and statsmodels") from error
    tested = [
        float(mannwhitneyu(group, np.concatenate([*groups[:at], *groups[at + 1 :]]))[1])
        for at, group in enumerate(groups)
    ]
    # Groups that do not vary have no p value: nothing can be told of them.
    filled = [1.0 if math.isnan(value) else value for value in tested]
    return tuple(float(value) for value in multipletests(filled, method="fdr_bh")[1])


def printed_p_value(p_value: float) -> Decimal:
    """A p value to three decimals, rounded up: it is never told as smaller than it is, or as 0."""
    return Decimal(str(p_value)).quantize(Decimal("0.001"), ROUND_CEILING)


def is_significant(p_value: float) -> bool:
    """Whether a p value is below the level, as it is printed."""
    return printed_p_value(p_value) < LEVEL


def strength_of(p_value: float) -> float:
    """How strongly a tested result speaks, by convention of these tools: 0.1 where it is not
    significant, else from 0.3 at the level to 0.6 at a p value of 0.001, by its logarithm."""
    if not is_significant(p_value):
        return _UNCERTAIN
    level = float(LEVEL)
    share = math.log(level / max(p_value, _SMALLEST_P)) / math.log(level / _SMALLEST_P)
    return round(_LEAST_STRENGTH + share * (MOST_STRENGTH - _LEAST_STRENGTH), 2)


def _not_installed(packages: str) -> NotInstalled:
    return NotInstalled(f"the test needs {packages}, not installed here: {INSTALL_SWARM}")
