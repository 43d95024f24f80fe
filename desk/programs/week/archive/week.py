"""The archive's view of one report, rendered independently of other reports."""

from collections.abc import Callable, Iterator
from copy import copy
from datetime import date
from decimal import Decimal
from functools import cache, partial
from typing import Any, Final, NamedTuple, Self

from markupsafe import Markup, escape

from desk.analytics.figures import print_claim, print_figure
from desk.contracts.agents.config import Upward
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.markets import MarketGroup, MarketKind
from desk.contracts.week.report import MarketReport, Mover, ReportedEvent, ResearchReport
from desk.documents.rendering.figures.links import MARKS, FigureLinks, anchor
from desk.documents.rendering.pages import page_environment
from desk.documents.rendering.words import wording
from desk.documents.rendering.words.wording import typographic
from desk.programs.week.archive.outlooks import Outlook, outlook_of
from desk.programs.week.archive.reading import LeftOut, ReportFile, is_full, read_report_file
from desk.programs.week.document.judging.impact_words import impact_words
from desk.programs.week.document.publishing import FOLDER
from desk.programs.week.document.rendering.directions import is_turned, ranked, signed, way
from desk.programs.week.document.rendering.once.digest import Digest, digests
from desk.programs.week.document.rendering.record_words import score_cells
from desk.programs.week.document.rendering.wording import (
    claim_on,
    coloured_way,
    figure_on,
    market_way,
)
from desk.programs.week.document.sections.calendar import is_decided


class TraceLinks(FigureLinks):
    """Links to the traces of one report's figures, for other pages.

    A figure links to the element of the report's page that has its trace, and is marked by its
    verdict as it is there.
    """

    def __init__(self, report: ResearchReport, page: str) -> None:
        super().__init__(report)
        self._page = page
        self._seen: dict[tuple[str, str, str | None], Markup] = {}
        self._known: dict[tuple[str, str | None], str | None] = {}

    def below(self, prefix: str) -> Self:
        """Returns the same links from a folder from which `prefix` leads to this one."""
        other = copy(self)
        other._page, other._seen = f"{prefix}{self._page}", {}
        return other

    def of(self, name: str, printed: str, market: str | None = None) -> Markup:
        """Returns a printed figure as a link to its trace, or as plain text if it is not a
        claim's."""
        asked = (name, printed, market)
        made = self._seen.get(asked)
        if made is None:
            made = self._seen[asked] = self._link(name, printed, market)
        return made

    def _link(self, name: str, printed: str, market: str | None) -> Markup:
        key = self._traces.key(name, market)
        if key is None or printed != self._printed(name, market):
            return escape(typographic(printed))
        return self._element(key, printed)

    def _element(self, key: str, printed: str) -> Markup:
        words = escape(typographic(printed))
        verdict = self._traces.entries[key].verdict
        mark = MARKS.get(verdict.status, "") if verdict else ""
        address = escape(f"{self._page}#{self._ids[key]}")
        return Markup(f'<a class="f{mark}" href="{address}">{words}</a>')  # noqa: S704

    def _printed(self, name: str, market: str | None) -> str | None:
        asked = (name, market)
        if asked not in self._known:
            self._known[asked] = super()._printed(name, market)
        return self._known[asked]


BIGGEST: Final = 3
STRIP: Final = 10
"""Half the height of a week's strip of bars."""
FROM_A_MARKETS_PAGE: Final = "../"
COLUMNS: Final = {
    MarketKind.PAIR: {
        Metric.LAST: "Last",
        Metric.MOVE: "Move",
        Metric.Z_SCORE: "z-score",
        Metric.RANGE_POSITION: "52-week range",
    },
    MarketKind.POLICY_RATE: {Metric.POLICY_RATE: "Rate", Metric.DIFFERENTIAL: "Differential"},
}
"""The metrics that a market's page follows from week to week, by kind of market."""

FOLLOWED: Final = {MarketKind.PAIR: Metric.MOVE, MarketKind.POLICY_RATE: Metric.POLICY_RATE}
"""The metric of a market's chart."""


