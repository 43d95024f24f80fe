"""How far the figures can be relied on, in words: verdicts, conflicts, and what was left out."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from desk.contracts.findings.document import Statement
from desk.contracts.findings.results import ConflictRecord, DecidedBy, ObjectionOutcome, Position
from desk.contracts.findings.verdicts import ClaimCheck, ClaimStatus, ClaimVerdict
from desk.contracts.week.report import (
    MarketReport,
    ReportedEvent,
    ReportedObjection,
    ResearchReport,
)
from desk.documents.rendering.wording import human, share_words
from desk.trust.judging import is_about

STATUS_WORDS: Final[Mapping[ClaimStatus, str]] = {
    ClaimStatus.VERIFIED: "verified",
    ClaimStatus.SINGLE_SOURCE: "single source",
    ClaimStatus.CONTESTED: "contested",
    ClaimStatus.REJECTED: "rejected",
}
CHECK_WORDS: Final[Mapping[ClaimCheck, str]] = {
    ClaimCheck.EVIDENCE: "its evidence",
    ClaimCheck.UNIT: "its unit",
    ClaimCheck.DATE: "its day",
    ClaimCheck.VALUE: "its value against the evidence",
    ClaimCheck.FORMULA: "its formula computed again",
    ClaimCheck.SECOND_SOURCE: "a second source",
    ClaimCheck.SERIES: "another origin's series",
    ClaimCheck.CROSS_MARKET: "the other markets",
}
UNCHECKED: Final = "not checked"
WITHHELD: Final = "no position holds, and the figure is withheld"


def verdicts_of(statement: Statement) -> dict[str, ClaimVerdict]:
    """A section's verdicts by claim."""
    return {verdict.claim_id: verdict for verdict in statement.verdicts}


def status_words(verdict: ClaimVerdict | None) -> str:
    """`verified`, `single source`, `contested`; `not checked` where there is no verdict."""
    return UNCHECKED if verdict is None else STATUS_WORDS[verdict.status]


def check_words(verdict: ClaimVerdict | None) -> str:
    """The check that decided: `a second source`. Empty where there is no verdict."""
    return "" if verdict is None else CHECK_WORDS[verdict.decided_by]


def verdict_words(verdict: ClaimVerdict | None) -> str:
    """The verdict, the check that decided and its reason, in a sentence or two."""
    if verdict is None:
        return "Not checked: the validator gave no verdict on it."
    words = f"{status_words(verdict).capitalize()}, decided by {check_words(verdict)}"
    reason = verdict.words.strip().rstrip(".")
    return f"{words}: {reason}." if reason else f"{words}."


def position_words(position: Position) -> str:
    """What a party holds: who states what, from which source, and what it weighs."""
    if position.abstains:
        return f"{human(position.agent)}, weight 0"
    origin = f", first published by {position.origin}" if position.origin else ""
    return (
        f"{human(position.agent)} states {position.stated} from {position.source} "
        f"({position.tier}{origin}), confidence {share_words(position.confidence)}, "
        f"weight {position.weight:.2f}"
    )


def state_words(conflict: ConflictRecord) -> str:
    """Whether a conflict is settled, and by whom or what."""
    if not conflict.resolved:
        return "waiting for a person"
    if conflict.decided_by is DecidedBy.PERSON:
        return f"decided by {conflict.decided_by_whom or 'a person'}"
    if conflict.decided_by is DecidedBy.VOTE:
        return "decided by vote"
    if conflict.decided_by is DecidedBy.DEFAULT:
        return "decided by default, nobody answered in time"
    if conflict.decided_by is DecidedBy.PUBLISHER:
        return "decided by the figure's own publisher"
    return "resolved"


def outcome_words(conflict: ConflictRecord) -> str:
    """Which position holds; what is withheld where none does."""
    if conflict.chosen is None:
        return WITHHELD if conflict.resolved else "undecided so far"
    return f"{conflict.chosen} holds"


