"""How Google News can fail to answer, and how long an answer of it is kept."""

from pathlib import Path

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from desk.sources.news.feed import MOST_CACHED, FeedReader
from desk.sources.news.server import GoogleNewsTools
from tests.support.addresses.feeds import UNUSABLE, Answer, feeds, item, rss
from tests.unit.sources.news.test_google_news import AS_OF, HOUR, found, headlines, tools


@pytest.mark.parametrize(("answer", "reason"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_what_is_no_feed_is_missing_with_the_reason(answer: Answer, reason: str) -> None:
    news = found(answer)
    assert news.items == ()
    assert (news.missing or "").startswith("Google News could not be read: ")
    assert reason in (news.missing or "")


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"", stalls=True),
        Answer(b"<?xml", stalls=True),
        Answer(rss().content, pause_seconds=0.05),
    ],
    ids=["silent", "stops", "drips"],
)
def test_a_source_that_is_too_slow_is_missing_with_the_reason(answer: Answer) -> None:
    with tools(answer, seconds=1) as google:
        missing = google.search_news("yen", AS_OF).missing
    assert "did not answer within 1 seconds" in (missing or "")


def test_an_answer_is_never_taken_for_the_name_of_a_file(tmp_path: Path) -> None:
    feed = tmp_path / "feed.xml"
    feed.write_bytes(rss(item("secret - A", AS_OF)).content)
    assert headlines(Answer(str(feed).encode())) == []


def test_an_address_where_nobody_answers_is_missing_with_the_reason() -> None:
    with tools(rss()) as google:
        pass
    assert "could not be reached" in (google.search_news("yen", AS_OF).missing or "")


@pytest.mark.parametrize(
    ("status", "headers", "said"),
    [
        (429, {"Retry-After": "120"}, "429 Too Many Requests and asks to wait 120 seconds$"),
        (
            429,
            {"Retry-After": "Fri, 30 Oct 2026 17:00:00 GMT"},
            "and asks to wait until 2026-10-30T17:00:00Z$",
        ),
        (429, {}, "429 Too Many Requests$"),
        (429, {"Retry-After": "<script>"}, "429 Too Many Requests$"),
        (403, {}, "403 Forbidden$"),
        (400, {}, "400 Bad Request$"),
    ],
)
def test_a_refusal_is_a_tool_error_that_says_what_google_said(
    status: int, headers: dict[str, str], said: str
) -> None:
    with pytest.raises(ToolError, match=f"Google News refused to answer: .*{said}"):
        found(Answer(b"<html>unusual traffic</html>", status, headers))


def test_an_answer_is_kept_for_ten_minutes() -> None:
    now, asked = [0.0], list[str]()
    with feeds(rss(item("known - A", AS_OF)), asked=asked) as url:
        google = GoogleNewsTools(FeedReader(clock=lambda: now[0]), url)
        first = google.search_news("yen", AS_OF)
        now[0] = 599.0
        assert google.search_news("yen", AS_OF) == first
        assert len(asked) == 1
        now[0] = 600.0
        google.search_news("yen", AS_OF)
    assert len(asked) == 2


def test_what_is_kept_is_filtered_anew_for_each_instant() -> None:
    asked: list[str] = []
    answer = rss(item("later - A", AS_OF), item("early - A", AS_OF - 3 * HOUR))
    with tools(answer, asked) as google:
        assert len(google.search_news("yen", AS_OF).items) == 2
        earlier = google.search_news("yen", AS_OF - HOUR)
    assert [news.headline for news in earlier.items] == ["early"]
    assert len(asked) == 1


def test_another_question_is_asked_anew_and_a_failure_is_not_kept() -> None:
    asked: list[str] = []
    with tools(Answer(b"", 503), asked) as google:
        for query in ("yen", "yen", "won"):
            google.search_news(query, AS_OF)
    assert len(asked) == 3


def test_only_so_many_answers_are_kept() -> None:
    asked: list[str] = []
    with tools(rss(), asked) as google:
        for number in range(MOST_CACHED + 1):
            google.search_news(f"yen {number}", AS_OF)
        google.search_news(f"yen {MOST_CACHED}", AS_OF)
        assert len(asked) == MOST_CACHED + 1
        google.search_news("yen 0", AS_OF)
    assert len(asked) == MOST_CACHED + 2
