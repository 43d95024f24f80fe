"""The policy rates of a report over the year to it, as far as its evidence knows them."""

from calendar import monthrange
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal

from desk.analytics.prices.rate_steps import Point, rate_steps
from desk.analytics.prices.series import window_days
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.source_results import MonthEndRates
from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.drawing.sparks import spark_points
from desk.programs.week.document.judging.claims import returned_by
from desk.programs.week.document.sections.markets import CHART_SPAN


def rate_lines(report: ResearchReport) -> dict[str, str]:
    """The line of each area in small; none of one without a rate."""
    _, last = window_days(report.window)
    first, ends = last - CHART_SPAN, month_ends(report.evidence)
    changes = {
        r.area: (r.since, r.rate) for r in report.policy_rates if r.since and r.rate is not None
    }
    steps = {
        area: rate_steps([change], ends.get(area, ()), first, last)
        for area, change in changes.items()
    }
    lines = {area: spark_points(each, in_steps=True, first=first) for area, each in steps.items()}
    return {area: line for area, line in lines.items() if line}


def month_ends(evidence: Iterable[ToolResult]) -> Mapping[str, Sequence[Point]]:
    """The policy rates at the ends of months by area, as a collector of rates has them."""
    found: dict[str, dict[date, Decimal]] = {}
    for answer in returned_by("get_month_end_rates", MonthEndRates, evidence):
        for told in answer.rates:
            month = date.fromisoformat(f"{told.month}-01")
            end = month.replace(day=monthrange(month.year, month.month)[1])
            found.setdefault(told.area, {})[end] = told.rate
    return {area: tuple(sorted(rates.items())) for area, rates in found.items()}
