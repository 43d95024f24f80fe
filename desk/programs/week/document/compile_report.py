"""Compiles the report from the outcomes of the markets' workflows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from desk.analytics.prices.series import window_days
from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import DataSource, ToolResult
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.source_results import History
from desk.contracts.runs.week import WeekRecord
from desk.contracts.week.changes import Changes
from desk.contracts.week.report import (
    CalendarRow,
    Coverage,
    MarketOutcome,
    MarketReport,
    ResearchReport,
    Timings,
)
from desk.documents.compiling import Compiler, DocumentGrounds, Subject, compile_document
from desk.documents.evidence import Carried, carried_whole
from desk.learning.advice import policy_with
from desk.programs.builtin.rate_remarks import without_outcome
from desk.programs.week.document.judging.claims import printed_claims, returned_by
from desk.programs.week.document.judging.commentary import (
    commentary_of,
    lead_with,
    left_out_words,
    sentences_of,
)
from desk.programs.week.document.judging.conflicts import withheld_in
from desk.programs.week.document.judging.coverage import coverage_of
from desk.programs.week.document.judging.judgement import JudgedWeek, judge, not_reached
from desk.programs.week.document.judging.verdicts import with_contested
from desk.programs.week.document.sections.calendar import calendar_of, is_decided
from desk.programs.week.document.sections.changes import changes_between
from desk.programs.week.document.sections.cross_checks import (
    CrossMarketCase,
    contested_by,
    cross_checks_of,
)
from desk.programs.week.document.sections.evidence import SERIES_TOOL, sources_of
from desk.programs.week.document.sections.freshness import freshness_of
from desk.programs.week.document.sections.lead import lead_of
from desk.programs.week.document.sections.markets import market_report, revised_in
from desk.programs.week.document.sections.reported import with_reported
from desk.programs.week.document.sections.summary import EDITION, summary_of, titled
from desk.programs.week.document.sections.tables import movers_of, rate_rows_of
from desk.programs.week.document.sections.tone import banks_in, with_tones
from desk.runs.boards import usage_of_week
from desk.trust.claims.dollar_index import dollar_index_claims
from desk.trust.claims.week_counts import week_counts
from desk.trust.ledger import Ledger
from desk.trust.prose import RULES, clip


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
    """Returns the sealed report of a week, with a section for every configured market.

    `previous` is the report that changes are compared with, `previous_note` a remark on how it was
    found.

    Pure: identical inputs give an identical report, except for `timings` and the instants at which
    the sources were asked. Outcomes of markets that are not configured are omitted.
    """
    timings = Timings(
        started_at=record.started_at,
        finished_at=finished_at,
        seconds=(finished_at - record.started_at).total_seconds(),
        workflow_id=workflow_id,
        run_id=run_id,
    )
    return compile_document(_WeekCompiler(record, config, timings, previous, previous_note))


class _PrintableWeek(NamedTuple):
    """The printable parts of a week, and its markets' sections."""

    week: JudgedWeek
    sections: tuple[MarketReport, ...]

    @property
    def outcomes(self) -> list[MarketOutcome]:
        return [judged.outcome for judged in self.week.markets.values()]


