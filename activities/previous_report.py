"""The report that a new one is compared with: the week's before it, as it was last published."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from desk.contracts.week.report import ResearchReport
from desk.contracts.weeks import IsoWeek, monday_of, week_of
from desk.documents.publishing.publish import FOLDER, read_published
from desk.trust.ledger.seal import seal_of


class PreviousReport(NamedTuple):
    """The report, None where there is none to compare with; `note` says what was passed over."""

    report: ResearchReport | None
    note: str | None = None


def previous_report(directory: Path, week: IsoWeek, slug: str) -> PreviousReport:
    """The latest readable revision of the week before, under the same slug.

    A revision that cannot be read, is of another week, or whose seal does not hold is damaged; it
    is passed over, and the note names it.
    """
    before = week_before(week)
    damaged: list[str] = []
    for path in _revisions(directory / FOLDER, f"{before}-{slug}"):
        report = read_published(path)
        if report is not None and report.week == before and seal_of(report) == report.seal:
            return PreviousReport(report, _passed_over(damaged))
        damaged.append(path.stem)
    return PreviousReport(None, _passed_over(damaged))


def week_before(week: IsoWeek) -> IsoWeek:
    """The ISO week before this one."""
    return week_of(monday_of(week) - timedelta(days=7))


def _revisions(folder: Path, stem: str) -> Iterator[Path]:
    """The JSON form of each revision on disk, the latest first."""
    numbered = {
        int(number): path
        for path in folder.glob(f"{stem}.r*.json")
        if (number := path.stem.removeprefix(f"{stem}.r")).isdecimal()
    }
    for _, path in sorted(numbered.items(), reverse=True):
        yield path


def _passed_over(damaged: list[str]) -> str | None:
    if not damaged:
        return None
    return f"Passed over as damaged: {', '.join(damaged)}."[:4_000]
