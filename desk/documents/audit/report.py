"""Verifying a published report from itself: nothing is asked, and nothing else is read."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from itertools import chain
from typing import NamedTuple

from desk.analytics.weeks import window_of
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import SourceOutage, ToolResult, ToolStatus
from desk.contracts.agents.usage import Usage
from desk.contracts.config import VotingConfig
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import Bounds, ConflictRecord
from desk.contracts.findings.verdicts import ClaimStatus, ClaimVerdict
from desk.contracts.week.report import MarketReport, ResearchReport
from desk.documents.audit.changes import change_findings
from desk.documents.audit.findings import AuditFinding, compared, differing
from desk.documents.audit.prose import event_findings, objection_findings, text_findings
from desk.documents.audit.tables import (
    TABLES,
    advice_findings,
    chart_findings,
    forecast_findings,
    table_findings,
    tone_findings,
)
from desk.documents.report.claims import printed_claims, same_figure
from desk.documents.report.compile_report import titled
from desk.documents.report.conflicts import decided_by_rule
from desk.documents.report.coverage import COUNTED
from desk.documents.report.evidence import source_of
from desk.documents.report.markets.markets import revised_in
from desk.learning.advice import policy_with
from desk.runs.assignments.outages import together
from desk.runs.boards.usage import usage_of
from desk.trust.claims.week_counts import week_counts
from desk.trust.conflicts import Ranges, state, state_on, target_ranges
from desk.trust.ledger import EvidenceUnusable, Ledger, seal_of, verified_answer
from desk.trust.prose import references


def frame_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether the report is of its week, has its markets, and counts itself right."""
    yield from _of_week(report)
    yield from _of_revisions(report)
    yield from _of_coverage(report)
    yield from _of_sections(report)


def _of_week(report: ResearchReport) -> Iterator[AuditFinding]:
    window = window_of(report.week, report.config.schedule, report.as_of)
    if report.window != window:
        yield AuditFinding("window", f"it is not the one of {report.week} as of {report.as_of}")
    if report.title != titled(report.week):
        yield AuditFinding("title", f"it is not that of {report.week}")
    took = (report.timings.finished_at - report.timings.started_at).total_seconds()
    if report.timings.seconds != took:
        yield AuditFinding(
            "timings", f"the run took {took} s, and it says {report.timings.seconds}"
        )


def _of_revisions(report: ResearchReport) -> Iterator[AuditFinding]:
    numbers = [line.revision for line in report.revisions]
    if numbers != sorted(set(numbers)):
        yield AuditFinding("revisions", "they are not numbered upwards")
    if report.revision != max(numbers, default=1):
        yield AuditFinding("revisions", f"the report is r{report.revision}, which is not the last")
    for section in report.markets:
        if section.revised_in != revised_in(section.market, report.revisions):
            yield AuditFinding(f"{section.market}, revision", f"it is not r{section.revised_in}")


def _of_coverage(report: ResearchReport) -> Iterator[AuditFinding]:
    coverage = report.coverage
    there = [section.market for section in report.markets if section.outcome in COUNTED]
    absent = tuple(s.market for s in report.markets if s.outcome not in COUNTED)
    sums = {
        "expected": (coverage.expected, len(report.config.markets)),
        "researched": (coverage.researched, len(there)),
        "missing": (tuple(line.market for line in coverage.missing), absent),
        "outages": (coverage.outages, _outages(report)),
        "threshold": (coverage.threshold, report.config.policy.thresholds.coverage),
    }
    for name, (printed, expected) in sums.items():
        if printed != expected:
            yield AuditFinding("coverage", f"{name} is {printed}, and should be {expected}")
    outcome = Outcome.COMPLETE if coverage.complete else Outcome.INCOMPLETE
    if report.outcome is not outcome:
        yield AuditFinding("outcome", f"it is {report.outcome}, and should be {outcome}")


def _outages(report: ResearchReport) -> tuple[SourceOutage, ...]:
    lines = (line for section in report.markets for line in section.agents)
    return together(outage for line in lines for outage in line.outages)