class Said(NamedTuple):
    """A text that the search finds, and its market; without a market it belongs to the week."""

    market: str | None
    text: str


class MarketWeek(NamedTuple):
    """A market in one report: a row of figures, and what happened, both rendered.

    `figure` is its last level or rate as printed; `followed` is the figure that is drawn, and
    `drawn` is how that is printed. `happened` is empty if nothing is reported. `score` is its row
    of the report's scorecard, if there is one. `decided` are the decisions in its window with their
    banks. `way` is the direction of its move in the sense of the pages. `outlook` is what the
    report expected of a pair; `rate` is since when a policy rate is in force.
    """

    kind: MarketKind
    group: MarketGroup
    bank: str | None
    figure: str | None
    followed: Decimal | None
    drawn: str | None
    row: Markup
    happened: Markup
    score: tuple[str, ...] | None = None
    decided: tuple[tuple[date, str], ...] = ()
    way: str = ""
    outlook: Outlook | None = None
    rate: tuple[date, Decimal] | None = None


class ArchivedWeek(NamedTuple):
    """A report as the archive shows it. `page` is its path in the folder of all reports."""

    week: str
    slug: str
    page: str
    coverage: str
    complete: bool
    entry: Markup
    as_of: date
    markets: dict[str, MarketWeek]
    said: tuple[Said, ...]


class _Frame(NamedTuple):
    """A report, and what all of its markets' parts need."""

    report: ResearchReport
    page: str
    links: TraceLinks
    banks: dict[str, str]
    absent: dict[str, str]
    scores: dict[str, tuple[str, ...]]
    rates: dict[str, tuple[date, Decimal]]


def archived_week(file: ReportFile) -> ArchivedWeek | LeftOut:
    """Returns the archive's view of a file's report, or why there is none."""
    report = read_report_file(file)
    if isinstance(report, LeftOut):
        return report
    page, told = f"{FOLDER}/{file.page.name}", digests(report)
    links = TraceLinks(report, page)
    frame = _Frame(
        report=report,
        page=f"{FROM_A_MARKETS_PAGE}{page}",
        links=links.below(FROM_A_MARKETS_PAGE),
        banks={row.area: row.bank for row in report.policy_rates if row.bank != row.area},
        absent={line.market: line.reason for line in report.coverage.missing},
        scores=_scores(report),
        rates={
            row.area: (row.since, row.rate)
            for row in report.policy_rates
            if row.since and row.rate is not None
        },
    )
    paged = {market.market for market in report.markets} if is_full(file.slug) else set()
    moves = [
        (row, coloured_way(row, report), _printed_move(row, links)) for row in biggest_moves(report)
    ]
    return ArchivedWeek(
        week=report.week,
        slug=file.slug,
        page=page,
        coverage=f"{report.coverage.researched} of {report.coverage.expected}",
        complete=report.coverage.complete,
        entry=_rendered("entry", report, page, links, moves, paged, strip_of(report)),
        as_of=report.as_of.date(),
        markets={m.market: _market_week(m, told[m.market], frame) for m in report.markets},
        said=tuple(_said(report, told)),
    )


def biggest_moves(report: ResearchReport) -> tuple[Mover, ...]:
    """Returns the pairs with the largest moves in either direction. If two are equal, the first in
    the table comes first."""
    return tuple(sorted(report.movers, key=lambda row: -abs(row.move))[:BIGGEST])


class StripBar(NamedTuple):
    """A bar in the strip of a week: its place, and where it ends."""

    way: str
    x: int
    y: float
    height: float


def strip_of(report: ResearchReport) -> tuple[StripBar, ...]:
    """Returns the moves of a week as small bars, ranked as its page ranks them, in a box of 20
    high."""
    up = report.config.report.up
    rows = ranked(report)
    most = max((abs(float(row.move)) for row in rows), default=0.0)
    sized = [(row, signed(row, up) / most * STRIP if most else 0.0) for row in rows]
    return tuple(
        StripBar(way(row.market, float(row.move), up), at * 5, STRIP - max(size, 0), abs(size))
        for at, (row, size) in enumerate(sized)
    )


