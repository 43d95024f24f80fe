"""Reads the published reports of a folder, limited to the parts that the archive shows."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from stat import S_ISREG
from typing import Annotated, Final, NamedTuple

from pydantic import BaseModel, Field, ValidationError

from desk.analytics.prices.rate_steps import Point
from desk.analytics.prices.series import window_days
from desk.contracts.agents.config import ReportConfig
from desk.contracts.agents.tools import DataSource, ToolResult
from desk.contracts.base import Figure
from desk.contracts.findings.results import SuspectFixing, Tone
from desk.contracts.findings.verdicts import CrossCheck, DroppedSentence
from desk.contracts.markets import MarketName
from desk.contracts.week.changes import Changes
from desk.contracts.week.report import Contribution, MarketReport, ResearchReport
from desk.contracts.weeks import WEEK_PATTERN, TimeWindow
from desk.programs.week.document.publishing import DEFAULT_SLUG, FOLDER
from desk.programs.week.document.rendering.rates_table import month_ends
from desk.programs.week.document.sections.markets import CHART_SPAN

NOT_READ: Final = Field(validation_alias="(not read)")
"""A part of the file that the archive does not use and does not check. This is what makes reading
hundreds of reports fast."""

_NAMED = re.compile(
    rf"(?P<week>{WEEK_PATTERN.strip('^$')})-(?P<slug>[a-z0-9-]+?)(?:\.r(?P<revision>[0-9]{{1,9}}))?\.json"
)


class ArchivedMarket(MarketReport):
    """The part of a market's section that the archive reads."""

    tones: Annotated[tuple[Tone, ...], NOT_READ] = ()
    suspects: Annotated[tuple[SuspectFixing, ...], NOT_READ] = ()
    dropped: Annotated[tuple[DroppedSentence, ...], NOT_READ] = ()
    agents: Annotated[tuple[Contribution, ...], NOT_READ] = ()
    days: Annotated[tuple[date, ...], NOT_READ] = ()
    values: Annotated[tuple[Figure, ...], NOT_READ] = ()


class ArchivedReport(ResearchReport):
    """The part of a report that the archive reads. Its seal cannot be verified from this part."""

    markets: Annotated[tuple[ArchivedMarket, ...], Field(max_length=200)]
    changes: Annotated[Changes, NOT_READ] = Changes()
    cross_checks: Annotated[tuple[CrossCheck, ...], NOT_READ] = ()
    sources: Annotated[tuple[DataSource, ...], NOT_READ] = ()
    evidence: Annotated[tuple[ToolResult, ...], NOT_READ] = ()


class YearSeries(BaseModel):
    """The fixings of a market's year, as its report's chart has them."""

    market: MarketName
    days: tuple[date, ...] = ()
    values: tuple[Figure, ...] = ()


class _DrawnConfig(BaseModel):
    report: ReportConfig = ReportConfig()


class DrawnReport(BaseModel):
    """The part of a report that the markets' charts need."""

    window: TimeWindow
    config: _DrawnConfig
    markets: tuple[YearSeries, ...] = ()
    evidence: tuple[ToolResult, ...] = ()

    @property
    def span(self) -> tuple[date, date]:
        """The year that its charts show, up to the end of the week."""
        _, last = window_days(self.window)
        return last - CHART_SPAN, last

    @cached_property
    def month_ends(self) -> Mapping[str, Sequence[Point]]:
        """The policy rates at the ends of months, by area."""
        return month_ends(self.evidence)


class ReportFile(NamedTuple):
    """A file with a report's name. `revision` is None for the week's latest.

    `stamp` changes when the file changes, and when its HTML page appears or disappears.
    """

    path: Path
    week: str
    slug: str
    revision: int | None
    stamp: tuple[int, ...]

    @property
    def page(self) -> Path:
        """The report's HTML form."""
        return self.path.with_suffix(".html")


class LeftOut(NamedTuple):
    """A file that is not in the archive, and the reason."""

    name: str
    reason: str


class ReportFiles(NamedTuple):
    """The files of a folder that are reports by name, and the JSON files that are not."""

    files: tuple[ReportFile, ...]
    foreign: tuple[LeftOut, ...]


def listing_of(directory: Path) -> ReportFiles:
    """Lists the report files of a directory, by week and slug, each list with the file to read
    first at the front.

    A week's latest file comes first, then its revisions, newest first.
    """
    files: list[ReportFile] = []
    foreign: list[LeftOut] = []
    for path in sorted((directory / FOLDER).glob("[!.]*.json")):
        match = _NAMED.fullmatch(path.name)
        stamp = _stamp(path)
        if match is None:
            foreign.append(LeftOut(path.name, "not named as a report of this desk is"))
        elif stamp is None:
            foreign.append(LeftOut(path.name, "no file that can be read"))
        else:
            number = match["revision"]
            revision = None if number is None else int(number)
            files.append(ReportFile(path, match["week"], match["slug"], revision, stamp))
    return ReportFiles(tuple(sorted(files, key=_reading_order)), tuple(foreign))


def read_report_file(file: ReportFile) -> ArchivedReport | LeftOut:
    """Returns the report of a file, or why it cannot be used: unreadable, damaged, foreign, or
    older."""
    try:
        report = ArchivedReport.model_validate_json(file.path.read_bytes())
    except OSError as error:
        return LeftOut(file.path.name, f"cannot be read: {error.strerror or error}")
    except ValidationError as error:
        return LeftOut(file.path.name, _unfit(error))
    if report.week != file.week:
        return LeftOut(file.path.name, f"it holds a report of {report.week}")
    if not file.page.is_file():
        return LeftOut(file.path.name, f"its page {file.page.name} is missing")
    return report


def read_drawn(file: ReportFile) -> DrawnReport | None:
    """Returns the series of a report's markets; None if the file can no longer be read."""
    try:
        return DrawnReport.model_validate_json(file.path.read_bytes())
    except (OSError, ValidationError):
        return None


def is_full(slug: str) -> bool:
    """Returns whether reports with this name are of all markets."""
    return slug == DEFAULT_SLUG


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    if not S_ISREG(found.st_mode):
        return None
    has_page = path.with_suffix(".html").is_file()
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, has_page


def _reading_order(file: ReportFile) -> tuple[str, str, bool, int]:
    return file.week, file.slug, file.revision is not None, -(file.revision or 0)


def _unfit(error: ValidationError) -> str:
    """Says where a file differs from the schema of a report. Its contents are not quoted."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    if first["type"] == "json_invalid":
        return "damaged: it is no complete JSON"
    place = ".".join(str(part) for part in first["loc"])[:100]
    return f"no report in the form of this version: {place or 'its content'} does not fit"