def _of_sections(report: ResearchReport) -> Iterator[AuditFinding]:
    printed = [(section.market, section.kind, section.group) for section in report.markets]
    expected = [(spec.market, spec.kind, spec.group) for spec in report.config.markets]
    if printed != expected:
        yield AuditFinding("markets", "they are not those of the configuration, in its order")
    known = {claim.claim_id for section in report.markets for claim in section.claims}
    for section in report.markets:
        for view in section.views:
            for name in view.claims:
                if name not in known:
                    where = f"{section.market}, view of {view.subject}"
                    yield AuditFinding(where, f"it rests on {name}, which is no claim")
    lines = (line for section in report.markets for line in section.agents)
    summed = usage_of([report.planning, report.commenting, *lines])
    before = reduce(Usage.plus, (section.spent_before for section in report.markets), Usage())
    if report.usage != summed.plus(before).model_copy(update={"model": summed.model}):
        yield AuditFinding("usage", "it is not the sum of what the agents used")


def claim_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether every claim follows from its evidence and states the same in every market."""
    ledger = Ledger(
        report.config.markets, report.window, report.config.policy.base_area, report.evidence
    )
    week = printed_claims(report)
    if report.counts:
        again = week_counts(week, report.config.markets)
        yield from compared("counts", report.counts, tuple(again.values()))
    for section in report.markets:
        own = {claim.claim_id: claim for claim in section.claims}
        counts = Counter(claim.claim_id for claim in section.claims)
        for claim in section.claims:
            where = f"{section.market}, claim {claim.claim_id}"
            if counts[claim.claim_id] > 1:
                yield AuditFinding(where, "the market states it more than once")
            if not same_figure(claim, week[claim.claim_id]):
                yield AuditFinding(where, "another market states it differently")
            objection = ledger.objection(claim, own)
            if objection is not None:
                yield AuditFinding(where, f"{objection.words} ({objection.check})")


def verdict_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether every claim has a verdict, and none that is printed is rejected."""
    known = {result.evidence_id for result in report.evidence}
    for section in report.markets:
        by_claim = {verdict.claim_id: verdict for verdict in section.verdicts}
        if len(by_claim) < len(section.verdicts):
            yield AuditFinding(section.market, "a claim has more than one verdict")
        for claim in section.claims:
            where = f"{section.market}, verdict on {claim.claim_id}"
            verdict = by_claim.get(claim.claim_id)
            if verdict is None:
                yield AuditFinding(where, "there is none")
            elif verdict.status is ClaimStatus.REJECTED:
                yield AuditFinding(where, "it is rejected, and printed all the same")
        for verdict in section.verdicts:
            yield from _of_verdict(section, verdict, known)


def _of_verdict(
    section: MarketReport, verdict: ClaimVerdict, known: set[str]
) -> Iterator[AuditFinding]:
    where = f"{section.market}, verdict on {verdict.claim_id}"
    if verdict.status is ClaimStatus.VERIFIED and len(set(verdict.origins)) < 2:
        yield AuditFinding(where, "it is verified, and fewer than two origins support it")
    absent = [name for name in verdict.evidence if name not in known]
    if absent:
        yield AuditFinding(where, f"it rests on {', '.join(absent)}, which is no tool result here")


def conflict_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether every conflict is as its rules decide it, and prints the figure that was chosen."""
    claims, ranges = printed_claims(report), target_ranges(report.evidence)
    voting = policy_with(report.config.policy, report.advice, report.follows).voting
    for conflict in report.conflicts:
        where = f"conflict {conflict.conflict_id}"
        if conflict.bounds is not None and conflict.bounds not in _bounds(conflict, voting, ranges):
            yield AuditFinding(where, "nothing gives the bounds that it compares its figures by")
        again = decided_by_rule(conflict, voting)
        yield from differing(where, conflict, again)
        yield from _of_choice(where, conflict, claims)


def _bounds(conflict: ConflictRecord, voting: VotingConfig, ranges: Ranges) -> list[Bounds]:
    """The band and the target range of what a conflict is about, as far as there are any."""
    subjects = {p.claim_id.partition(":")[0] for p in conflict.positions if p.claim_id}
    bands = [voting.bands[subject] for subject in subjects if subject in voting.bands]
    return [
        *(Bounds(low=band.low, high=band.high) for band in bands),
        *(ranges[subject].bounds for subject in subjects if subject in ranges),
    ]


def _of_choice(
    where: str, conflict: ConflictRecord, claims: Mapping[str, Claim]
) -> Iterator[AuditFinding]:
    for name in dict.fromkeys(p.claim_id for p in conflict.positions if p.claim_id):
        claim = claims.get(name)
        if claim is None:
            continue
        if conflict.chosen is None:
            yield AuditFinding(where, f"{name} is withheld, and printed all the same")
        elif conflict.chosen not in (state(claim.value, claim.unit), state_on(claim)) and any(
            p.claim_id == name and p.stated == conflict.chosen for p in conflict.positions
        ):
            yield AuditFinding(where, f"{conflict.chosen} was chosen, and {name} says otherwise")


def seal_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether the report is as it was when it was sealed."""
    if report.seal != seal_of(report):
        yield AuditFinding("seal", "the report is not the one that was sealed")


