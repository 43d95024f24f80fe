"""The bounds of figures in a conflict: those of a band, or of a target range."""

from collections.abc import Iterable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Final, NamedTuple

from pydantic import ValidationError

from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.config import VotingConfig
from desk.contracts.agents.tools import ToolResult, ToolStatus, capability_of
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Bounds
from desk.contracts.findings.source_results import PolicyRate, PolicyRates
from desk.trust.claims.publishers import FIXED
from desk.trust.contents import read_as


class TargetRange(NamedTuple):
    """A bank's target range, and since when it is in force, if known."""

    bounds: Bounds
    since: date | None


Ranges = Mapping[str, TargetRange]
"""Target ranges by area."""

NO_RANGES: Final[Ranges] = MappingProxyType({})

_RATES: Final = frozenset({Metric.POLICY_RATE, Metric.DECISION_RATE})


def target_ranges(evidence: Iterable[ToolResult]) -> dict[str, TargetRange]:
    """Returns the target ranges by area, from the policy rates in tool results."""
    return {
        rate.area: TargetRange(Bounds(low=rate.low, high=rate.high), rate.since)
        for result in evidence
        if result.status is ToolStatus.OK and is_of_rates(result)
        for rate in _rates_in(result)
        if rate.low is not None and rate.high is not None
    }


def is_of_rates(result: ToolResult) -> bool:
    """Returns whether a tool was asked for policy rates. Such answers contain target ranges."""
    return capability_of(result.call) is Capability.POLICY_RATE


def bounds_of(
    subject: str, metric: Metric, day: date, voting: VotingConfig, ranges: Ranges
) -> Bounds | None:
    """Returns the bounds for comparing figures of a metric on a day, or None if there are none."""
    band = voting.bands.get(subject) if metric in FIXED else None
    if band is not None:
        return Bounds(low=band.low, high=band.high)
    known = ranges.get(subject) if metric in _RATES else None
    if known is None or (known.since is not None and day < known.since):
        return None
    return known.bounds


def _rates_in(result: ToolResult) -> tuple[PolicyRate, ...]:
    try:
        return read_as(PolicyRates, result.content).rates
    except ValidationError:
        return ()
