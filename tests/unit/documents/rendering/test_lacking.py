"""What a week lacks is said once for all banks, and not again in every market's section."""

from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.words.wording import typographic
from desk.programs.builtin.rate_remarks import without_outcome
from desk.programs.week.document.rendering.html import render_html
from desk.programs.week.document.rendering.letter import letter_html
from desk.programs.week.document.rendering.once.lacking import Lacking
from tests.support.documents.reports import sample_report


def with_an_unknown_outcome() -> ResearchReport:
    """The sample, in which the Bank of Japan decided and nobody has what, as its markets remark."""
    report = sample_report()
    ahead = next(row for row in report.calendar if row.area == "JP" and row.ahead)
    day = report.window.start.date()
    words = "outcome not on record"
    outcome = ahead.outcome.model_copy(update={"prose": words, "text": words})
    row = ahead.model_copy(update={"day": day, "ahead": False, "outcome": outcome})
    remark = without_outcome(row.area, row.bank, row.day)
    markets = tuple(
        part.model_copy(update={"missing": (*part.missing, remark)})
        if part.market in ("JP", "USD/JPY")
        else part
        for part in report.markets
    )
    return report.model_copy(update={"calendar": (row, *report.calendar), "markets": markets})


def test_an_unknown_outcome_stands_with_the_decisions_and_in_no_markets_section() -> None:
    report = with_an_unknown_outcome()
    text = render_html(report)
    calendar = text.split('id="calendar"')[1].split("</section>")[0]
    assert "with an outcome that no source of this report has: Bank of Japan" in calendar
    assert "outcome not on record" not in text
    assert without_outcome("JP", "Bank of Japan", report.window.start.date()) not in text


def test_the_mail_says_what_the_week_lacks() -> None:
    words = Lacking(sample_report()).first_words
    assert words is not None
    assert typographic(words) in letter_html(sample_report(), "The week", "there")


def test_a_policy_rate_is_drawn_in_small_beside_its_figure() -> None:
    text = render_html(sample_report())
    rates = text.split('id="rates"')[1].split("</section>")[0]
    known = [row for row in sample_report().policy_rates if row.rate is not None]
    assert rates.count("<polyline") == len(known) > 0


def test_a_bank_with_a_day_ahead_is_not_called_undated() -> None:
    report = sample_report()
    dated = {row.area for row in report.calendar if row.ahead}
    assert dated
    assert not dated & Lacking(report).undated.keys()


def test_a_week_that_lacks_nothing_says_nothing_of_it() -> None:
    report = sample_report()
    assert report.coverage.freshness is not None
    current = report.coverage.freshness.model_copy(update={"stale_rates": 0})
    coverage = report.coverage.model_copy(update={"freshness": current})
    assert Lacking(report).first_words is not None
    assert Lacking(report.model_copy(update={"coverage": coverage})).first_words is None


def test_the_days_that_a_page_folds_away_are_named_as_decisions() -> None:
    report = sample_report()
    row = next(row for row in report.calendar if row.ahead)
    for count, words in ((9, "1 later decision<"), (11, "3 later decisions<")):
        page = render_html(report.model_copy(update={"calendar": (row,) * count}))
        assert f"<summary>{words}" in page
