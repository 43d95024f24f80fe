"""Whose own figure a figure is."""

from typing import Final

from desk.contracts.agents.config import PAIRS, VotingConfig
from desk.contracts.findings.claims import Metric
from desk.trust.claims.banks import BANKS

FIXED: Final = frozenset(
    {
        Metric.LAST,
        Metric.PREVIOUS,
        Metric.WINDOW_HIGH,
        Metric.WINDOW_LOW,
        Metric.YEAR_HIGH,
        Metric.YEAR_LOW,
        Metric.MOVE,
    }
)
"""Fixings of a pair, and the move between two of them."""

SET: Final = frozenset({Metric.POLICY_RATE, Metric.DECISION_RATE, Metric.DECISION_CHANGE})
"""What a central bank sets."""


def own_publisher(subject: str, metric: Metric, voting: VotingConfig) -> str | None:
    """The publisher of a figure, as the desk defines it. None for a figure that nobody publishes,
    such as a target, and for a run whose rules name no publishers."""
    if not voting.publishers:
        return None
    if metric in FIXED and "/" in subject:
        return voting.publishers.get(subject, voting.publishers.get(PAIRS))
    if metric in SET:
        return voting.publishers.get(subject, BANKS.get(subject))
    return None