@dataclass(frozen=True)
class _WeekCompiler(Compiler[_PrintableWeek, ResearchReport]):
    record: WeekRecord
    config: RunConfig
    timings: Timings
    previous: ResearchReport | None
    previous_note: str | None

    @cached_property
    def outcomes(self) -> tuple[MarketOutcome, ...]:
        """One outcome for each configured market. A market without one was not reached."""
        found = {outcome.market: outcome for outcome in self.record.outcomes}
        return tuple(found.get(name) or not_reached(name) for name in self.config.market_names)

    @property
    def subject(self) -> Subject:
        base_area = self.config.policy.base_area
        return Subject(self.config.markets, self.record.window, base_area)

    @cached_property
    def results(self) -> tuple[ToolResult, ...]:
        return tuple(result for outcome in self.outcomes for result in outcome.evidence)

    def printable(self, ledger: Ledger) -> _PrintableWeek:
        policy, record = self.config.policy, self.record
        voting = policy_with(policy, record.advice, record.plan.follows).voting
        week = judge(self.outcomes, self.config, ledger, voting)
        return _PrintableWeek(week, self._sections(week))

    def carried(self, printable: _PrintableWeek, results: Mapping[str, ToolResult]) -> Carried:
        return carried_whole(results)

    def sources(
        self, printable: _PrintableWeek, evidence: Sequence[ToolResult]
    ) -> tuple[DataSource, ...]:
        return sources_of(printable.outcomes, evidence, printable.sections)

    def document(self, printable: _PrintableWeek, grounds: DocumentGrounds) -> ResearchReport:
        bare = self._without_remarks(printable, grounds)
        claims = printed_claims(bare)
        report = _with_words(bare, self.record, claims)
        changes = changes_between(self.previous, report, self.config.policy.materiality)
        return report.model_copy(
            update={
                "summary": summary_of(report, claims),
                "changes": _with_note(changes, self.previous_note),
            }
        )

    def _sections(self, week: JudgedWeek) -> tuple[MarketReport, ...]:
        record = self.record
        withheld = withheld_in(week.conflicts)
        histories = tuple(returned_by(SERIES_TOOL, History, self.results))
        banks = banks_in(self.results)
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
            for spec in self.config.markets
        )
        toned = (
            with_tones(section, week.markets[section.market].outcome, banks, record.window)
            for section in sections
        )
        return tuple(
            with_reported(section, spec, outcome.evidence, banks, record.window)
            for section, spec, outcome in zip(
                toned, self.config.markets, self.outcomes, strict=True
            )
        )

    def _without_remarks(
        self, printable: _PrintableWeek, grounds: DocumentGrounds
    ) -> ResearchReport:
        """The report without summary, commentary and changes."""
        record, config, week = self.record, self.config, printable.week
        evidence, outcomes = grounds.evidence.results, printable.outcomes
        first_day, _ = window_days(record.window)
        calendar = calendar_of(printable.sections, evidence, week.claims, record.window, EDITION)
        coverage = _coverage(outcomes, config, calendar)
        sections, sources = printable.sections, grounds.sources
        case = CrossMarketCase(config, record.window, week.claims, sections, sources)
        checks = cross_checks_of(case)
        contested = contested_by(checks)
        reasons = {line.market: line.reason for line in coverage.missing}
        movers = movers_of(week.claims, config)
        rates = rate_rows_of(evidence, week.claims, config, reasons)
        freshness = freshness_of(movers, rates, calendar, evidence, record.window)
        coverage = coverage.model_copy(update={"freshness": freshness})
        return ResearchReport(
            week=record.week,
            rules=RULES,
            title=titled(record.week, config.markets),
            as_of=record.window.end,
            window=record.window,
            revision=max((line.revision for line in record.revisions), default=1),
            revisions=record.revisions,
            outcome=Outcome.COMPLETE if coverage.complete else Outcome.INCOMPLETE,
            coverage=coverage,
            summary=(),
            movers=movers,
            policy_rates=rates,
            calendar=calendar,
            markets=tuple(with_contested(section, contested) for section in sections),
            conflicts=week.conflicts,
            counts=(
                *week_counts(week.claims, config.markets, first_day).values(),
                *dollar_index_claims(week.claims).values(),
            ),
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
            timings=self.timings,
        )


def _coverage(
    outcomes: Sequence[MarketOutcome], config: RunConfig, calendar: Sequence[CalendarRow]
) -> Coverage:
    by_market = {outcome.market: outcome for outcome in outcomes}
    return coverage_of(by_market, config, _open_remarks(calendar))


def _open_remarks(calendar: Sequence[CalendarRow]) -> frozenset[str]:
    """Returns the analysts' remarks on decisions without an outcome, which the calendar already
    prints."""
    rows = (row for row in calendar if not row.ahead and not is_decided(row))
    return frozenset(clip(without_outcome(row.area, row.bank, row.day)) for row in rows)


def _with_words(
    report: ResearchReport, record: WeekRecord, claims: Mapping[str, Claim]
) -> ResearchReport:
    """Adds the lead and the printable part of the commentary to the report, and a remark on what
    was omitted."""
    kept, line = commentary_of(record.commentary, claims), record.commenting
    left_out = left_out_words(record.commentary, kept)
    if line is not None and left_out:
        told = "; ".join(words for words in (line.remark, left_out) if words)
        line = line.model_copy(update={"remark": told})
    lead = lead_with(kept, lead_of(report, claims), claims, report.markets)
    update = {
        "commentary": sentences_of(kept, claims),
        "commenting": line,
        "lead": lead,
        "fact_check": record.commentary.fact_check if record.commentary else None,
    }
    return report.model_copy(update=update)


def _with_note(changes: Changes, note: str | None) -> Changes:
    told = " ".join(words for words in (changes.note, note) if words)
    return changes.model_copy(update={"note": clip(told) if told else None})
