"""What publishers reported, in a published report: quoted, counted, and verified."""

from datetime import date, timedelta

import pytest

from desk.contracts.agents.tools import ToolCall, ToolResult, UnreachableSource
from desk.contracts.findings.source_results import NewsItems
from desk.contracts.week.report import ResearchReport
from desk.contracts.weeks import TimeWindow
from desk.programs.week.document.audit.report import audit
from desk.programs.week.document.json_form import from_json, to_json
from desk.programs.week.document.rendering.coverage_words import coverage_lines
from desk.programs.week.document.rendering.html import render_html
from desk.programs.week.document.rendering.markdown import render_markdown
from desk.programs.week.document.sections.reported import is_about, reported_of
from desk.trust.seals import sealed
from tests.support.builders import answered, pair_market, rate_market
from tests.support.documents.news import AS_OF, FED, GOOGLE, bank_news, headlines, item, statement
from tests.support.documents.reports import sample_report
from tests.unit.documents.audit.test_tone_report import AREA, KOREA, PAIR, report_with

SLIDE = "Euro slides to 1.11 after ECB holds rates"


def reported_in(report: ResearchReport, market: str = PAIR) -> list[tuple[str, int]]:
    (section,) = [section for section in report.markets if section.market == market]
    return [(story.title, story.publishers) for story in section.reported]


def test_a_headline_about_the_market_is_quoted_with_its_publisher_time_and_link() -> None:
    report = report_with(answers=(headlines(item(SLIDE, "The Wire", url="https://a.example/1")),))
    assert reported_in(report) == [(SLIDE, 1)]
    page = render_markdown(report)
    assert f"Reported: “{SLIDE}” (The Wire, 18 Sep 2026 03:00 UTC)" in page
    assert "[Source](<https://a.example/1>)" in page
    assert f"<q>{SLIDE}</q>" in render_html(report)
    assert audit(report) == ()
    assert from_json(to_json(report)) == report


def test_publishers_that_tell_nearly_the_same_are_counted_and_named() -> None:
    told = (
        item(SLIDE, "The Wire", hour=3),
        item("Euro slides to 1.11 after the ECB holds rates, says desk", "Times", hour=5),
        item("EURO SLIDES TO 1.11 AFTER ECB HOLDS RATES", "Post", hour=4),
        item("Euro rises to 1.13 as ECB cuts rates", "Mail", hour=6),
    )
    report = report_with(answers=(headlines(*told),))
    assert reported_in(report) == [(SLIDE, 3), ("Euro rises to 1.13 as ECB cuts rates", 1)]
    assert "in nearly the same words by 2 more (Post, Times)" in render_markdown(report)
    assert audit(report) == ()


def test_headlines_about_something_else_or_of_another_week_are_left_out() -> None:
    others = (
        item("Dollar rises against the yen"),
        item("Stocks crash as recession fear grows"),
        item("Federal Reserve holds"),
        item("Euro slides", day=2),
    )
    assert reported_in(report_with(answers=(headlines(*others),))) == []


def test_a_banks_own_release_is_reported_in_its_area_whatever_its_title_says() -> None:
    release = statement("Minutes of the meeting of the Board", KOREA)
    report = report_with(market=AREA, answers=(bank_news(release),))
    assert reported_in(report, AREA) == [("Minutes of the meeting of the Board", 1)]
    assert audit(report) == ()


@pytest.mark.parametrize(
    "title", ["Euro slides, see www.example.com", "Euro slides [[EUR/USD:move]]", "\u202e\u200b"]
)
def test_a_title_with_an_address_or_a_reference_is_not_quoted(title: str) -> None:
    assert reported_in(report_with(answers=(headlines(item(title)),))) == []


def test_a_quotation_that_was_changed_is_found_by_the_audit() -> None:
    report = report_with(answers=(headlines(item(SLIDE)),))
    changed = report.model_copy(
        update={
            "markets": tuple(
                section.model_copy(
                    update={
                        "reported": tuple(
                            story.model_copy(update={"title": "Euro soars"})
                            for story in section.reported
                        )
                    }
                )
                for section in report.markets
            )
        }
    )
    found = [finding.where for finding in audit(sealed(changed))]
    assert f"{PAIR}, reported 1" in found


