"""Verifies a published report from the report alone. No source is asked and no other file is
read."""

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Final, NamedTuple

from desk.analytics.prices.series import window_days
from desk.analytics.weeks import window_of
from desk.contracts.agents.config import VotingConfig
from desk.contracts.agents.search_attributes import COUNTED, Outcome
from desk.contracts.agents.tools import SourceOutage
from desk.contracts.agents.usage import Usage
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.document import MarketStatement
from desk.contracts.findings.results import Bounds, ConflictRecord
from desk.contracts.week.report import Freshness, ResearchReport
from desk.documents.audit import document
from desk.documents.audit.findings import AuditFinding, compared, differing
from desk.documents.evidence import source_of
from desk.learning.advice import policy_with
from desk.programs.week.document.audit.advice import advice_findings
from desk.programs.week.document.audit.tables import (
    TABLES,
    chart_findings,
    forecast_findings,
    lead_findings,
    reported_findings,
    table_findings,
    tone_findings,
)
from desk.programs.week.document.audit.texts import (
    change_findings,
    event_findings,
    objection_findings,
    text_findings,
)
from desk.programs.week.document.judging.claims import printed_claims, same_figure
from desk.programs.week.document.judging.conflicts import decided_by_rule
from desk.programs.week.document.sections.freshness import freshness_of
from desk.programs.week.document.sections.markets import revised_in
from desk.programs.week.document.sections.summary import said_in, titled
from desk.runs.assignments import merged_outages
from desk.runs.boards import usage_of
from desk.trust.claims.dollar_index import DOLLAR_INDEX, dollar_index_claims
from desk.trust.claims.week_counts import counts_by_sign, week_counts
from desk.trust.conflicts import Ranges, resolution_in_old_wording, state, state_on, target_ranges
from desk.trust.prose import references

CALLED: Final = "report"


def frame_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Checks that the report is of its week, has its markets, and has correct counts."""
    yield from _of_week(report)
    yield from _of_revisions(report)
    yield from _of_coverage(report)
    yield from _of_sections(report)


def _of_week(report: ResearchReport) -> Iterator[AuditFinding]:
    window = window_of(report.week, report.config.schedule, report.as_of)
    if report.window != window:
        yield AuditFinding("window", f"it is not the one of {report.week} as of {report.as_of}")
    if report.title not in (titled(report.week, report.config.markets), titled(report.week)):
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
        "current_threshold": (coverage.current_threshold, report.config.policy.thresholds.current),
    }
    if coverage.freshness is not None:
        built = _freshness(report)
        if not coverage.freshness.rates_known:
            # Reports of earlier versions only have the oldest day.
            built = built.model_copy(update={"rates_known": ()})
        sums["freshness"] = (coverage.freshness, built)
    for name, (printed, expected) in sums.items():
        if printed != expected:
            yield AuditFinding("coverage", f"{name} is {printed}, and should be {expected}")
    outcome = Outcome.COMPLETE if coverage.complete else Outcome.INCOMPLETE
    if report.outcome is not outcome:
        yield AuditFinding("outcome", f"it is {report.outcome}, and should be {outcome}")


def _freshness(report: ResearchReport) -> Freshness:
    return freshness_of(
        report.movers, report.policy_rates, report.calendar, report.evidence, report.window
    )


def _outages(report: ResearchReport) -> tuple[SourceOutage, ...]:
    lines = (line for section in report.markets for line in section.agents)
    return merged_outages(outage for line in lines for outage in line.outages)


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


def conflict_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Checks that every conflict is decided as the rules decide it, and that the chosen figure is
    printed."""
    claims, ranges = printed_claims(report), target_ranges(report.evidence)
    voting = policy_with(report.config.policy, report.advice, report.follows).voting
    for conflict in report.conflicts:
        where = f"conflict {conflict.conflict_id}"
        if conflict.bounds is not None and conflict.bounds not in _bounds(conflict, voting, ranges):
            yield AuditFinding(where, "nothing gives the bounds that it compares its figures by")
        again = decided_by_rule(conflict, voting)
        if again.resolved and conflict.resolution == resolution_in_old_wording(again):
            again = again.model_copy(update={"resolution": conflict.resolution})
        yield from differing(where, conflict, again)
        yield from _of_choice(where, conflict, claims)


