"""From what the markets' workflows returned to the report that is published."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import ToolResult
from desk.contracts.config import RunConfig, VotingConfig
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import Commentary
from desk.contracts.findings.source_results import History
from desk.contracts.week.changes import Changes
from desk.contracts.week.report import MarketReport, ResearchReport, Sentence, Timings
from desk.contracts.week.run import WeekRecord
from desk.learning.advice import policy_with
from desk.programs.week.document.judging.claims import printed_claims, returned_by
from desk.programs.week.document.judging.conflicts import withheld_in
from desk.programs.week.document.judging.judgement import JudgedWeek, judge
from desk.programs.week.document.judging.verdicts import with_contested
from desk.programs.week.document.sections.calendar import calendar_of
from desk.programs.week.document.sections.changes import changes_between
from desk.programs.week.document.sections.coverage import coverage_of
from desk.programs.week.document.sections.cross_checks import (
    CrossMarketCase,
    contested_by,
    cross_checks_of,
)
from desk.programs.week.document.sections.evidence import SERIES_TOOL, evidence_of, sources_of
from desk.programs.week.document.sections.markets import market_report, revised_in
from desk.programs.week.document.sections.summary import summary_of
from desk.programs.week.document.sections.tables import movers_of, rate_rows_of
from desk.programs.week.document.sections.tone import banks_in, with_tones
from desk.runs.boards import usage_of_week
from desk.trust.claims.week_counts import week_counts
from desk.trust.ledger import sealed
from desk.trust.prose import clip, review, sentence, without_rejected


def commentary_of(written: Commentary | None, claims: Mapping[str, Claim]) -> tuple[Sentence, ...]:
    """The sentences whose figures are all printed claims, in a form that fits them. The others are
    left out."""
    if written is None:
        return ()
    kept = without_rejected(written, review(written, claims))
    if not isinstance(kept, Commentary):
        raise TypeError(f"the review of a commentary gave a {kept.kind}")
    return tuple(sentence(prose, claims) for prose in kept.sentences)


TITLE = "Asia and G10 currencies and policy rates"


def titled(week: str) -> str:
    """The title of a week's report."""
    return f"{TITLE}, {week}"


def compile_report(
    record: WeekRecord,
    config: RunConfig,
    *,
    finished_at: datetime,
    workflow_id: str,
    run_id: str,
    previous: ResearchReport | None = None,
    previous_note: str | None = None,
) -> ResearchReport:
    """The sealed report of a week, with a section for every configured market.

    Printed is what stands after the conflicts, follows from its evidence and was not rejected.
    `previous` is the report that changes are told against, `previous_note` what is to be said of
    how it was found.

    Pure: identical inputs give an identical report, but for `timings` and the instants at which
    the sources were asked. Outcomes of markets that are not configured are left out.
    """
    week = judge(record.outcomes, config, record.window, _voting(record, config))
    timings = Timings(
        started_at=record.started_at,
        finished_at=finished_at,
        seconds=(finished_at - record.started_at).total_seconds(),
        workflow_id=workflow_id,
        run_id=run_id,
    )
    report = _without_remarks(week, record, config, timings)
    claims = printed_claims(report)
    changes = changes_between(previous, report, config.policy.materiality)
    report = report.model_copy(
        update={
            **_commentary(record, claims),
            "summary": summary_of(report, claims),
            "changes": _with_note(changes, previous_note),
        }
    )
    return sealed(report)


def _voting(record: WeekRecord, config: RunConfig) -> VotingConfig:
    """The rules of the votes of the run: with what its record changed in them."""
    return policy_with(config.policy, record.advice, record.plan.follows).voting


def _commentary(record: WeekRecord, claims: Mapping[str, Claim]) -> dict[str, object]:
    """The commentary as it may be printed, and the remark on what was left out of it."""
    printed, line = commentary_of(record.commentary, claims), record.commenting
    written = len(record.commentary.sentences) if record.commentary else 0
    if line is not None and len(printed) < written:
        left_out = (
            f"{written - len(printed)} of {written} sentences failed a check and were left out"
        )
        told = "; ".join(words for words in (line.remark, left_out) if words)
        line = line.model_copy(update={"remark": told})
    return {"commentary": printed, "commenting": line}


def _without_remarks(
    week: JudgedWeek, record: WeekRecord, config: RunConfig, timings: Timings
) -> ResearchReport:
    """The report without its summary and without what changed."""
    outcomes = [judged.outcome for judged in week.markets.values()]
    everything = [result for outcome in outcomes for result in outcome.evidence]
    coverage = coverage_of({outcome.market: outcome for outcome in outcomes}, config)
    sections = _sections(week, record, config, everything)
    evidence = evidence_of(everything)
    sources = sources_of(outcomes, evidence, sections)
    case = CrossMarketCase(config, record.window, week.claims, sections, sources)
    checks = cross_checks_of(case)
    contested = contested_by(checks)
    reasons = {line.market: line.reason for line in coverage.missing}
    return ResearchReport(
        week=record.week,
        title=titled(record.week),
        as_of=record.window.end,
        window=record.window,
        revision=max((line.revision for line in record.revisions), default=1),
        revisions=record.revisions,
        outcome=Outcome.COMPLETE if coverage.complete else Outcome.INCOMPLETE,
        coverage=coverage,
        summary=(),
        movers=movers_of(week.claims, config),
        policy_rates=rate_rows_of(evidence, week.claims, config, reasons),
        calendar=calendar_of(sections, evidence, week.claims, record.window),
        markets=tuple(with_contested(section, contested) for section in sections),
        conflicts=week.conflicts,
        counts=tuple(week_counts(week.claims, config.markets).values()),
        cross_checks=checks,
        dead_letters=tuple(letter for outcome in outcomes for letter in outcome.dead_letters),
        sources=sources,
        evidence=evidence,
        config=config,
        planning=record.planning,
        commenting=record.commenting,
        usage=usage_of_week((record.planning, record.commenting), outcomes),
        advice=record.advice,
        follows=record.plan.follows,
        timings=timings,
    )


def _sections(
    week: JudgedWeek, record: WeekRecord, config: RunConfig, evidence: Iterable[ToolResult]
) -> tuple[MarketReport, ...]:
    withheld = withheld_in(week.conflicts)
    histories = tuple(returned_by(SERIES_TOOL, History, evidence))
    banks = banks_in(evidence)
    sections = (
        market_report(
            spec,
            week.markets[spec.market],
            week.known_to(spec.market),
            histories,
            window=record.window,
            revised_in=revised_in(spec.market, record.revisions),
            withheld=withheld,
        )
        for spec in config.markets
    )
    return tuple(
        with_tones(section, week.markets[section.market].outcome, banks, record.window)
        for section in sections
    )


def _with_note(changes: Changes, note: str | None) -> Changes:
    told = " ".join(words for words in (changes.note, note) if words)
    return changes.model_copy(update={"note": clip(told) if told else None})
