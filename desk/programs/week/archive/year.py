"""A market over the year up to the newest report: its line, its decisions and its forecasts."""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

from markupsafe import Markup

from desk.analytics.figures import print_full_day
from desk.analytics.prices.rate_steps import rate_steps
from desk.contracts.markets import MarketKind
from desk.documents.rendering.drawing.charts import LARGE_CHART, year_chart
from desk.documents.rendering.drawing.forecasts import DrawnRange
from desk.documents.rendering.drawing.sparks import spark_points
from desk.documents.rendering.words.wording import share_words
from desk.programs.week.archive.outlooks import ForecastOutcome, Outlook, forecast_outcome
from desk.programs.week.archive.reading import DrawnReport
from desk.programs.week.archive.week import ArchivedWeek, MarketWeek
from desk.programs.week.document.rendering.directions import is_turned

FEWEST_DAYS: Final = 2
"""A line needs two points."""


class Gap(NamedTuple):
    """Consecutive weeks without a report."""

    first: str
    last: str


class MarketWeekRow(NamedTuple):
    """A row of a market's page: its part of a week's report, or the weeks that have none."""

    week: ArchivedWeek | None
    part: MarketWeek | None
    gap: Gap | None


class ForecastRow(NamedTuple):
    """A forecast of a report as printed, and its outcome."""

    week: str
    page: str
    due: str
    probability: str
    between: str
    result: str


class DrawnYear(NamedTuple):
    """The drawing of a market over a year.

    `decided` are the marked decisions and `forecasts` the weeks' forecasts, both newest first.
    `spark` are the points of the small line, in the sense of the archive's lines: upwards is a
    dearer dollar, or else a dearer currency.
    """

    chart: Markup | None = None
    decided: tuple[tuple[date, str], ...] = ()
    forecasts: tuple[ForecastRow, ...] = ()
    spark: str = ""


NOT_DRAWN: Final = DrawnYear()


class _YearLine(NamedTuple):
    days: Sequence[date]
    values: Sequence[Decimal]
    in_steps: bool = False


def drawn_year(market: str, lines: Sequence[MarketWeekRow], drawn: DrawnReport) -> DrawnYear:
    """Draws a market's year up to the newest report, whose series `drawn` has."""
    line = _line_of(market, lines, drawn)
    if len(line.days) < FEWEST_DAYS:
        return NOT_DRAWN
    told = dict.fromkeys(
        each for row in lines if row.part for each in row.part.decided if each[0] >= line.days[0]
    )
    forecasts = list(_forecasts(lines, line))
    return DrawnYear(
        chart=_chart(market, line, drawn, [day for day, _ in told], forecasts),
        decided=tuple(sorted(told, reverse=True)),
        forecasts=tuple(
            _row(week, outlook, result, drawn.span[1]) for week, outlook, result in forecasts
        ),
        spark=spark_points(
            [*zip(line.days, line.values, strict=True)],
            in_steps=line.in_steps,
            turned=is_turned(market, drawn.config.report.up),
            first=drawn.span[0] if line.in_steps else None,
        ),
    )


def _line_of(market: str, lines: Sequence[MarketWeekRow], drawn: DrawnReport) -> _YearLine:
    parts = [row.part for row in lines if row.part]
    if parts and parts[0].kind is MarketKind.POLICY_RATE:
        changes = [part.rate for part in reversed(parts) if part.rate]
        steps = rate_steps(changes, drawn.month_ends.get(market, ()), *drawn.span)
        return _YearLine([day for day, _ in steps], [rate for _, rate in steps], in_steps=True)
    series = next((each for each in drawn.markets if each.market == market), None)
    return _YearLine(series.days, series.values) if series else _YearLine((), ())


def _forecasts(
    lines: Sequence[MarketWeekRow], line: _YearLine
) -> Iterator[tuple[ArchivedWeek, Outlook, ForecastOutcome | None]]:
    for row in lines:
        outlook = row.part.outlook if row.part else None
        if row.week and outlook and outlook.due.date() > line.days[0]:
            yield row.week, outlook, forecast_outcome(outlook, line.days, line.values)


def _chart(
    market: str,
    line: _YearLine,
    drawn: DrawnReport,
    marks: Sequence[date],
    forecasts: Sequence[tuple[ArchivedWeek, Outlook, ForecastOutcome | None]],
) -> Markup:
    what = "policy rate" if line.in_steps else "daily fixings"
    label = f"{market}, {what} over 52 weeks, the week and rate decisions marked"
    label += ", forecasts as ranges" if forecasts else ""
    chart = year_chart(
        "year",
        label,
        line.days,
        line.values,
        drawn.window,
        size=LARGE_CHART,
        marks=marks,
        in_steps=line.in_steps,
        ranges=[_range(outlook, result) for _, outlook, result in forecasts],
        first=drawn.span[0] if line.in_steps else None,
    )
    return Markup(chart)  # noqa: S704


def _range(outlook: Outlook, result: ForecastOutcome | None) -> DrawnRange:
    value = result.value if result else None
    within = result is not None and result.within
    return DrawnRange(outlook.due.date(), outlook.low, outlook.high, value, within)


def _row(
    week: ArchivedWeek, outlook: Outlook, result: ForecastOutcome | None, known_to: date
) -> ForecastRow:
    return ForecastRow(
        week=week.week,
        page=week.page,
        due=print_full_day(outlook.due.date()),
        probability=share_words(outlook.probability, places=1),
        between=f"{outlook.low:,} to {outlook.high:,}",
        result=_result_words(outlook, result, known_to),
    )


def _result_words(outlook: Outlook, result: ForecastOutcome | None, known_to: date) -> str:
    """Returns `154.44, lower, within`; without a result whether it was due by the last known
    day."""
    if result is None:
        return "not due yet" if outlook.due.date() > known_to else "due, and no fixing is known"
    if result.value == outlook.level:
        went = "unchanged"
    else:
        went = "higher" if result.value > outlook.level else "lower"
    printed = f"{result.value.quantize(outlook.level):,}"
    return f"{printed}, {went}, {'within' if result.within else 'outside'}"
