"""The last part of an audit: the report is compiled again from its evidence by its analysts, and
compared.

The built-in analysts' words are written again and compared word for word. A model's words cannot
be: their figures are verified, and its sentences are counted.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from desk.contracts.agents.tools import MOST_EVIDENCE
from desk.contracts.agents.usage import BUILTIN, BUILTIN_VERSION
from desk.contracts.findings.results import MarketEvent, ResearchResult, ValidationResult
from desk.contracts.runs.week import WeekRecord
from desk.contracts.week.changes import Changes
from desk.contracts.week.plan import WeekPlan
from desk.contracts.week.report import (
    Lead,
    MarketOutcome,
    MarketReport,
    ResearchReport,
    RevisionKind,
)
from desk.documents.audit.findings import AuditFinding, compared, differing
from desk.programs.week.document.compile_report import compile_report
from desk.programs.week.document.sections.summary import said_in

Derived = Mapping[str, MarketOutcome]
"""The outcomes of markets by the built-in analysts, from the evidence in a report."""


class Wording(NamedTuple):
    """The numbers of a report's sentences by origin: compiled again by the built-in analysts, by
    models, of markets that another version of the analysts worked on, and of an answer."""

    derived: int = 0
    by_models: int = 0
    by_others: int = 0
    in_answer: int = 0


def wording(report: ResearchReport) -> Wording:
    """Counts the sentences of a report that can be verified word for word, and those that
    cannot."""
    of_models = len(report.commentary) + _written_in(report.lead)
    counts = {"derived": len(report.summary), "by_models": of_models, "by_others": 0}
    for section in report.markets:
        counts[_told_by(section)] += (
            len(section.events)
            + len(section.findings)
            + len(section.warnings)
            + len(section.objections)
            + len(section.missing)
            + (section.recommendation is not None)
        )
    return Wording(**counts)


def _written_in(lead: Lead | None) -> int:
    """Counts the sentences of a lead that a commentator wrote: its headline and those of its
    themes."""
    if lead is None or not lead.written:
        return 0
    of_model = tuple(theme for theme in lead.themes if theme.written)
    return sum(1 for _ in said_in(lead.model_copy(update={"themes": of_model})))


def by_builtin(section: MarketReport) -> bool:
    """Returns whether a section's content is by the built-in analysts of this version, or empty
    because no agent delivered."""
    delivered = any(line.delivered for line in section.agents)
    return section.version == BUILTIN_VERSION or not delivered


def word_findings(report: ResearchReport, derived: Derived) -> Iterator[AuditFinding]:
    """Yields where a report differs from what its analysts compile from the same evidence.

    A market that is not among the `derived` is taken as its section has it. Only the other parts of
    the audit check it.
    """
    again = _compiled(report, derived)
    for section, expected in zip(report.markets, again.markets, strict=False):
        if section.market in derived:
            yield from differing(section.market, section, expected)
    if any(section.market not in derived and section.agents for section in report.markets):
        return
    for name in ("outcome", "coverage"):
        if getattr(report, name) != getattr(again, name):
            yield AuditFinding(name, "it is not what the evidence comes to")
    yield from compared("conflicts", report.conflicts, again.conflicts)
    yield from compared("sources", report.sources, again.sources)


def _told_by(section: MarketReport) -> str:
    if by_builtin(section):
        return "derived"
    models = any(line.usage.model != BUILTIN for line in section.agents)
    return "by_models" if models else "by_others"


def _compiled(report: ResearchReport, derived: Derived) -> ResearchReport:
    outcomes = tuple(
        _with_kept(derived[section.market], section, report)
        if section.market in derived
        else _rebuilt_outcome(section, report)
        for section in report.markets
        if section.agents
    )
    record = WeekRecord(
        week=report.week,
        window=report.window,
        plan=WeekPlan(task_id="audit", week=report.week, markets=(), follows=report.follows),
        planning=report.planning,
        commenting=report.commenting,
        outcomes=outcomes,
        revisions=report.revisions,
        started_at=report.timings.started_at,
        advice=report.advice,
    )
    return compile_report(
        record,
        report.config,
        finished_at=report.timings.finished_at,
        workflow_id=report.timings.workflow_id,
        run_id=report.timings.run_id,
    ).model_copy(update={"changes": Changes()})


def _with_kept(
    outcome: MarketOutcome, section: MarketReport, report: ResearchReport
) -> MarketOutcome:
    """Adds what a rerun without findings reported as missing, beside the earlier findings that
    remained."""
    rerun = {line.market for line in report.revisions if line.kind is RevisionKind.RERUN}
    if section.market not in rerun:
        return outcome
    added = tuple(line for line in section.missing if line not in outcome.missing)
    return outcome.model_copy(update={"missing": (*outcome.missing, *added)[-20:]})


def _rebuilt_outcome(section: MarketReport, report: ResearchReport) -> MarketOutcome:
    """Rebuilds the outcome that a section was compiled from. It is needed to compile the other
    markets."""
    agent = section.agents[0].agent
    events = tuple(
        MarketEvent.model_validate(event.model_dump(include=set(MarketEvent.model_fields)))
        for event in section.events[:100]
    )
    result = ResearchResult(
        result_id=f"{section.market}/told",
        task_id=section.market,
        agent=agent,
        market=section.market,
        claims=section.claims[:200],
        events=events,
        views=section.views[:20],
        suspects=section.suspects[:20],
        confidence=section.confidence,
    )
    validation = ValidationResult(
        validation_id=f"{section.market}/told",
        task_id=section.market,
        agent=agent,
        market=section.market,
        research_results=(result.result_id,),
        verdicts=section.verdicts[:400],
        verified_events=tuple(e.event_id for e in section.events if e.verified)[:100],
        recommendation=section.recommendation or "none",
        confidence=section.confidence,
    )
    own = f"{section.market}/"
    return MarketOutcome(
        market=section.market,
        outcome=section.outcome,
        results=(result,),
        validation=validation,
        conflicts=tuple(c for c in report.conflicts if c.market == section.market)[:50],
        evidence=tuple(r for r in report.evidence if r.call.call_id.startswith(own))[
            :MOST_EVIDENCE
        ],
        agents=section.agents,
        missing=section.missing[:20],
        spent_before=section.spent_before,
    )
