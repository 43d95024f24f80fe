"""The words for objections, withheld claims and dropped sentences of a week."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from desk.analytics.names.shortening import on_one_line
from desk.contracts.base import MOST_SHORT
from desk.contracts.findings.results import ObjectionOutcome
from desk.contracts.findings.verdicts import ClaimCheck, ClaimStatus
from desk.contracts.week.report import (
    MarketReport,
    ReportedEvent,
    ReportedFinding,
    ReportedObjection,
    ResearchReport,
)
from desk.documents.rendering.words.trust import CHECK_WORDS
from desk.trust.prose import is_about, is_about_finding

OUTCOME_WORDS: Final[Mapping[ObjectionOutcome, str]] = {
    ObjectionOutcome.CONFIRMED: "confirmed by evidence",
    ObjectionOutcome.DISPROVED: "disproved by evidence",
    ObjectionOutcome.UNSETTLED: "not settled by evidence",
}


def objections_to(event: ReportedEvent, market: MarketReport) -> tuple[ReportedObjection, ...]:
    """Returns the objections printed beside an event: those that name it, and those without an
    event about a claim that its prose refers to, unless they are printed beside a finding."""
    of_findings = {
        each for found in market.findings for each in objections_to_finding(found, market)
    }
    about = (each for each in market.objections if is_about(each, event))
    return tuple(each for each in about if each not in of_findings)


def objections_to_finding(
    finding: ReportedFinding, market: MarketReport
) -> tuple[ReportedObjection, ...]:
    """Returns the objections printed beside a finding: those that name the claims it refers to."""
    return tuple(e for e in market.objections if is_about_finding(e, finding.statement))


def other_objections(
    market: MarketReport, events: Iterable[ReportedEvent]
) -> tuple[ReportedObjection, ...]:
    """Returns the objections that are not printed beside an event or finding, because their subject
    was removed or is printed elsewhere."""
    beside = {each for event in events for each in objections_to(event, market)}
    beside |= {o for found in market.findings for o in objections_to_finding(found, market)}
    return tuple(each for each in market.objections if each not in beside)


def objection_words(objection: ReportedObjection) -> str:
    """Returns the severity of an objection, how it was settled and why, then its text. In this
    order a disproved objection is not mistaken for a valid one."""
    outcome = OUTCOME_WORDS[objection.outcome]
    return f"{objection.severity}, {outcome} ({objection.reason}): {objection.text}"


def rejected_lines(report: ResearchReport) -> tuple[str, ...]:
    """Says for each market with rejected claims how many there are and which checks rejected them,
    without their values."""
    return tuple(
        f"{market.market}: {_count(sum(checks.values()), 'figure')} withheld, rejected by "
        + ", ".join(_by_check(check, count) for check, count in sorted(checks.items()))
        for market in report.markets
        if (checks := rejections(market))
    )


def rejections(market: MarketReport) -> Counter[ClaimCheck]:
    """Counts the claims of a market that each check rejected."""
    rejected = (line for line in market.verdicts if line.status is ClaimStatus.REJECTED)
    return Counter(line.decided_by for line in rejected)


def dropped_lines(report: ResearchReport) -> tuple[str, ...]:
    """Says for each market with dropped sentences how many there are, where they were and why they
    were dropped."""
    return tuple(
        f"{market.market}: {_count(len(market.dropped), 'sentence')} left out: "
        + "; ".join(_unique(f"{line.place}, {line.reason}" for line in market.dropped))
        for market in report.markets
        if market.dropped
    )


def trust_line(report: ResearchReport) -> str | None:
    """Returns the numbers of conflicts, rejected figures, dropped sentences and tasks done with
    less than planned, with the reason for the first of these; None without any."""
    waiting = sum(not conflict.resolved for conflict in report.conflicts)
    decided = len(report.conflicts) - waiting
    rejected = sum(sum(rejections(market).values()) for market in report.markets)
    dropped = sum(len(market.dropped) for market in report.markets)
    lines = [line for market in report.markets for line in market.agents]
    lines += [line for line in (report.planning, report.commenting) if line is not None]
    lesser = [line.remark for line in lines if line.remark is not None]
    parts = (
        f"{_count(waiting, 'conflict')} waiting for a person" if waiting else "",
        f"{_count(decided, 'conflict')} decided" if decided else "",
        f"{_count(rejected, 'figure')} rejected" if rejected else "",
        f"{_count(dropped, 'sentence')} left out" if dropped else "",
        _less_than_planned(lesser) if lesser else "",
    )
    return ", ".join(part for part in parts if part) or None


def _less_than_planned(remarks: Sequence[str]) -> str:
    first = on_one_line(remarks[0], MOST_SHORT)
    return f"{_count(len(remarks), 'task')} done with less than planned ({first})"


def _by_check(check: ClaimCheck, count: int) -> str:
    return f"{CHECK_WORDS[check]} ({count})"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _unique(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))
