"""Builds a report's tables, charts, forecasts and tones again from its claims and its evidence, and
compares."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Final, TypeAlias

from desk.analytics.prices.series import window_days
from desk.contracts.agents.tools import ToolResult
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.base import Contract
from desk.contracts.findings.results import Forecast, Tone, View, ViewKind
from desk.contracts.findings.source_results import History
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.week.report import Lead, MarketReport, ResearchReport, Sentence
from desk.documents.audit.document import printed_findings, typed_findings
from desk.documents.audit.findings import AuditFinding, compared, differing
from desk.programs.week.document.judging.claims import printed_claims, returned_by
from desk.programs.week.document.judging.conflicts import withheld_in
from desk.programs.week.document.judging.forecasts import counted_forecast
from desk.programs.week.document.sections.calendar import calendar_of
from desk.programs.week.document.sections.cross_checks import CrossMarketCase, cross_checks_of
from desk.programs.week.document.sections.evidence import SERIES_TOOL
from desk.programs.week.document.sections.lead import lead_of
from desk.programs.week.document.sections.markets import series_of, withheld_days
from desk.programs.week.document.sections.reported import decided_in, is_told, reported_of
from desk.programs.week.document.sections.summary import summary_of
from desk.programs.week.document.sections.tables import movers_of, rate_rows_of
from desk.programs.week.document.sections.tone import (
    NO_SUCH_ITEM,
    Banks,
    banks_in,
    derivable,
    printed,
    word_stances,
)
from desk.trust.prose import render

_Builder: TypeAlias = Callable[[], Sequence[Contract]]

TABLES: Final = ("movers", "policy rates", "calendar", "cross checks", "summary")
"""The fields that are built again. Charts are looked up in their histories."""


def table_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Checks that each table is what its rules build from the rest of the report."""
    claims, evidence = printed_claims(report), report.evidence
    reasons = {line.market: line.reason for line in report.coverage.missing}
    case = CrossMarketCase(report.config, report.window, claims, report.markets, report.sources)
    builders: Mapping[str, _Builder] = {
        "movers": lambda: movers_of(claims, report.config),
        "policy_rates": lambda: rate_rows_of(
            evidence, claims, report.config, reasons, earlier=_joins_notes(report)
        ),
        "calendar": lambda: calendar_of(
            report.markets,
            evidence,
            claims,
            report.window,
            report.lead.edition if report.lead else 0,
        ),
        "cross_checks": lambda: cross_checks_of(case),
        "summary": lambda: summary_of(report, claims, earlier=report.lead is None),
    }
    for name, build in builders.items():
        where = name.replace("_", " ")
        try:
            built = build()
        except (ValueError, LookupError, ArithmeticError) as error:
            yield AuditFinding(where, f"it cannot be built from the rest of the report: {error}")
        else:
            yield from compared(where, getattr(report, name), built)


def _joins_notes(report: ResearchReport) -> bool:
    """Returns whether an earlier version wrote the table, which joined the notes on a rate."""
    return any(row.note is not None for row in report.policy_rates)


def lead_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Checks that the lead is what its rules build from the rest.

    For a lead by a model, checks that its texts are what their prose prints, without typed figures;
    that its stories are in the report; and that the themes that the model did not write are the
    desk's own.
    """
    lead, claims = report.lead, printed_claims(report)
    if lead is None:
        return
    own = lead_of(report, claims, lead.edition)
    if not lead.written:
        yield from differing("lead", lead, own)
        return
    if not (report.commenting and report.commenting.delivered):
        yield AuditFinding("lead", "nobody is said to have delivered it")
    told = [story for section in report.markets for story in section.reported]
    for where, said in _placed(lead):
        yield from printed_findings(where, said.text, partial(render, said.prose, claims))
        yield from typed_findings(where, said.prose, claims, rules=report.rules)
    for number, theme in enumerate(lead.themes, start=1):
        where = f"lead, title of theme {number}"
        yield from typed_findings(where, theme.title, claims, rules=report.rules)
        if theme.story is not None and theme.story not in told:
            yield AuditFinding(f"lead, story of theme {number}", "no section tells it")
        if not theme.written and theme not in own.themes:
            yield AuditFinding(f"lead, theme {number}", "the desk's rules compose no such theme")


def _placed(lead: Lead) -> Iterator[tuple[str, Sentence]]:
    yield "lead, headline", lead.headline
    if lead.standfirst is not None:
        yield "lead, standfirst", lead.standfirst
    for number, theme in enumerate(lead.themes, start=1):
        for said in (theme.moved, theme.why, theme.ahead):
            if said is not None:
                yield f"lead, theme {number}", said


def chart_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Checks that each chart shows the fixings of its history, and that each suspect is one of
    them."""
    histories = list(returned_by(SERIES_TOOL, History, report.evidence))
    _, as_of = window_days(report.window)
    for section in report.markets:
        known = {
            (day, f"{value:f}")
            for history in histories
            if history.symbol == section.market
            for day, value in zip(history.days, history.values, strict=False)
        }
        for suspect in section.suspects:
            if (suspect.day, suspect.value) not in known:
                where = f"{section.market}, suspect fixing of {suspect.day}"
                yield AuditFinding(where, f"no history has {suspect.value} on that day")
        hidden = _withheld_days(report, section, histories)
        # Reports that were published before fixings were withheld from charts show them.
        series = [
            series_of(section.market, histories, section.suspects, as_of, days)
            for days in (hidden, frozenset[date]())
        ]
        if (section.days, section.values) not in series:
            yield AuditFinding(f"{section.market}, chart", "its series is not that of its history")


