"""Folders of published reports for tests of the archive."""

from decimal import Decimal
from pathlib import Path

from desk.contracts.findings.claims import Metric
from desk.contracts.week.report import ResearchReport
from desk.programs.week.document.json_form import to_json
from desk.programs.week.document.publishing import DEFAULT_SLUG, FOLDER
from tests.support.documents.reports import sample_report

PAGE = "<!doctype html><title>a report</title>"
"""In place of a report's page, where a test does not look into it."""


def report_of(week: str, move: str | None = None) -> ResearchReport:
    """The sample as a report of another week, with another move of USD/JPY where one is given."""
    report = sample_report().model_copy(update={"week": week})
    if move is None:
        return report
    moved = {"value": Decimal(move)}
    markets = tuple(
        market.model_copy(
            update={
                "claims": tuple(
                    claim.model_copy(update=moved)
                    if market.market == "USD/JPY" and claim.metric is Metric.MOVE
                    else claim
                    for claim in market.claims
                )
            }
        )
        for market in report.markets
    )
    movers = tuple(
        row.model_copy(update={"move": Decimal(move)}) if row.market == "USD/JPY" else row
        for row in report.movers
    )
    return report.model_copy(update={"markets": markets, "movers": movers})


def shelve(
    directory: Path, report: ResearchReport, slug: str = DEFAULT_SLUG, *, revision: bool = False
) -> Path:
    """Put a report's JSON form where publishing puts it, with a page beside it; where it is."""
    number = f".r{report.revision}" if revision else ""
    path = directory / FOLDER / f"{report.week}-{slug}{number}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(to_json(report), encoding="utf-8")
    path.with_suffix(".html").write_text(PAGE, encoding="utf-8")
    return path
