"""News are told as the tool's answer has them, and a report in which they are not is found."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from desk.contracts.agents.tools import SourceTier, ToolCall, ToolResult, ToolStatus
from desk.contracts.findings.results import EventType, Impact, MarketEvent
from desk.contracts.findings.source_results import NewsItem, NewsItems, Provenance, StoryCheck
from desk.contracts.week.report import MarketReport, ReportedEvent, ResearchReport
from desk.programs.week.document.audit.report import audit
from desk.programs.week.document.json_form import from_json, to_json
from desk.trust.ledger.events import check_event_source, news_in
from desk.trust.seals import content_hash, sealed
from tests.support.builders import answered, window
from tests.support.documents.told_reports import LINK, told_report

WEEK = "2026-W44"
WINDOW = window(WEEK)
WIRE = Provenance(name="The Wire", tier=SourceTier.SECONDARY)
CALL = ToolCall(call_id="USD/JPY/research_fx/search_news.1.1", server="news", tool="search_news")


def item(url: str | None = LINK, day: int = 29, month: int = 10) -> NewsItem:
    published = datetime(2026, month, day, 9, tzinfo=UTC)
    return NewsItem(headline="Yen falls", publisher="The Wire", published_at=published, url=url)


def answer(*items: NewsItem) -> ToolResult:
    return answered(CALL, NewsItems(as_of=WINDOW.end, source=WIRE, items=items))


def event(**changed: Any) -> MarketEvent:
    told = MarketEvent(
        event_id="USD/JPY/news/1",
        event_type=EventType.NEWS,
        market="USD/JPY",
        event_date=date(2026, 10, 29),
        description="The yen fell.",
        impact=Impact.LOW,
        evidence=(CALL.call_id,),
        source_url=LINK,
    )
    return told.model_copy(update=changed)


def faults(told: MarketEvent, *answers: ToolResult) -> list[str]:
    held = {result.evidence_id: result for result in answers}
    return list(check_event_source(told, held, WINDOW))


def test_news_that_an_answer_holds_pass() -> None:
    assert faults(event(), answer(item("https://x.example/1"), item())) == []


def test_news_without_a_link_pass_where_the_item_has_none_that_may_be_followed() -> None:
    assert faults(event(source_url=None), answer(item("javascript:alert(1)"))) == []
    assert faults(event(source_url="javascript:alert(1)"), answer(item("javascript:alert(1)")))


@pytest.mark.parametrize(
    "changed",
    [
        {"source_url": "https://elsewhere.example/"},
        {"source_url": None},
        {"event_date": date(2026, 10, 30)},
        {"evidence": ()},
        {"evidence": ("USD/JPY/research_fx/other",)},
    ],
)
def test_news_that_are_told_otherwise_are_objected_to(changed: dict[str, Any]) -> None:
    (words,) = faults(event(**changed), answer(item()))
    assert words.startswith("USD/JPY/news/1: no answer that it names")


def test_day_and_link_are_of_one_item() -> None:
    assert faults(event(), answer(item(day=28), item("https://x.example/1")))


def test_news_that_came_out_after_the_as_of_instant_are_none() -> None:
    """On its day the report is of the morning."""
    assert WINDOW.end == datetime(2026, 11, 2, 7, tzinfo=UTC)
    assert faults(event(event_date=date(2026, 11, 2)), answer(item(day=2, month=11)))


def test_events_that_are_no_news_are_for_other_checks() -> None:
    assert faults(event(event_type=EventType.FX_MOVEMENT, evidence=())) == []


@pytest.mark.parametrize(
    "change",
    [
        {"status": ToolStatus.REFUSED, "content": None, "content_hash": None},
        {"content_hash": "0" * 64},
        {"content": "Yen falls"},
        {"content": ["Yen falls"]},
        {"content": {"items": [{"headline": "Yen falls"}]}},
    ],
)
def test_an_answer_of_another_form_holds_no_news(change: dict[str, Any]) -> None:
    content = change.get("content")
    hashed = {"content_hash": content_hash(content)} if content else {}
    assert news_in(answer(item()).model_copy(update={**hashed, **change}), WINDOW) is None


def test_an_answer_for_another_instant_holds_no_news() -> None:
    late = NewsItems(as_of=WINDOW.end + timedelta(days=1), source=WIRE, items=(item(),))
    assert news_in(answered(CALL, late), WINDOW) is None


def test_the_check_of_a_story_is_no_search_of_the_news() -> None:
    checked = StoryCheck(
        as_of=WINDOW.end, source=WIRE, headline="Yen falls", carried=True, items=(item(),)
    )
    assert news_in(answered(CALL, checked), WINDOW) is None


def findings(change: Callable[[ReportedEvent], dict[str, object]]) -> list[str]:
    """What an audit finds with the report's news changed and the seal made anew."""
    held = told_report()
    sections = tuple(_changed(section, change) for section in held.markets)
    changed = held.model_copy(update={"markets": sections})
    assert changed != held
    return [f"{found.where}: {found.words}" for found in audit(sealed(changed))]


def _changed(
    section: MarketReport, change: Callable[[ReportedEvent], dict[str, object]]
) -> MarketReport:
    events = tuple(
        told.model_copy(update=change(told)) if told.event_type is EventType.NEWS else told
        for told in section.events
    )
    return section.model_copy(update={"events": events})


def test_a_report_with_news_and_commentary_is_verified() -> None:
    held = told_report()
    assert any(e.event_type is EventType.NEWS for s in held.markets for e in s.events)
    assert held.commentary
    assert audit(held) == ()
    assert audit(from_json(to_json(held))) == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda e: {"source_url": "https://elsewhere.example/"}, "under that link"),
        (lambda e: {"source_url": "javascript:alert(1)"}, "under that link"),
        (lambda e: {"source_url": None}, "under that link"),
        (lambda e: {"event_date": e.event_date + timedelta(days=1)}, "of that day"),
        (lambda e: {"evidence": ()}, "no answer that it names"),
        (lambda e: {"description": "Officials spoke."}, "its prose gives another text"),
        (lambda e: {"text": "Officials spoke."}, "its prose gives another text"),
        (
            lambda e: {"description": "It is 151.234.", "text": "It is 151.234."},
            "'151.234': digits are allowed",
        ),
        (lambda e: {"market": "EUR/USD"}, "it is an event of EUR/USD"),
    ],
)
def test_news_that_were_changed_in_a_report_are_found(
    change: Callable[[ReportedEvent], dict[str, object]], words: str
) -> None:
    assert any(words in found for found in findings(change))


def test_an_item_that_was_changed_in_the_evidence_is_found() -> None:
    held = told_report()
    changed = tuple(
        r.model_copy(update={"content": {**r.content, "items": []}})
        if isinstance(r.content, dict) and "items" in r.content
        else r
        for r in held.evidence
    )
    report: ResearchReport = sealed(held.model_copy(update={"evidence": changed}))
    assert len(audit(report)) >= 2
