"""An audit's eighth part: the forecasts of the views, made once more from the fixings."""

from collections.abc import Iterable, Iterator

from desk.analytics.prices.price_view import view_prices
from desk.analytics.prices.series import Fixings, window_days
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.findings.results import Forecast, View, ViewKind
from desk.contracts.findings.source_results import History
from desk.contracts.week.report import MarketReport, ResearchReport
from desk.documents.audit.findings import AuditFinding
from desk.documents.report.claims import returned_by
from desk.documents.report.evidence import SERIES_TOOL
from desk.learning.forecasts.forecasts import forecast_of


def forecast_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether every forecast is of a direction, and one that a history of its pair gives. Where a
    model worked on the market the probability may be its own, and the rest follows all the same."""
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
    made = [_made(history, view, report) for history in histories]
    if any(line.usage.model != BUILTIN for line in section.agents):
        said = {"probability": forecast.probability}
        made = [each.model_copy(update=said) if each else None for each in made]
    if forecast not in made:
        yield AuditFinding(where, "no history of the pair gives it")


def _made(history: History, view: View, report: ResearchReport) -> Forecast | None:
    first_day, last_day = window_days(report.window)
    fixings = Fixings.of(history)
    seen = view_prices(fixings, first_day, last_day)
    if seen is None:
        return None
    sound = fixings.without({fixing.day for fixing in seen.suspects})
    return forecast_of(sound, first_day, view.leaning)
