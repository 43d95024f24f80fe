"""An audit's part on what changed: every older figure against its sentence, its threshold, and what
the report's own evidence says of the earlier week."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.comparison.tolerances import TOLERANCES, Quantity
from desk.analytics.formulas import basis_point_difference
from desk.analytics.weeks import as_of_of
from desk.contracts.findings.source_results import History, RateDecisions
from desk.contracts.week.changes import Change, ChangeKind, Changes
from desk.contracts.week.report import ResearchReport
from desk.documents.audit.findings import AuditFinding
from desk.trust.ledger import Answer, usable_answers

Size = Callable[[Decimal, Decimal], Decimal]

ROUNDED: Final = Decimal("0.01")
"""Confidences are printed with two decimals and compared with all that they have."""

OLDER_FIXINGS: Final = timedelta(days=14)
"""The last fixing before a report may be as old as this: banks close for feasts."""


class _Answered(NamedTuple):
    """An answer of the desk's own shape, and from which day on it was asked for."""

    answer: Answer
    since: str


class _Rule(NamedTuple):
    """How a sentence names the side of an older figure on which the newer one is, the difference in
    the unit of the threshold, and how much of it may be lost to rounding."""

    words: Callable[[str], str]
    up: str
    down: str
    size: Size
    lost: Decimal = Decimal(0)


RULES: Final[Mapping[ChangeKind, _Rule]] = {
    ChangeKind.LEVEL: _Rule(
        lambda side: f" is {side} its level in the earlier report",
        "above",
        "below",
        lambda before, after: abs(after / before - 1) * 100,
    ),
    ChangeKind.RATE: _Rule(
        lambda side: f" is {side} than in the earlier report",
        "higher",
        "lower",
        lambda before, after: abs(basis_point_difference(after, before)),
    ),
    ChangeKind.CONFIDENCE: _Rule(
        lambda side: f" is {side} than in the earlier report",
        "higher",
        "lower",
        lambda before, after: abs(after - before),
        ROUNDED,
    ),
}
"""The kinds that have an older figure; the others have none."""


def change_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether what changed is told against an earlier week; and whether every older figure fits its
    sentence, is material, and is one that the report's evidence gives for that week, where it
    reaches as far."""
    changes = report.changes
    yield from _of_week(report, changes)
    answers = tuple(
        _Answered(answer, str(result.call.arguments.get("start") or ""))
        for result, answer in usable_answers(report.evidence)
    )
    for number, change in enumerate(changes.entries, start=1):
        where = f"change {number}, {change.market}"
        for words in (*_of_figures(change, report), *_of_evidence(change, report, answers)):
            yield AuditFinding(where, words)


def _of_week(report: ResearchReport, changes: Changes) -> Iterator[AuditFinding]:
    if changes.against is None:
        if changes.entries:
            yield AuditFinding("changes", "there are some, and no earlier report")
        return
    if changes.against >= report.week:
        words = f"they are against {changes.against}, which is not before {report.week}"
        yield AuditFinding("changes", words)


def _of_figures(change: Change, report: ResearchReport) -> Iterator[str]:
    rule, before, after = RULES.get(change.kind), change.before, change.after
    if rule is None:
        if before is not None:
            yield f"a change of {change.kind} has no older figure, and it gives {before}"
        return
    if before is None or after is None or (change.kind is ChangeKind.LEVEL and before <= 0):
        yield f"its figures are {before} and {after}"
        return
    side = rule.up if after > before else rule.down
    if rule.words(side) not in change.prose:
        yield f"it was {before} and is {after}, and the sentence says otherwise"
    threshold = _threshold(change.kind, report)
    if rule.size(before, after) + rule.lost < threshold:
        yield f"from {before} to {after} is less than the threshold of {threshold}"


def _threshold(kind: ChangeKind, report: ResearchReport) -> Decimal:
    materiality = report.config.policy.materiality
    sizes = {
        ChangeKind.LEVEL: materiality.level,
        ChangeKind.RATE: materiality.rate,
        ChangeKind.CONFIDENCE: materiality.confidence,
    }
    return Decimal(str(sizes[kind]))


def _of_evidence(
    change: Change, report: ResearchReport, answers: tuple[_Answered, ...]
) -> Iterator[str]:
    """Of an older level or rate that the evidence knows otherwise."""
    against, before = report.changes.against, change.before
    if against is None or before is None:
        return
    instant = as_of_of(against, report.config.schedule)
    if change.kind is ChangeKind.LEVEL:
        known = _fixings(change.market, answers, instant.date())
        if known and not _within(before, known):
            yield f"{before} is none of its levels of {against}: {min(known)} to {max(known)}"
    if change.kind is ChangeKind.RATE:
        known = _rates(change.market, answers, instant)
        allowed = TOLERANCES[Quantity.RATE].size
        if known and all(abs(rate - before) > allowed for rate in known):
            yield f"{before} is not the rate of {against}, by its decisions: {min(known)}"


def _within(value: Decimal, known: set[Decimal]) -> bool:
    """Whether a level is among fixings, or as near as those of another hour are."""
    low, high = min(known), max(known)
    tolerance = TOLERANCES[Quantity.OTHER_FIXING]
    return low - tolerance.allowance(value, low) <= value <= high + tolerance.allowance(value, high)


def _fixings(market: str, answers: tuple[_Answered, ...], last: date) -> set[Decimal]:
    """A pair's fixings of the days up to one, by the histories that reach back to them."""
    first = last - OLDER_FIXINGS
    return {
        value
        for answer, _ in answers
        if isinstance(answer, History) and answer.symbol == market
        if answer.days and answer.days[0] <= first
        for day, value in zip(answer.days, answer.values, strict=True)
        if first <= day <= last
    }


def _rates(area: str, answers: tuple[_Answered, ...], instant: datetime) -> set[Decimal]:
    """An area's rate at an instant: what the last decision by then set, or what the first one since
    had found. None where there was no decision since a day that was asked for, or where no answer
    reaches back to the instant."""
    told = {
        decision.known_from: decision
        for answer, since in answers
        if isinstance(answer, RateDecisions) and since and since <= instant.date().isoformat()
        for decision in answer.decisions
        if decision.area == area
    }
    by_then = [at for at in told if at <= instant]
    if by_then:
        return {told[max(by_then)].rate}
    return {told[min(told)].rate - told[min(told)].change / 100} if told else set()
