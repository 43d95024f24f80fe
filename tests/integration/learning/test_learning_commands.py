"""Five past weeks of a real desk, and what it then says that it has learned from them."""

from decimal import Decimal
from pathlib import Path

from desk.contracts.week.report import ResearchReport
from desk.learning.calibration import scorecard
from desk.programs.week.document.audit.report import audit
from desk.programs.week.document.rendering.record_words import TITLE
from starters.learning.scorecard import DeskScorecard
from tests.integration.weeks.test_backfill import one_market
from tests.support.processes.command import DeskCommand

FIRST, LAST = "2015-W01", "2015-W05"
"""The forecasts of the first are due at the as-of instant of the last, four weeks on."""


def test_past_weeks_are_learned_from_and_scored_as_of_each_week(tmp_path: Path) -> None:
    desk = DeskCommand(tmp_path, DESK_CONFIG=str(one_market(tmp_path)))
    with desk.up():
        before = desk("scorecard")
        assert (before.code, before.out[:32]) == (0, "Nothing has been learned yet: no")
        done = desk("backfill", "--from", FIRST, "--to", LAST, "--max-active", "1", "--json")
        assert done.code == 0, done.err
        shown = desk("scorecard", "--as-of", LAST, "--json")
        early = desk("scorecard", "--as-of", "2015-W04")
        # A run tells what it came to once its report is out.
        learned = desk.until(lambda told: "learned from 5 runs" in told.out, "learn")
    assert "none has an outcome yet" in early.out
    assert "R1 ecb.get_historical" in learned.out
    assert "1 afterwards" in learned.out

    found = DeskScorecard.model_validate_json(shown.out)
    (scored,) = found.scored
    assert (scored.made.week, scored.made.market) == (FIRST, "EUR/USD")
    assert scored.value_on is not None and scored.value_on <= scored.made.due.date()
    assert scored.made.level > Decimal(1)
    backtest = scorecard(found.scored, (), found.scorecard.as_of).backtest
    assert backtest is not None and found.scorecard.backtest is not None
    assert found.scorecard.backtest.rows == backtest.rows
    assert found.scorecard.rows == ()

    report = report_of(desk, LAST)
    assert report.advice is not None and report.advice.weeks == 4
    assert report.advice.scorecard == found.scorecard
    assert audit(report) == ()
    page = (tmp_path / "reports" / "weekly" / f"{LAST}-asia-g10-fx.html").read_text()
    assert TITLE.replace("'", "&#39;") in page
    first = report_of(desk, FIRST).advice
    assert first is not None and first.weeks == 0


def report_of(desk: DeskCommand, week: str) -> ResearchReport:
    file = desk.directory / "reports" / "weekly" / f"{week}-asia-g10-fx.json"
    return ResearchReport.model_validate_json(file.read_text())