def _withheld_days(
    report: ResearchReport, section: MarketReport, histories: Sequence[History]
) -> frozenset[date]:
    claims = {claim.claim_id: claim for claim in section.claims}
    rejected = {v.claim_id for v in section.verdicts if v.status is ClaimStatus.REJECTED}
    withheld = (withheld_in(report.conflicts) | rejected) - claims.keys()
    spec = next((each for each in report.config.markets if each.market == section.market), None)
    if spec is None:
        return frozenset()
    return withheld_days(spec, withheld, claims, histories, report.window)


def forecast_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Checks that every forecast is of a direction and follows from a history of its pair. If a
    model worked on the market, the probability may be the model's own; the rest must follow."""
    histories = tuple(returned_by(SERIES_TOOL, History, report.evidence))
    for section in report.markets:
        own = [history for history in histories if history.symbol == section.market]
        for view in section.views:
            if view.forecast is not None:
                yield from _of_view(view, view.forecast, section, own, report)


def _of_view(
    view: View,
    forecast: Forecast,
    section: MarketReport,
    histories: Iterable[History],
    report: ResearchReport,
) -> Iterator[AuditFinding]:
    where = f"{section.market}, forecast of {view.subject}"
    if view.kind is not ViewKind.DIRECTION or view.subject != section.market:
        yield AuditFinding(where, "it is no forecast of its market's direction")
        return
    counted = [counted_forecast(history, view.leaning, report.window) for history in histories]
    made = [each and each.forecast for each in counted]
    if any(line.usage.model != BUILTIN for line in section.agents):
        said = {"probability": forecast.probability}
        made = [each.model_copy(update=said) if each else None for each in made]
    if forecast not in made:
        yield AuditFinding(where, "no history of the pair gives it")


def tone_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Checks that every tone is of a news item in the evidence, and that every view by words
    follows from the tones. How a model judged an item cannot be checked; which item it is can."""
    held = {result.evidence_id: result for result in reversed(report.evidence)}
    banks = banks_in(report.evidence)
    for section in report.markets:
        for number, tone in enumerate(section.tones, start=1):
            where = f"{section.market}, tone {number}"
            result = held.get(tone.evidence_id)
            if result is None:
                yield AuditFinding(where, f"there is no tool result {tone.evidence_id}")
            else:
                yield from _of_tone(where, tone, section, result, report, banks)
        yield from _of_section(section)


def _of_tone(
    where: str,
    tone: Tone,
    section: MarketReport,
    result: ToolResult,
    report: ResearchReport,
    banks: Banks,
) -> Iterator[AuditFinding]:
    given = tuple(derivable(tone, result, section.market, banks, report.window))
    found = [tuple(differing(where, tone, own)) for own in given]
    nothing = (AuditFinding(where, f"{NO_SUCH_ITEM} ({result.evidence_id})"),)
    yield from min(found, key=len, default=nothing)


def _of_section(section: MarketReport) -> Iterator[AuditFinding]:
    if section.tones != printed(section.tones):
        yield AuditFinding(f"{section.market}, tones", "they are not each once and in their order")
    by_words = tuple(view for view in section.views if view.by_words)
    others = tuple(view for view in section.views if not view.by_words)
    if by_words != word_stances(section.tones, others):
        words = "they are not those that its tones give"
        yield AuditFinding(f"{section.market}, views by words", words)


def reported_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Checks that every reported story is in its evidence: the title letter by letter, its instant,
    its link, and at least as many publishers as stated."""
    held = {result.evidence_id: result for result in reversed(report.evidence)}
    banks = banks_in(report.evidence)
    specs = {spec.market: spec for spec in report.config.markets}
    for section in report.markets:
        if not section.reported:
            continue
        named = dict.fromkeys(story.evidence_id for story in section.reported)
        results = [held[name] for name in named if name in held]
        for number, story in enumerate(section.reported, start=1):
            where = f"{section.market}, reported {number}"
            if story.evidence_id not in held:
                yield AuditFinding(where, f"there is no tool result {story.evidence_id}")
            elif not is_told(story, held[story.evidence_id], report.window):
                yield AuditFinding(where, f"{NO_SUCH_ITEM} ({story.evidence_id})")
        # An earlier version did not print releases beside a market's own stories.
        told = (section.market, results, banks, report.window)
        own = [
            reported_of(specs[told[0]], *told[1:], decided) for decided in (decided_in(section), ())
        ]
        if len(named) == 1 and section.reported not in own:
            yield AuditFinding(f"{section.market}, reported", "it is not what the news give")
