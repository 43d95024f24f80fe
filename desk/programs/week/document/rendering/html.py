"""A report as one self-contained HTML file."""

from collections.abc import Mapping
from typing import Final

from markupsafe import Markup

from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Forecast
from desk.contracts.markets import MarketGroup, MarketKind
from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.drawing.charts import calibration_chart, sparklines, year_chart
from desk.documents.rendering.drawing.svg import second_view
from desk.documents.rendering.figures.links import FigureLinks, anchor
from desk.documents.rendering.pages import render_page
from desk.documents.rendering.words.wording import typographic
from desk.programs.week.document.judging.impact_words import impact_words
from desk.programs.week.document.rendering import (
    directions,
    objections,
    record_words,
    wording,
    words,
)
from desk.programs.week.document.rendering.coverage_words import checked_words, coverage_lines
from desk.programs.week.document.rendering.letter import lead_in
from desk.programs.week.document.rendering.once.digest import digests
from desk.programs.week.document.rendering.once.lacking import Lacking
from desk.programs.week.document.rendering.rates_table import (
    differential_words,
    instruments,
    noted_rates,
    rate_lines,
    uneven,
)
from desk.programs.week.document.rendering.words import group_sources, method_of
from desk.programs.week.document.sections.markets import index_series
from desk.trust.claims.dollar_index import DOLLAR_INDEX

KIND_TITLES: Final = {
    MarketKind.PAIR: "Currency pairs",
    MarketKind.POLICY_RATE: "Central banks",
}


FEWEST_DAYS: Final = 2
"""A line needs two points."""


def render_html(report: ResearchReport) -> str:
    """Returns the report's HTML form. The same report always gives the same page."""
    charts, lacking = _sparklines(report), Lacking(report)
    names = {
        "report": report,
        "coverage_lines": coverage_lines(report),
        "checked_words": checked_words(report),
        "lacking": lacking,
        "sparklines": charts,
        "drawn_again": _drawn_again(charts, report),
        "lead": lead_in(report),
        "leaning": _leaning(report),
        "index_chart": _index_chart(report),
        "index": DOLLAR_INDEX,
        "directions": directions,
        "up": report.config.report.up,
        "rate_notes": noted_rates(report.policy_rates),
        "rate_lines": rate_lines(report),
        "differential_words": differential_words(report),
        "instruments": instruments(report),
        "uneven": uneven(report),
        "source_groups": group_sources(report.sources),
        "digests": digests(report, lacking),
        "banks": {row.area: row.bank for row in report.policy_rates if row.bank != row.area},
        "groups": tuple(MarketGroup),
        "kinds": KIND_TITLES,
        "metrics": Metric,
        "method": method_of(report),
        "week": wording,
        "objected": objections,
        "impact_words": impact_words,
        "record": record_words,
        "calibration": _calibration(report),
        "tone_words": words,
    }
    packages = ("desk.programs.week.document",)
    return render_page("report.html.j2", packages, FigureLinks(report), names)


def _leaning(report: ResearchReport) -> Markup | None:
    """Returns the line on where pairs lean; each probability links to what it was counted from."""
    line = record_words.leaning_line(report, _linked_odds)
    return Markup(line) if line else None  # noqa: S704


def _linked_odds(pair: str, forecast: Forecast) -> str:
    printed = typographic(record_words.probability_words(forecast))
    return Markup(
        '{} (<a class="f" href="#{}-direction" aria-description="what it was counted from">{}</a>)'
    ).format(pair, anchor(pair), printed)


def _sparklines(report: ResearchReport) -> dict[str, Markup]:
    up = report.config.report.up
    turned = {row.market for row in report.movers if directions.is_turned(row.market, up)}
    charts = sparklines(report.markets, report.window, turned)
    return {market: Markup(chart) for market, chart in charts.items()}  # noqa: S704


def _drawn_again(charts: Mapping[str, Markup], report: ResearchReport) -> dict[str, Markup]:
    """Draws the movers' charts again for the pairs' own sections, in the sense of the page."""
    movers = {row.market for row in report.movers}
    return {
        market: Markup(second_view(chart))  # noqa: S704
        for market, chart in charts.items()
        if market in movers
    }


def _calibration(report: ResearchReport) -> Markup | None:
    """Returns the chart of the forecasts that have come due; None without any."""
    scorecard = report.advice.scorecard if report.advice else None
    if scorecard is None or not scorecard.bins:
        return None
    return Markup(calibration_chart(scorecard.bins))  # noqa: S704


def _index_chart(report: ResearchReport) -> Markup | None:
    """Returns the chart of the dollar index over a year; None if one of its pairs has no series, or
    none of the week."""
    days, values = index_series(report.markets)
    if len(days) < FEWEST_DAYS or days[-1] <= report.window.start.date():
        return None
    label = "The dollar index over 52 weeks, of daily fixings by ICE's weights, the week marked"
    return Markup(year_chart("index", label, days, values, report.window))  # noqa: S704
