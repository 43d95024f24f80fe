"""Findings that cannot all be right: found, put to the vote, and what stands after it.

Light: workflows use it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from itertools import combinations
from typing import Final

from desk.analytics.names.quotation import reversed_pair, reversed_statement
from desk.analytics.normalise import Comparable, Difference, Statement, normalise, statement_of
from desk.contracts.config import VotingConfig
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import (
    Bounds,
    ConflictKind,
    ConflictRecord,
    Position,
    ResearchResult,
    ViewKind,
)
from desk.contracts.week.report import MarketOutcome
from desk.trust.claims.rejections import without_rejected
from desk.trust.conflicts.bounds import NO_RANGES, Ranges, bounds_of
from desk.trust.conflicts.opinions import FIGURES, abstentions, own_judgement, view_conflicts
from desk.trust.conflicts.positions import Stand, claim_position, origin_of, weakest_source, within
from desk.trust.conflicts.surviving_claims import standing_claims
from desk.trust.conflicts.targets import across_last, with_implied_views
from desk.trust.conflicts.timing import DATED, timing_conflicts
from desk.trust.conflicts.voting import decide, default_position, put_to_the_vote, settle

__all__ = [
    "decide",
    "default_position",
    "detect_conflicts",
    "settle",
    "standing_claims",
    "week_conflicts",
]

MOST_CONFLICTS: Final = 50
"""The bound of a market's outcome. Open ones go before those that a vote has settled."""

WEEK: Final = "week"

_Topic = tuple[str, Metric, date]


def detect_conflicts(
    market: str,
    results: Sequence[ResearchResult],
    voting: VotingConfig,
    ranges: Ranges = NO_RANGES,
) -> tuple[ConflictRecord, ...]:
    """The contradictions between results on a market, in the order of their ids.

    Each is settled as far as the rules can; one with `resolved=False` needs a person. The order of
    the results does not matter, and no result contradicts itself. `ranges` are the target ranges
    that are known: a rate's midpoint and its ends are one statement.
    """
    figures: list[ConflictRecord] = []
    covered: set[tuple[ViewKind, str]] = set()
    targets: set[str] = set()
    for (subject, metric, day), stands in _by_topic(market, results).items():
        bounds = bounds_of(subject, metric, day, voting, ranges)
        if any(_contradict(one, other, bounds) for one, other in _of_two_results(stands)):
            besides = {stand.result.result_id for stand in stands}
            positions = (
                *(_position(stand, voting) for stand in stands),
                *abstentions(metric, subject, results, voting, besides=besides),
            )
            topic = f"{market}/conflict/{subject}:{metric}@{day.isoformat()}"
            kind = _kind(stands, results)
            figures.append(put_to_the_vote(topic, market, kind, positions, voting, bounds))
            if metric in FIGURES:
                covered.add((FIGURES[metric], subject))
            if metric is Metric.TARGET:
                targets.update(stand.claim.subject for stand in stands)
    timing = timing_conflicts(market, results, voting)
    held = with_implied_views(results, targets)
    views = view_conflicts(market, held, voting, settled_by_figures=covered)
    return _bounded((*figures, *timing, *views))


def week_conflicts(
    outcomes: Sequence[MarketOutcome], voting: VotingConfig, ranges: Ranges = NO_RANGES
) -> tuple[ConflictRecord, ...]:
    """The claims that stand in one market's findings and differently in another's.

    The record's market is the one that the claim is about, where it is among them.
    """
    markets = {outcome.market for outcome in outcomes}
    found = []
    for name, stands in _by_claim(outcomes).items():
        claim = stands[0].claim
        bounds = bounds_of(claim.subject, claim.metric, claim.as_of, voting, ranges)
        if any(_contradict(one, other, bounds) for one, other in _of_two_markets(stands)):
            about = claim.subject if claim.subject in markets else min(markets)
            positions = [claim_position(stand, voting) for stand in stands]
            topic = f"{WEEK}/conflict/{name}"
            kind = _kind(stands)
            found.append(put_to_the_vote(topic, about, kind, positions, voting, bounds))
    return _bounded(found)


def _by_topic(market: str, results: Iterable[ResearchResult]) -> dict[_Topic, list[Stand]]:
    topics: dict[_Topic, list[Stand]] = defaultdict(list)
    for result in results:
        for claim in result.claims:
            topics[_topic(market, claim)].append(Stand(result, claim))
    return topics


def _topic(market: str, claim: Claim) -> _Topic:
    """What a claim is about; of the reversed pair, what it says about the market itself."""
    if reversed_pair(claim.subject) == market:
        turned = reversed_statement(claim.metric, claim.value)
        if turned is not None:
            return market, turned[0], claim.as_of
    return claim.subject, claim.metric, claim.as_of


def _by_claim(outcomes: Iterable[MarketOutcome]) -> dict[str, list[Stand]]:
    stands: dict[str, list[Stand]] = defaultdict(list)
    for outcome in outcomes:
        results = without_rejected(outcome.results, outcome.validation)
        standing = standing_claims(results, outcome.conflicts)
        for result in results:
            for claim in result.claims:
                if standing.get(claim.claim_id) == claim:
                    stands[claim.claim_id].append(Stand(result, claim))
    return stands


def _of_two_results(stands: Sequence[Stand]) -> Iterator[tuple[Stand, Stand]]:
    return _differing(stands, lambda stand: stand.result.result_id)


def _of_two_markets(stands: Sequence[Stand]) -> Iterator[tuple[Stand, Stand]]:
    return _differing(stands, lambda stand: stand.result.market)


def _differing(
    stands: Sequence[Stand], key: Callable[[Stand], str]
) -> Iterator[tuple[Stand, Stand]]:
    return ((one, other) for one, other in combinations(stands, 2) if key(one) != key(other))


def _position(stand: Stand, voting: VotingConfig) -> Position:
    position = claim_position(stand, voting)
    return own_judgement(position) if stand.claim.metric is Metric.TARGET else position


def _contradict(one: Stand, other: Stand, bounds: Bounds | None) -> bool:
    compared = normalise(within(_statement(one), bounds), within(_statement(other), bounds))
    if isinstance(compared, Comparable):
        return not compared.agree
    return compared.reason is Difference.UNIT


def _statement(stand: Stand) -> Statement:
    source = weakest_source(stand.result, stand.claim.evidence)
    return statement_of(stand.claim, origin_of(source))


def _kind(stands: Sequence[Stand], results: Iterable[ResearchResult] = ()) -> ConflictKind:
    if stands[0].claim.metric in DATED:
        return ConflictKind.DECISION
    if stands[0].claim.metric is Metric.TARGET:
        opposed = across_last(stands, results)
        return ConflictKind.DIRECTION if opposed else ConflictKind.LEVEL
    statements = [_statement(stand) for stand in stands]
    compared = (normalise(one, other) for one, other in combinations(statements, 2))
    if any(isinstance(pair, Comparable) and pair.opposed for pair in compared):
        return ConflictKind.DIRECTION
    return ConflictKind.LEVEL


def _bounded(conflicts: Iterable[ConflictRecord]) -> tuple[ConflictRecord, ...]:
    ranked = sorted(conflicts, key=lambda conflict: (conflict.resolved, conflict.conflict_id))
    return tuple(sorted(ranked[:MOST_CONFLICTS], key=lambda conflict: conflict.conflict_id))
