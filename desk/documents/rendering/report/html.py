"""A report as one self-contained HTML file: no script, no network, light and dark, for print."""

from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from desk.analytics.figures import print_day, print_full_day, print_weekday
from desk.analytics.links import web_link
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.markets import MarketGroup, MarketKind
from desk.contracts.week.report import ResearchReport
from desk.documents.rendering import trust_words, wording
from desk.documents.rendering.coverage_words import coverage_lines
from desk.documents.rendering.figures.links import FigureLinks, anchor, tier_words
from desk.documents.rendering.rendering_version import rendering_mark
from desk.documents.rendering.report import record_words, words
from desk.documents.rendering.report.digest import digests
from desk.documents.rendering.report.words import METHOD, group_sources
from desk.documents.report.summary import dollar_direction

TEMPLATE: Final = "report.html.j2"
KIND_TITLES: Final = {
    MarketKind.PAIR: "Currency pairs",
    MarketKind.POLICY_RATE: "Policy-rate areas",
}


def render_html(report: ResearchReport) -> str:
    """The report's HTML form. The same report always gives the same page.

    Text of the report is data: it is escaped, and only http and https addresses become links.
    Every figure of a claim opens the claim's trace, of which there is one.
    """
    return wording.printable(
        page_environment()
        .get_template(TEMPLATE)
        .render(
            report=report,
            figures=FigureLinks(report),
            coverage_lines=coverage_lines(report),
            sparklines=_sparklines(report),
            heat_maps=_heat_maps(report),
            source_groups=group_sources(report.sources),
            digests=digests(report),
            banks={row.area: row.bank for row in report.policy_rates if row.bank != row.area},
            groups=tuple(MarketGroup),
            kinds=KIND_TITLES,
            metrics=Metric,
            statuses=ClaimStatus,
            method=METHOD,
            mark=rendering_mark(),
            words=wording,
            trust=trust_words,
            record=record_words,
            calibration=_calibration(report),
            tone_words=words,
            dollar_direction=dollar_direction,
        )
    )


@cache
def page_environment() -> Environment:
    """How every page is made: escaped, and with an error for what is not there."""
    environment = Environment(
        loader=PackageLoader("desk.documents.rendering", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {
        "anchor": anchor,
        "arguments": wording.arguments_words,
        "date": print_day,
        "day": print_full_day,
        "human": wording.human,
        "instant": wording.instant,
        "link": web_link,
        "share": wording.share_words,
        "tier": tier_words,
        "weekday": print_weekday,
        "type": wording.typographic,
    }
    environment.filters.update(filters)
    return environment


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