def standing_words(conflict: ConflictRecord, position: Position) -> str:
    """What became of a position: it `holds`, `abstains` or is the `dissent`. Empty while the
    conflict waits."""
    if position.abstains:
        return "abstains"
    if not conflict.resolved:
        return ""
    return "holds" if position.stated == conflict.chosen else "dissent"


OUTCOME_WORDS: Final[Mapping[ObjectionOutcome, str]] = {
    ObjectionOutcome.CONFIRMED: "confirmed by evidence",
    ObjectionOutcome.DISPROVED: "disproved by evidence",
    ObjectionOutcome.UNSETTLED: "not settled by evidence",
}


def objections_to(event: ReportedEvent, market: MarketReport) -> tuple[ReportedObjection, ...]:
    """The objections that are printed beside an event: those that it is named in, and those that
    name no event and are about one of the claims that its prose refers to."""
    return tuple(each for each in market.objections if is_about(each, event))


def other_objections(
    market: MarketReport, events: Iterable[ReportedEvent]
) -> tuple[ReportedObjection, ...]:
    """The objections that are printed beside none of the events: what they are about was taken out,
    or is told elsewhere."""
    told = [event for event in events if market.objections]
    return tuple(
        each for each in market.objections if not any(is_about(each, event) for event in told)
    )


def objection_words(objection: ReportedObjection) -> str:
    """How grave an objection is, what became of it and why, and what it says: in that order, so
    that nobody reads one that is disproved for one that stands."""
    outcome = OUTCOME_WORDS[objection.outcome]
    return f"{objection.severity}, {outcome} ({objection.reason}): {objection.text}"


def rejected_lines(report: ResearchReport) -> tuple[str, ...]:
    """For each market with rejected claims how many, and by which checks. Never their values."""
    return tuple(
        f"{market.market}: {_count(sum(checks.values()), 'figure')} withheld, rejected by "
        + ", ".join(_by_check(check, count) for check, count in sorted(checks.items()))
        for market in report.markets
        if (checks := rejections(market))
    )


def rejections(market: MarketReport) -> Counter[ClaimCheck]:
    """How many claims of a market each check rejected."""
    rejected = (line for line in market.verdicts if line.status is ClaimStatus.REJECTED)
    return Counter(line.decided_by for line in rejected)


def dropped_lines(report: ResearchReport) -> tuple[str, ...]:
    """For each market with dropped sentences how many, where they stood and why."""
    return tuple(
        f"{market.market}: {_count(len(market.dropped), 'sentence')} left out: "
        + "; ".join(_unique(f"{line.place}, {line.reason}" for line in market.dropped))
        for market in report.markets
        if market.dropped
    )


def trust_line(report: ResearchReport) -> str | None:
    """Conflicts, rejected figures, dropped sentences and tasks done in a lesser way than planned,
    counted; None when there are none."""
    waiting = sum(not conflict.resolved for conflict in report.conflicts)
    decided = len(report.conflicts) - waiting
    rejected = sum(sum(rejections(market).values()) for market in report.markets)
    dropped = sum(len(market.dropped) for market in report.markets)
    lines = [line for market in report.markets for line in market.agents]
    lines += [line for line in (report.planning, report.commenting) if line is not None]
    lesser = sum(line.remark is not None for line in lines)
    parts = (
        f"{_count(waiting, 'conflict')} waiting for a person" if waiting else "",
        f"{_count(decided, 'conflict')} decided" if decided else "",
        f"{_count(rejected, 'figure')} rejected" if rejected else "",
        f"{_count(dropped, 'sentence')} left out" if dropped else "",
        f"{_count(lesser, 'task')} done in a lesser way" if lesser else "",
    )
    return ", ".join(part for part in parts if part) or None


def _by_check(check: ClaimCheck, count: int) -> str:
    return f"{CHECK_WORDS[check]} ({count})"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _unique(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))