def _printed_move(row: Mover, links: TraceLinks) -> Markup:
    return links.cell(row.market, Metric.MOVE, print_figure(row.move, Unit.PERCENT))


def _market_week(market: MarketReport, digest: Digest, frame: _Frame) -> MarketWeek:
    metrics, links, week = tuple(COLUMNS[market.kind]), frame.links, frame.report.week
    followed = claim_on(market, FOLLOWED[market.kind])
    up = frame.report.config.report.up
    section = f"{frame.page}#{anchor(market.market)}"
    happened = digest.events or digest.decisions
    return MarketWeek(
        kind=market.kind,
        group=market.group,
        bank=frame.banks.get(market.market),
        figure=figure_on(market, metrics[0]),
        followed=_turned(followed, up) if followed else None,
        drawn=print_claim(followed) if followed else None,
        row=_rendered(
            "row",
            week,
            [_cell(market, metric, frame) for metric in metrics],
            section,
            frame.absent.get(market.market),
        ),
        happened=_rendered(
            "happened", week, market, digest, section, links, _impact_words(frame.report)
        )
        if happened
        else Markup(),
        score=frame.scores.get(market.market),
        decided=_decided(market.market, frame.report),
        way=market_way(market.market, frame.report),
        outlook=outlook_of(market, frame.report),
        rate=frame.rates.get(market.market),
    )


def _impact_words(report: ResearchReport) -> Callable[[ReportedEvent, MarketReport], str]:
    return partial(impact_words, today=report.as_of.date())


def _scores(report: ResearchReport) -> dict[str, tuple[str, ...]]:
    """Returns the rows of each market in the report's scorecard, as printed, without the name."""
    scorecard = report.advice.scorecard if report.advice else None
    if scorecard is None:
        return {}
    return {row.of: score_cells(row)[1:] for row in scorecard.rows}


def _decided(market: str, report: ResearchReport) -> tuple[tuple[date, str], ...]:
    """Returns what the banks of a market's areas decided in the window, with the days."""
    areas = {area for spec in report.specs if spec.market == market for area in spec.areas}
    rows = (row for row in report.calendar if row.area in areas and is_decided(row))
    return tuple((row.day, f"{row.bank} {row.outcome.text}") for row in rows)


def _turned(followed: Claim, up: Upward) -> Decimal:
    """Returns a figure as it is drawn. The move of a pair is in the sense of the pages."""
    turned = followed.metric is Metric.MOVE and is_turned(followed.subject, up)
    return -followed.value if turned else followed.value


def _cell(market: MarketReport, metric: Metric, frame: _Frame) -> tuple[str | None, Markup | str]:
    """Returns a printed figure, with its direction if that is shown."""
    claim = claim_on(market, metric)
    if claim is None:
        return None, wording.NO_FIGURE
    went = market_way(market.market, frame.report) if metric is Metric.MOVE else None
    return went, frame.links.claim(claim, market.market)


def _said(report: ResearchReport, told: dict[str, Digest]) -> Iterator[Said]:
    lead = (report.lead.headline,) if report.lead else ()
    for line in (*lead, *report.commentary, *report.summary):
        yield Said(None, wording.typographic(line.text))
    for missing in report.coverage.missing:
        yield Said(missing.market, wording.typographic(f"missing: {missing.reason}"))
    for market in report.markets:
        for event in told[market.market].events:
            yield Said(market.market, wording.typographic(event.text))


def _rendered(macro: str, *arguments: object) -> Markup:
    made: Markup = getattr(_macros(), macro)(*arguments)
    return made


@cache
def _macros() -> Any:
    """Loads the templates' macros for lines once, because there are thousands of lines."""
    return page_environment(__package__).get_template("archive_lines.html.j2").module
