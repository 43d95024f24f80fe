"""One decision on two days. Light: workflows use it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from desk.contracts.config import VotingConfig
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ConflictKind, ConflictRecord, ResearchResult
from desk.trust.conflicts.positions import Stand, claim_position
from desk.trust.conflicts.voting import put_to_the_vote

DATED: Final = (Metric.DECISION_RATE, Metric.DECISION_CHANGE)
LONGEST_SHIFT: Final = timedelta(days=7)
"""Decisions further apart than this are two decisions: no bank meets twice in a week."""

_Days = dict[str, dict[date, Stand]]
"""By result and day, what is claimed."""


def timing_conflicts(
    market: str, results: Iterable[ResearchResult], voting: VotingConfig
) -> Iterator[ConflictRecord]:
    """The decisions of an area that results put on different days within a week of each other.

    A result that has both days knows of two decisions, and contradicts nobody.
    """
    for (subject, metric), claimed in _by_decision(results).items():
        for days in _disputed(claimed):
            positions = [
                claim_position(by_day[day], voting, with_day=True)
                for by_day in claimed.values()
                for day in days.intersection(by_day)
                if len(days.intersection(by_day)) == 1
            ]
            topic = f"{subject}:{metric}@{min(days).isoformat()}"
            yield put_to_the_vote(
                f"{market}/conflict/{ConflictKind.TIMING}/{topic}",
                market,
                ConflictKind.TIMING,
                positions,
                voting,
            )


def _by_decision(results: Iterable[ResearchResult]) -> dict[tuple[str, Metric], _Days]:
    found: dict[tuple[str, Metric], _Days] = defaultdict(lambda: defaultdict(dict))
    for result in results:
        for claim in result.claims:
            if claim.metric in DATED:
                days = found[(claim.subject, claim.metric)][result.result_id]
                days.setdefault(claim.as_of, Stand(result, claim))
    return found


def _disputed(claimed: _Days) -> list[set[date]]:
    """The groups of days that stand for one decision, earliest first."""
    groups: list[set[date]] = []
    for one in claimed.values():
        for other in claimed.values():
            for first in one.keys() - other.keys():
                for second in other.keys() - one.keys():
                    if abs(first - second) <= LONGEST_SHIFT:
                        groups = _joined(groups, {first, second})
    return sorted(groups, key=min)


def _joined(groups: Sequence[set[date]], pair: set[date]) -> list[set[date]]:
    apart = [group for group in groups if not group & pair]
    return [*apart, pair.union(*(group for group in groups if group & pair))]