def evidence_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether every tool result is unchanged, of the as-of instant and an answer to its call."""
    held: dict[str, ToolResult] = {}
    for result in report.evidence:
        where = f"evidence {result.evidence_id}"
        if held.setdefault(result.evidence_id, result) is not result:
            yield AuditFinding(where, "two tool results go by this id")
        if result.status is not ToolStatus.OK:
            if result.content is not None or result.content_hash is not None:
                yield AuditFinding(where, f"a call that was {result.status} has no content")
            continue
        try:
            verified_answer(result, report.window)
        except EvidenceUnusable as unusable:
            yield AuditFinding(where, str(unusable))


def source_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether every source is that of a tool result, asked and attributed as the result says."""
    held = {result.evidence_id: result for result in report.evidence}
    for number, source in enumerate(report.sources, start=1):
        where = f"source {number}, {source.evidence_id}"
        result = held.get(source.evidence_id)
        if result is None:
            yield AuditFinding(where, "there is no tool result of that id")
        else:
            yield from differing(where, source, source_of(result, source))
    named = {source.evidence_id for source in report.sources}
    for name in sorted(_used(report) - named):
        where = f"evidence {name}"
        yield AuditFinding(where, "a claim or a tone rests on it and no source is listed")


def _used(report: ResearchReport) -> set[str]:
    return {
        name for section in report.markets for claim in section.claims for name in claim.evidence
    } | {tone.evidence_id for section in report.markets for tone in section.tones}


PARTS = (
    seal_findings,
    frame_findings,
    evidence_findings,
    source_findings,
    claim_findings,
    verdict_findings,
    conflict_findings,
    event_findings,
    text_findings,
    objection_findings,
    change_findings,
    table_findings,
    chart_findings,
    tone_findings,
    advice_findings,
    forecast_findings,
)


class Counts(NamedTuple):
    """What there is to verify in a report. A figure that is printed twice counts twice."""

    claims: int
    tool_results: int
    printed_figures: int
    tables: int


def audit(report: ResearchReport) -> tuple[AuditFinding, ...]:
    """Everything in a report that does not follow from its evidence; nothing when all of it does.

    The seal tells that something was changed, the rest tells what. Confidences, leanings, remarks
    and the words between the figures are the agents' own, and the outcomes behind the scorecard
    those of other weeks: only the seal guards them.
    """
    return tuple(chain.from_iterable(_found_by(part, report) for part in PARTS))


def _found_by(
    part: Callable[[ResearchReport], Iterator[AuditFinding]], report: ResearchReport
) -> Iterator[AuditFinding]:
    """What a part finds. One that a report's contradictions stop in its tracks has found them."""
    try:
        yield from part(report)
    except (ValueError, LookupError, ArithmeticError) as error:
        where = part.__name__.removesuffix("_findings").replace("_", " ")
        yield AuditFinding(where, f"the report contradicts itself: {error}")


def counted(report: ResearchReport) -> Counts:
    """How many claims, tool results, printed figures and tables an audit looks at."""
    prose = (
        *(line.prose for line in (*report.commentary, *report.summary)),
        *(row.outcome.prose for row in report.calendar),
        *(change.prose for change in report.changes.entries),
        *(check.prose for check in report.cross_checks),
        *(event.description for section in report.markets for event in section.events),
    )
    cells = (
        value
        for row in (*report.movers, *report.policy_rates)
        for name in ("last", "move", "z_score", "range_position", "rate", "differential")
        if (value := getattr(row, name, None)) is not None
    )
    return Counts(
        claims=len(report.counts) + sum(len(section.claims) for section in report.markets),
        tool_results=len(report.evidence),
        printed_figures=sum(len(references(text)) for text in prose) + sum(1 for _ in cells),
        tables=len(TABLES) + sum(bool(section.days) for section in report.markets),
    )