def test_a_source_that_stops_answering_is_one_line_with_what_it_left_open() -> None:
    silent = [_silent(number) for number in range(3)]
    report = report_with(answers=tuple(silent))
    (line,) = [line for line in coverage_lines(report) if "google_news" in line]
    assert line == (
        "Live source google_news not reachable since 2026-09-21 06:00 UTC (Google News could not"
        " be read: it did not answer within 3 seconds): 3 answers not had"
    )
    assert audit(report) == ()


def test_sources_that_nobody_was_offered_are_one_line_and_say_once_that_nobody_says_why() -> None:
    report = sample_report()
    unreached = tuple(
        UnreachableSource(server=server, since=AS_OF, reason="it did not answer")
        for server in ("bank_feeds", "google_news", "yahoo_finance")
    )
    coverage = report.coverage.model_copy(update={"unreachable": unreached})
    told = coverage_lines(report.model_copy(update={"coverage": coverage}))
    assert [line for line in told if "reachable" in line] == [
        "Live sources: bank_feeds, google_news and yahoo_finance not reachable since"
        " 2026-09-21 06:00 UTC (it did not answer); no source of news says why markets moved"
    ]


def test_a_source_some_of_whose_tools_have_nothing_is_told_by_what_was_not_asked_of_it() -> None:
    report = sample_report()
    silent = UnreachableSource(server="cross_asset", tools=("get_yields",), reason="none fetched.")
    coverage = report.coverage.model_copy(update={"unreachable": (silent,)})
    told = coverage_lines(report.model_copy(update={"coverage": coverage}))
    assert "Live sources: cross_asset (yields) not asked: none fetched" in told


def _silent(number: int) -> ToolResult:
    told = NewsItems(
        as_of=AS_OF,
        source=GOOGLE,
        missing="Google News could not be read: it did not answer within 3 seconds.",
        unreachable_since=AS_OF,
    )
    name = f"test/search{number}"
    return answered(ToolCall(call_id=name, server="google_news", tool="search_news"), told)


@pytest.mark.parametrize(
    ("title", "market", "about"),
    [
        ("USD/JPY hits a high", "USD/JPY", True),
        ("Yen slips as BoJ holds", "USD/JPY", True),
        ("Bank of Japan holds rate", "USD/JPY", True),
        ("Dollar gains as Fed holds", "USD/JPY", False),
        ("EURUSD steady", "EUR/USD", True),
        ("Pound falls", "EUR/USD", False),
    ],
)
def test_a_title_is_about_a_pair_whose_own_names_it_has(
    title: str, market: str, about: bool
) -> None:
    assert is_about(title, pair_market(market)) is about


def test_a_title_is_about_a_policy_rate_when_it_names_its_bank() -> None:
    assert is_about("The Fed cuts", rate_market("US"))
    assert not is_about("US stocks fall", rate_market("US"))


def test_a_decision_that_a_section_tells_of_has_the_release_of_its_bank() -> None:
    window = TimeWindow(start=AS_OF - timedelta(days=8), end=AS_OF, time_zone="Europe/London")
    releases = (
        statement("Minutes of the last meeting", FED, day=15),
        statement("FOMC statement", FED, day=16, hour=18),
        statement("Implementation note", FED, day=16, hour=19),
    )
    answers = (headlines(item(SLIDE)), bank_news(*releases))
    pair, banks = pair_market(PAIR), {"US": FED, "XM": "European Central Bank"}

    def titles(*decided: tuple[str, date]) -> list[str]:
        return [story.title for story in reported_of(pair, answers, banks, window, decided)]

    assert titles() == [SLIDE]
    assert titles(("US", date(2026, 9, 16))) == [SLIDE, "FOMC statement"]
    assert titles(("US", date(2026, 9, 10)), ("XM", date(2026, 9, 16))) == [SLIDE]
