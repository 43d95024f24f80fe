"""Merges the records of conflicts, and replaces open ones with decided ones."""

from collections.abc import Iterable, Sequence

from desk.contracts.findings.results import ConflictRecord
from desk.contracts.week.report import MarketOutcome
from desk.trust.conflicts.detection import WEEK

MOST_CONFLICTS = 50
"""The maximum number of conflicts of a market's outcome."""


def merged(
    detected: Iterable[ConflictRecord], validated: Iterable[ConflictRecord]
) -> tuple[ConflictRecord, ...]:
    """Returns the conflicts of a market, each once. The validator's record has precedence, as it
    includes the validator's own figures. Open conflicts come before settled ones, so that a limit
    cuts none of them off."""
    by_id = {record.conflict_id: record for record in (*detected, *validated)}
    ordered = sorted(by_id.values(), key=lambda record: (record.resolved, record.conflict_id))
    return tuple(ordered[:MOST_CONFLICTS])


def with_decisions(outcome: MarketOutcome, decided: Iterable[ConflictRecord]) -> MarketOutcome:
    """Returns the outcome with decided records in place of the open ones, its own and its
    validator's. New ones are added."""
    by_id = {record.conflict_id: record for record in decided}
    added = set(by_id) - {record.conflict_id for record in outcome.conflicts}
    conflicts = (
        *_replaced(outcome.conflicts, by_id),
        *(record for record in by_id.values() if record.conflict_id in added),
    )
    validation = outcome.validation
    if validation is not None:
        own = _replaced(validation.conflicts, by_id)
        validation = validation.model_copy(update={"conflicts": own})
    return outcome.model_copy(
        update={"conflicts": conflicts[-MOST_CONFLICTS:], "validation": validation}
    )


def within_markets(outcomes: Iterable[MarketOutcome]) -> tuple[MarketOutcome, ...]:
    """Returns the outcomes without the conflicts between markets."""
    return tuple(
        outcome.model_copy(
            update={"conflicts": tuple(r for r in outcome.conflicts if not _is_of_week(r))}
        )
        for outcome in outcomes
    )


def settled_before(
    found: Iterable[ConflictRecord], outcomes: Iterable[MarketOutcome]
) -> tuple[ConflictRecord, ...]:
    """Returns the conflicts, in which an open one is replaced by an earlier decision on the same
    positions."""
    known = [record for outcome in outcomes for record in outcome.conflicts if record.resolved]
    return tuple(_decision_on(record, known) or record for record in found)


def with_week_conflicts(
    outcomes: Sequence[MarketOutcome], records: Sequence[ConflictRecord]
) -> tuple[MarketOutcome, ...]:
    """Returns the outcomes, each with the current conflicts between markets that concern it."""
    return tuple(
        with_decisions(outcome, (r for r in records if r.market == outcome.market))
        for outcome in within_markets(outcomes)
    )


def _decision_on(record: ConflictRecord, known: Iterable[ConflictRecord]) -> ConflictRecord | None:
    """Returns the earlier decision on a conflict with the same positions."""
    if record.resolved:
        return None
    same = (
        other
        for other in known
        if other.conflict_id == record.conflict_id and other.positions == record.positions
    )
    return next(same, None)


def _is_of_week(record: ConflictRecord) -> bool:
    return record.conflict_id.startswith(f"{WEEK}/")


def _replaced(
    records: Sequence[ConflictRecord], by_id: dict[str, ConflictRecord]
) -> tuple[ConflictRecord, ...]:
    return tuple(by_id.get(record.conflict_id, record) for record in records)