def _bounds(conflict: ConflictRecord, voting: VotingConfig, ranges: Ranges) -> list[Bounds]:
    """The band and the target range of a conflict's subject, if there are any."""
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


def _used(report: ResearchReport) -> set[str]:
    return {
        *(name for part in report.markets for claim in part.claims for name in claim.evidence),
        *(tone.evidence_id for part in report.markets for tone in part.tones),
        *(story.evidence_id for part in report.markets for story in part.reported),
    }


def claim_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Checks that every claim follows from its evidence and is the same in every market."""
    week = printed_claims(report)
    if report.counts:
        again = week_counts(
            week,
            report.config.markets,
            window_days(report.window)[0],
            by_sign=counts_by_sign(report.counts),
        )
        if any(claim.subject == DOLLAR_INDEX for claim in report.counts):
            again |= dollar_index_claims(week)
        yield from compared("counts", report.counts, tuple(again.values()))
    yield from document.claim_findings(report, report.statements, _place)
    for section in report.markets:
        for claim in section.claims:
            if not same_figure(claim, week[claim.claim_id]):
                where = f"{_place(section)}claim {claim.claim_id}"
                yield AuditFinding(where, "another market states it differently")


def verdict_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Checks that every claim has exactly one verdict, and that no printed claim is rejected."""
    for section in report.markets:
        names = {verdict.claim_id for verdict in section.verdicts}
        if len(names) < len(section.verdicts):
            yield AuditFinding(section.market, "a claim has more than one verdict")
        for claim in section.claims:
            if claim.claim_id not in names:
                yield AuditFinding(f"{_place(section)}verdict on {claim.claim_id}", "there is none")
        yield from document.verdict_findings(report, (section,), _place)


def _place(section: MarketStatement) -> str:
    return f"{section.market}, "


CHECKS: Final[document.Checks[ResearchReport]] = {
    "seal": lambda report: document.seal_findings(report, report.seal, CALLED),
    "frame": frame_findings,
    "evidence": lambda report: document.evidence_findings(report, with_refusals=True),
    "source": lambda report: document.source_findings(
        report, source_of, _used(report), "a claim or a tone rests on it and no source is listed"
    ),
    "claim": claim_findings,
    "verdict": verdict_findings,
    "conflict": conflict_findings,
    "event": event_findings,
    "text": text_findings,
    "objection": objection_findings,
    "change": change_findings,
    "table": table_findings,
    "lead": lead_findings,
    "chart": chart_findings,
    "tone": tone_findings,
    "reported": reported_findings,
    "advice": advice_findings,
    "forecast": forecast_findings,
}


class Counts(NamedTuple):
    """The numbers of things to verify in a report. A figure that is printed twice counts twice."""

    claims: int
    tool_results: int
    printed_figures: int
    tables: int


def audit(report: ResearchReport) -> tuple[AuditFinding, ...]:
    """Returns everything in a report that does not follow from its evidence; empty if all of it
    does.

    The seal shows that something was changed; the other checks show what. Only the seal protects
    confidences, leanings, remarks, the words between the figures, and the outcomes of other weeks
    behind the scorecard.
    """
    return document.found_by(CHECKS, report, CALLED)


def counted(report: ResearchReport) -> Counts:
    """Counts the claims, tool results, printed figures and tables that an audit checks."""
    lead = said_in(report.lead) if report.lead and report.lead.written else ()
    prose = (
        *(line.prose for line in (*lead, *report.commentary, *report.summary)),
        *(row.outcome.prose for row in report.calendar),
        *(change.prose for change in report.changes.entries),
        *(check.prose for check in report.cross_checks),
        *(event.description for section in report.markets for event in section.events),
        *(found.statement for section in report.markets for found in section.findings),
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
