"""The published reports of a folder, read as far as the archive shows them."""

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

PASSED_OVER: Final = Field(validation_alias="(not read)")
"""A part of the file that the archive has no use for. It is not even checked, which is what makes
hundreds of reports quick to read."""

_NAMED = re.compile(
    rf"(?P<week>{WEEK_PATTERN.strip('^$')})-(?P<slug>[a-z0-9-]+?)(?:\.r(?P<revision>[0-9]{{1,9}}))?\.json"
)


class ArchivedMarket(MarketReport):
    """A market's section as far as the archive reads it."""

    tones: Annotated[tuple[Tone, ...], PASSED_OVER] = ()
    suspects: Annotated[tuple[SuspectFixing, ...], PASSED_OVER] = ()
    dropped: Annotated[tuple[DroppedSentence, ...], PASSED_OVER] = ()
    agents: Annotated[tuple[Contribution, ...], PASSED_OVER] = ()
    days: Annotated[tuple[date, ...], PASSED_OVER] = ()
    values: Annotated[tuple[Figure, ...], PASSED_OVER] = ()


class ArchivedReport(ResearchReport):
    """A report as far as the archive reads it. Its seal cannot be verified from this."""

    markets: Annotated[tuple[ArchivedMarket, ...], Field(max_length=200)]
    changes: Annotated[Changes, PASSED_OVER] = Changes()
    cross_checks: Annotated[tuple[CrossCheck, ...], PASSED_OVER] = ()
    sources: Annotated[tuple[DataSource, ...], PASSED_OVER] = ()
    evidence: Annotated[tuple[ToolResult, ...], PASSED_OVER] = ()


class YearSeries(BaseModel):
    """The fixings of a market's year, as its report's chart has them."""

    market: MarketName
    days: tuple[date, ...] = ()
    values: tuple[Figure, ...] = ()


class _DrawnConfig(BaseModel):
    report: ReportConfig = ReportConfig()


class DrawnReport(BaseModel):
    """What of a report the charts of its markets take; all else is passed over."""

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

    `stamp` changes when the file does, and when its page comes or goes.
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
    """A file that is not in the archive, and why."""

    name: str
    reason: str


class ReportFiles(NamedTuple):
    """What a folder holds: its reports' files, and JSON files that are no report's by name."""

    files: tuple[ReportFile, ...]
    foreign: tuple[LeftOut, ...]


def listing_of(directory: Path) -> ReportFiles:
    """The reports' files of a directory, by week and slug, the one to read first at the front.

    A week's latest file comes before its revisions, and a later revision before an earlier one.
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
    """The report of a file, or why it cannot be had: unreadable, damaged, foreign, or older."""
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
    """The series of a report's markets; None where the file cannot be read any more."""
    try:
        return DrawnReport.model_validate_json(file.path.read_bytes())
    except (OSError, ValidationError):
        return None


def is_full(slug: str) -> bool:
    """Whether reports of this name are of all markets, not of some that were chosen."""
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
    """Where a file is not as a report is. What stands there is not repeated."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    if first["type"] == "json_invalid":
        return "damaged: it is no complete JSON"
    place = ".".join(str(part) for part in first["loc"])[:100]
    return f"no report in the form of this version: {place or 'its content'} does not fit"
