"""From what the markets' workflows returned to the report that is published."""

import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from zoneinfo import ZoneInfo

from contracts.claims import Claim
from contracts.config import RunConfig
from contracts.report import MarketOutcome, MarketReport, ResearchReport, Timings
from contracts.results import ConflictRecord
from contracts.search_attributes import Outcome
from contracts.tools import DataSource
from contracts.turns import Usage
from contracts.week_run import WeekRecord
from domain.prose import clip, render_what_is_known
from domain.report_calendar import calendar_of
from domain.report_claims import week_claims
from domain.report_coverage import coverage_of
from domain.report_markets import market_report, revised_in
from domain.report_summary import summary_of
from domain.report_tables import movers_of, rate_rows_of

TITLE = "Asia and G10 currencies and policy rates"


def compile_report(
    record: WeekRecord,
    config: RunConfig,
    *,
    finished_at: datetime,
    workflow_id: str,
    run_id: str,
) -> ResearchReport:
    """The report of a week, with a section for every configured market.

    Pure: identical inputs give an identical report, but for `timings` and the instants at which
    the sources were asked. Outcomes of markets that are not configured are left out.
    """
    by_market = {outcome.market: outcome for outcome in record.outcomes}
    outcomes = [by_market[name] for name in config.market_names if name in by_market]
    claims = week_claims(outcomes)
    coverage = coverage_of(by_market, config)
    reasons = {line.market: line.reason for line in coverage.missing}
    movers = movers_of(claims, config)
    calendar = calendar_of(outcomes, claims, record.window)
    conflicts = conflicts_of(outcomes, claims)
    return ResearchReport(
        week=record.week,
        title=f"{TITLE}, {record.week}",
        as_of=record.window.end,
        window=record.window,
        revision=max((line.revision for line in record.revisions), default=1),
        revisions=record.revisions,
        outcome=Outcome.COMPLETE if coverage.complete else Outcome.INCOMPLETE,
        coverage=coverage,
        summary=summary_of(movers, calendar, conflicts, coverage, _local_day(record)),
        movers=movers,
        policy_rates=rate_rows_of(outcomes, claims, config, reasons),
        calendar=calendar,
        markets=_sections(by_market, record, config, claims),
        conflicts=conflicts,
        dead_letters=tuple(letter for outcome in outcomes for letter in outcome.dead_letters),
        sources=sources_of(outcomes),
        usage=usage_of(outcomes),
        timings=Timings(
            started_at=record.started_at,
            finished_at=finished_at,
            seconds=(finished_at - record.started_at).total_seconds(),
            workflow_id=workflow_id,
            run_id=run_id,
        ),
    )


def conflicts_of(
    outcomes: Iterable[MarketOutcome], claims: Mapping[str, Claim]
) -> tuple[ConflictRecord, ...]:
    """Every conflict once, with the resolution's prose rendered, in the order of the markets."""
    conflicts: dict[str, ConflictRecord] = {}
    for outcome in outcomes:
        found = outcome.validation.conflicts if outcome.validation else ()
        for conflict in (*outcome.conflicts, *found):
            resolution = clip(render_what_is_known(conflict.resolution, claims))
            conflicts.setdefault(
                conflict.conflict_id, conflict.model_copy(update={"resolution": resolution})
            )
    return tuple(conflicts.values())


def sources_of(outcomes: Iterable[MarketOutcome]) -> tuple[DataSource, ...]:
    """Every source that was asked, sorted by server, tool and question.

    One entry for each piece of evidence, so that a claim's evidence can be looked up.
    """
    sources: dict[tuple[str, ...], DataSource] = {}
    for outcome in outcomes:
        checked = outcome.validation.authoritative_sources if outcome.validation else ()
        researched = (source for result in outcome.results for source in result.sources)
        for source in (*researched, *checked):
            sources.setdefault(_source_key(source), source)
    return tuple(sources[key] for key in sorted(sources))


def usage_of(outcomes: Iterable[MarketOutcome]) -> Usage:
    """What all agents' turns cost together, with the names of all models that took one."""
    parts = [line.usage for outcome in outcomes for line in outcome.agents]
    models = sorted({part.model for part in parts}) or [Usage().model]
    return Usage(
        input_tokens=sum(part.input_tokens for part in parts),
        output_tokens=sum(part.output_tokens for part in parts),
        model=", ".join(models)[:200],
    )


def _sections(
    outcomes: Mapping[str, MarketOutcome],
    record: WeekRecord,
    config: RunConfig,
    claims: Mapping[str, Claim],
) -> tuple[MarketReport, ...]:
    as_of = _local_day(record)
    return tuple(
        market_report(
            spec,
            outcomes.get(spec.market),
            claims,
            as_of=as_of,
            revised_in=revised_in(spec.market, record.revisions),
        )
        for spec in config.markets
    )


def _local_day(record: WeekRecord) -> date:
    return record.window.end.astimezone(ZoneInfo(record.window.time_zone)).date()


def _source_key(source: DataSource) -> tuple[str, ...]:
    question = json.dumps(source.arguments, sort_keys=True)
    return source.server, source.tool, question, source.evidence_id, source.name, source.url or ""
