"""The institution that publishes a figure."""

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
"""Fixings of a pair, and moves between two of them."""

SET: Final = frozenset({Metric.POLICY_RATE, Metric.DECISION_RATE, Metric.DECISION_CHANGE})
"""Figures that a central bank sets."""


def own_publisher(subject: str, metric: Metric, voting: VotingConfig) -> str | None:
    """Returns the publisher that a figure comes from by definition. None for figures that no
    institution publishes, such as targets, and for runs whose rules name no publishers."""
    if not voting.publishers:
        return None
    if metric in FIXED and "/" in subject:
        return voting.publishers.get(subject, voting.publishers.get(PAIRS))
    if metric in SET:
        return voting.publishers.get(subject, BANKS.get(subject))
    return None
