"""A report as one self-contained HTML file."""

from typing import Final

from markupsafe import Markup

from desk.contracts.findings.claims import Metric
from desk.contracts.markets import MarketGroup, MarketKind
from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.figures.links import FigureLinks
from desk.documents.rendering.pages import render_page
from desk.programs.week.document.rendering import objections, record_words, wording, words
from desk.programs.week.document.rendering.coverage_words import coverage_lines, known_words
from desk.programs.week.document.rendering.digest import digests
from desk.programs.week.document.rendering.words import group_sources, method_of
from desk.programs.week.document.sections.summary import dollar_direction

KIND_TITLES: Final = {
    MarketKind.PAIR: "Currency pairs",
    MarketKind.POLICY_RATE: "Policy-rate areas",
}


def render_html(report: ResearchReport) -> str:
    """The report's HTML form. The same report always gives the same page."""
    names = {
        "report": report,
        "coverage_lines": coverage_lines(report),
        "known_words": known_words(report.coverage),
        "sparklines": _sparklines(report),
        "heat_maps": _heat_maps(report),
        "source_groups": group_sources(report.sources),
        "digests": digests(report),
        "banks": {row.area: row.bank for row in report.policy_rates if row.bank != row.area},
        "groups": tuple(MarketGroup),
        "kinds": KIND_TITLES,
        "metrics": Metric,
        "method": method_of(report),
        "week": wording,
        "objected": objections,
        "record": record_words,
        "calibration": _calibration(report),
        "tone_words": words,
        "dollar_direction": dollar_direction,
    }
    packages = ("desk.programs.week.document",)
    return render_page("report.html.j2", packages, FigureLinks(report), names)


def _sparklines(report: ResearchReport) -> dict[str, Markup]:
    # Matplotlib takes half a second to import; only a process that renders pays for it.
    from desk.documents.rendering.drawing.charts import sparklines

    charts = sparklines(report.markets, report.window)
    return {market: Markup(chart) for market, chart in charts.items()}  # noqa: S704


def _calibration(report: ResearchReport) -> Markup | None:
    """The chart of the forecasts that have come due; None without any."""
    scorecard = report.advice.scorecard if report.advice else None
    if scorecard is None or not scorecard.bins:
        return None
    from desk.documents.rendering.drawing.charts import calibration_chart

    return Markup(calibration_chart(scorecard.bins))  # noqa: S704


def _heat_maps(report: ResearchReport) -> dict[MarketGroup, Markup]:
    from desk.documents.rendering.drawing.charts import heat_map

    maps: dict[MarketGroup, Markup] = {}
    for group in MarketGroup:
        rows = [row for row in report.movers if row.group is group]
        printed = {row.market for row in rows}
        missing = [
            market.market
            for market in report.markets
            if market.kind is MarketKind.PAIR
            and market.group is group
            and market.market not in printed
        ]
        if rows or missing:
            maps[group] = Markup(heat_map(group, rows, missing))  # noqa: S704
    return maps
