"""The pages of the archive: the weeks, a page for each market, and the search."""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from desk.analytics.names.currencies import names_of_market
from desk.contracts.markets import MarketGroup, MarketKind
from desk.contracts.weeks import next_week, previous_week
from desk.documents.rendering.figures.links import anchor
from desk.documents.rendering.pages import page_environment
from desk.documents.rendering.words.wording import printable
from desk.programs.week.archive.reading import DrawnReport, LeftOut, is_full
from desk.programs.week.archive.week import COLUMNS, ArchivedWeek, MarketWeek
from desk.programs.week.archive.year import (
    NOT_DRAWN,
    DrawnYear,
    Gap,
    MarketWeekRow,
    drawn_year,
)
from desk.programs.week.document.rendering.html import KIND_TITLES
from desk.programs.week.document.rendering.record_words import SCORE_COLUMNS

SLOT: Final = 6
"""The width of a week in a chart; most of it is the bar."""
HALF: Final = 40
LEAST: Final = 0.75
"""The smallest size of a bar, so that every bar is visible."""


class ChartBar(NamedTuple):
    """A week's figure and how it is printed."""

    week: str
    value: Decimal
    printed: str


class Box(NamedTuple):
    """A drawn bar, with the text that appears when the pointer is over it."""

    x: int
    y: float
    height: float
    way: str
    words: str


class Chart(NamedTuple):
    """Bars from the first week to the last, in a box of `width` by `height`."""

    width: int
    height: float
    baseline: float
    boxes: tuple[Box, ...]
    first: str
    last: str


def chart_of(bars: Sequence[ChartBar | None]) -> Chart | None:
    """Draws bars in the order given, with a gap for each None. None if there are fewer than two."""
    there = [bar for bar in bars if bar is not None]
    most = max((abs(bar.value) for bar in there), default=Decimal(0))
    if len(there) < 2 or not most:
        return None
    above = HALF if any(bar.value > 0 for bar in there) else 0
    below = HALF if any(bar.value < 0 for bar in there) else 0
    boxes = tuple(
        _box(index, bar, most, above) for index, bar in enumerate(bars) if bar is not None
    )
    return Chart(len(bars) * SLOT, above + below, above, boxes, there[0].week, there[-1].week)


def _box(index: int, bar: ChartBar, most: Decimal, baseline: float) -> Box:
    height = max(round(float(abs(bar.value) / most) * HALF, 2), LEAST)
    top = baseline if bar.value < 0 else baseline - height
    way = "fell" if bar.value < 0 else "rose"
    return Box(index * SLOT, round(top, 2), height, way, f"{bar.week}: {bar.printed}")


INDEX: Final = "index.html"
SEARCH: Final = "search.html"
MARKETS: Final = "markets"
MARK: Final = "research desk archive"
"""The mark of pages that the desk made. Pages without it are never replaced."""


class Score(NamedTuple):
    """The scores of a market's forecasts by a report's as-of instant, as printed there."""

    week: str
    page: str
    cells: tuple[str, ...]


class MarketPage(NamedTuple):
    """A market's page over all weeks, newest first.

    `year` is its drawing over a year. `newest` is its part of the latest report that has a figure
    of it (or has it, where none has), that of `newest_week`. `scores` are its rows of the reports'
    scorecards, without rows that repeat the one before.
    """

    market: str
    newest: MarketWeek
    newest_week: str
    lines: tuple[MarketWeekRow, ...]
    chart: Chart | None
    scores: tuple[Score, ...] = ()
    year: DrawnYear = NOT_DRAWN

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{anchor(self.market)}.html"

    @property
    def weeks(self) -> int:
        """The number of reports that have it."""
        return sum(line.part is not None for line in self.lines)


def archive_pages(
    weeks: Sequence[ArchivedWeek],
    left_out: Sequence[LeftOut],
    drawn: DrawnReport | None = None,
) -> Iterator[tuple[str, str]]:
    """Yields every page by its path below the reports' folder, the front page last. Each is made
    when it is requested, because the pages of two years take 20 MB. The same reports give the same
    pages.

    `drawn` has the series of the newest report, for the markets' charts. Reports of some markets
    are only listed.
    """
    full = sorted((w for w in weeks if is_full(w.slug)), key=lambda w: w.week, reverse=True)
    partial = sorted((w for w in weeks if not is_full(w.slug)), key=lambda w: (w.slug, w.week))
    markets = tuple(_market_pages(full, drawn))
    for page in markets:
        yield f"{MARKETS}/{page.file}", _page("archive_market.html.j2", root="../", page=page)
    search = _page(
        "archive_search.html.j2",
        root="",
        found=htmlsafe_json_dumps(_search_data(full, markets), dumps=_compact),
        script=Markup(_script()),  # noqa: S704
        script_hash=script_hash(),
        weeks=full,
    )
    yield SEARCH, search
    front = _page(
        "archive.html.j2",
        root="",
        weeks=full,
        years=_years(full),
        markets=markets,
        partial=partial,
        left_out=left_out,
        groups=tuple(MarketGroup),
        up=drawn.config.report.up if drawn else None,
    )
    yield INDEX, front


