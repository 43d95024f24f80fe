"""Conflicts between findings: finds and decides them, and determines which claims survive."""

from desk.trust.conflicts.bounds import NO_RANGES, Ranges, bounds_of, is_of_rates, target_ranges
from desk.trust.conflicts.detection import MOST_CONFLICTS, detect_conflicts, week_conflicts
from desk.trust.conflicts.positions import (
    StatedClaim,
    agree,
    claim_position,
    dissent,
    is_publisher,
    origin_of,
    state,
    state_on,
    view_position,
    weakest_source,
    who_overruled,
    who_overruled_claim,
)
from desk.trust.conflicts.records import (
    merged,
    settled_before,
    with_decisions,
    with_week_conflicts,
    within_markets,
)
from desk.trust.conflicts.surviving_claims import surviving_claims
from desk.trust.conflicts.voting import (
    decide,
    default_position,
    new_conflict,
    publishers_position,
    resolution_in_old_wording,
    settle,
    sides,
    spread_of,
)

__all__ = [
    "MOST_CONFLICTS",
    "NO_RANGES",
    "Ranges",
    "StatedClaim",
    "agree",
    "bounds_of",
    "claim_position",
    "decide",
    "default_position",
    "detect_conflicts",
    "dissent",
    "is_of_rates",
    "is_publisher",
    "merged",
    "new_conflict",
    "origin_of",
    "publishers_position",
    "resolution_in_old_wording",
    "settle",
    "settled_before",
    "sides",
    "spread_of",
    "state",
    "state_on",
    "surviving_claims",
    "target_ranges",
    "view_position",
    "weakest_source",
    "week_conflicts",
    "who_overruled",
    "who_overruled_claim",
    "with_decisions",
    "with_week_conflicts",
    "within_markets",
]
