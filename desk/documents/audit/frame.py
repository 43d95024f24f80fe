"""An audit's fifth part: week, window, revisions, coverage and the other sums of a report."""

from collections.abc import Iterator
from functools import reduce

from desk.analytics.weeks import window_of
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import SourceOutage
from desk.contracts.agents.usage import Usage
from desk.contracts.week.report import ResearchReport
from desk.documents.audit.findings import AuditFinding
from desk.documents.report.compile_report import titled
from desk.documents.report.coverage import COUNTED
from desk.documents.report.markets.markets import revised_in
from desk.runs.assignments.outages import together
from desk.runs.boards.usage import usage_of


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
