"""An audit's fourth part: the tables built once more from the claims, events and evidence."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Final, TypeAlias

from desk.analytics.prices.series import window_days
from desk.contracts.base import Contract
from desk.contracts.findings.source_results import History
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.week.report import MarketReport, ResearchReport
from desk.documents.audit.findings import AuditFinding, compared
from desk.documents.report.calendar import calendar_of
from desk.documents.report.claims import printed_claims, returned_by
from desk.documents.report.conflicts import withheld_in
from desk.documents.report.evidence import SERIES_TOOL
from desk.documents.report.markets.cross_checks import CrossMarketCase, cross_checks_of
from desk.documents.report.markets.markets import series_of, withheld_days
from desk.documents.report.markets.tables import movers_of, rate_rows_of
from desk.documents.report.summary import summary_of

_Builder: TypeAlias = Callable[[], Sequence[Contract]]

TABLES: Final = ("movers", "policy rates", "calendar", "cross checks", "summary")
"""What is built once more; the charts are looked up in their histories."""


def table_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether each table is the one that its rules build from the rest of the report."""
    claims, evidence = printed_claims(report), report.evidence
    reasons = {line.market: line.reason for line in report.coverage.missing}
    case = CrossMarketCase(report.config, report.window, claims, report.markets, report.sources)
    builders: Mapping[str, _Builder] = {
        "movers": lambda: movers_of(claims, report.config),
        "policy_rates": lambda: rate_rows_of(evidence, claims, report.config, reasons),
        "calendar": lambda: calendar_of(report.markets, evidence, claims, report.window),
        "cross_checks": lambda: cross_checks_of(case),
        "summary": lambda: summary_of(report, claims),
    }
    for name, build in builders.items():
        where = name.replace("_", " ")
        try:
            built = build()
        except (ValueError, LookupError, ArithmeticError) as error:
            yield AuditFinding(where, f"it cannot be built from the rest of the report: {error}")
        else:
            yield from compared(where, getattr(report, name), built)


def chart_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether each chart shows the fixings of its history, and each suspect is one of them."""
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