def _page(template: str, **given: object) -> str:
    return printable(
        page_environment(__package__)
        .get_template(template)
        .render(
            mark=MARK,
            kinds=KIND_TITLES,
            kind_names=MarketKind,
            columns=COLUMNS,
            score_columns=SCORE_COLUMNS[1:],
            **given,
        )
    )


def _market_pages(full: Sequence[ArchivedWeek], drawn: DrawnReport | None) -> Iterator[MarketPage]:
    """Yields the pages in the order of the newest report, then those of markets that the desk no
    longer covers."""
    for market in dict.fromkeys(name for week in full for name in week.markets):
        lines = tuple(_lines(full, market))
        having = [week for week in full if market in week.markets]
        week = next((week for week in having if week.markets[market].figure), having[0])
        bars = [_bar(line) for line in reversed(lines)]
        yield MarketPage(
            market,
            week.markets[market],
            week.week,
            lines,
            chart_of(bars),
            tuple(_scores(lines)),
            drawn_year(market, lines, drawn) if drawn else NOT_DRAWN,
        )


def _scores(lines: Sequence[MarketWeekRow]) -> Iterator[Score]:
    """Yields the scores, newest first. If several weeks have the same row, the first of them
    counts."""
    told = [(line.week, line.part.score) for line in lines if line.week and line.part]
    before = [*(cells for _, cells in told[1:]), None]
    for (week, cells), earlier in zip(told, before, strict=True):
        if cells is not None and cells != earlier:
            yield Score(week.week, week.page, cells)


def _lines(full: Sequence[ArchivedWeek], market: str) -> Iterator[MarketWeekRow]:
    for after, week in zip((None, *full), full, strict=False):
        if after is not None and next_week(week.week) != after.week:
            yield MarketWeekRow(
                None,
                None,
                Gap(next_week(week.week), previous_week(after.week)),
            )
        yield MarketWeekRow(week, week.markets.get(market), None)


def _bar(line: MarketWeekRow) -> ChartBar | None:
    if line.week is None or line.part is None or line.part.followed is None:
        return None
    return ChartBar(line.week.week, line.part.followed, line.part.drawn or "")


def _years(full: Sequence[ArchivedWeek]) -> dict[str, list[tuple[str, ArchivedWeek | None]]]:
    """Returns the weeks of each year with a report, newest year first, from the first to the last.

    A year without any report is omitted.
    """
    there = {week.week: week for week in full}
    years: dict[str, list[tuple[str, ArchivedWeek | None]]] = {}
    for year in sorted({name[:4] for name in there}, reverse=True):
        first, last = max(f"{year}-W01", min(there)), min(f"{year}-W53", max(there))
        years[year] = [(name, there.get(name)) for name in _weeks_between(first, last)]
    return years


def _weeks_between(first: str, last: str) -> Iterator[str]:
    """Yields the ISO weeks of one year; `last` may be one that the year does not have."""
    while first < last:
        yield first
        first = next_week(first)
    if first == last:
        yield last


def _search_data(
    full: Sequence[ArchivedWeek], markets: Sequence[MarketPage]
) -> Mapping[str, object]:
    """Returns the data of the search page: weeks, markets with all of their names, and the texts
    about them."""
    places = {page.market: index for index, page in enumerate(markets)}
    return {
        "weeks": [[week.week, week.page] for week in full],
        "markets": [
            [
                page.market,
                page.newest.bank or "",
                f"{MARKETS}/{page.file}",
                anchor(page.market),
                " ".join(names_of_market(page.market)),
            ]
            for page in markets
        ],
        "said": [
            [index, places.get(said.market or "", -1), said.text]
            for index, week in enumerate(full)
            for said in week.said
        ],
    }


def _compact(value: object, **_: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@cache
def _script() -> str:
    return files(__package__).joinpath("templates/archive.js").read_text(encoding="utf-8")


def script_hash() -> str:
    """Returns the hash by which a Content-Security-Policy allows only the archive's one script."""
    return base64.b64encode(hashlib.sha256(_script().encode()).digest()).decode()
