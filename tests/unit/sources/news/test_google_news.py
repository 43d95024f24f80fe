"""What the tools of the `google_news` server answer, as of an instant."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import NewsItems
from desk.sources.news.feed import FeedReader
from desk.sources.news.server import TOPIC_QUERIES, GoogleNewsTools, HeadlineTopic
from tests.support.addresses.feeds import Answer, atom, feeds, item, rss

AS_OF = datetime(2026, 10, 30, 16, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


@contextmanager
def tools(
    answer: Answer, asked: list[str] | None = None, seconds: float = 30
) -> Iterator[GoogleNewsTools]:
    with feeds(answer, asked=asked) as url:
        yield GoogleNewsTools(FeedReader(timeout_seconds=seconds), url)


def found(answer: Answer, as_of: datetime = AS_OF, days: int = 7) -> NewsItems:
    with tools(answer) as google:
        return google.search_news("yen", as_of, days)


def headlines(answer: Answer, as_of: datetime = AS_OF, days: int = 7) -> list[str]:
    return [news.headline for news in found(answer, as_of, days).items]


def question(path: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(path).query)


def test_a_search_is_asked_in_the_edition_with_the_days_of_the_window() -> None:
    asked: list[str] = []
    with tools(rss(), asked) as google:
        google.search_news("Bank of Japan & yen", AS_OF, 7)
    assert urlsplit(asked[0]).path == "/rss/search"
    assert question(asked[0]) == {
        "q": ["Bank of Japan & yen after:2026-10-22 before:2026-10-31"],
        "hl": ["en-US"],
        "gl": ["US"],
        "ceid": ["US:en"],
    }


def test_an_item_comes_with_its_publisher_instant_and_link() -> None:
    news = found(rss(item("Yen falls - Reuters", AS_OF - HOUR, source="Reuters")))
    (only,) = news.items
    assert (only.headline, only.publisher) == ("Yen falls", "Reuters")
    assert only.published_at == AS_OF - HOUR
    assert only.url == "https://news.google.com/rss/articles/CBMiAAA?oc=5"
    assert only.summary is None
    assert (news.missing, news.query, news.as_of) == (None, "yen", AS_OF)


def test_the_source_is_secondary_and_nobodys_origin() -> None:
    source = found(rss()).source
    assert (source.tier, source.origin, source.name) == (SourceTier.SECONDARY, None, "Google News")


@pytest.mark.parametrize(
    ("title", "source", "headline", "publisher"),
    [
        ("Yen falls - Reuters", "Reuters", "Yen falls", "Reuters"),
        ("Dow up 300 - a record - CNBC", "CNBC", "Dow up 300 - a record", "CNBC"),
        ("Dow up 300 - a record", "CNBC", "Dow up 300 - a record", "CNBC"),
        ("Dow up 300 - a record - CNBC", None, "Dow up 300 - a record", "CNBC"),
        ("Yen falls - The Korea Herald", None, "Yen falls", "The Korea Herald"),
        ("Yen falls-Reuters", None, "Yen falls-Reuters", "publisher not named"),
        ("AT&T's bonds - S&P", "S&P", "AT&T's bonds", "S&P"),
    ],
)
def test_headline_and_publisher_are_told_apart(
    title: str, source: str | None, headline: str, publisher: str
) -> None:
    (only,) = found(rss(item(title, AS_OF, source=source))).items
    assert (only.headline, only.publisher) == (headline, publisher)


def test_nothing_published_after_the_instant_is_returned() -> None:
    second = timedelta(seconds=1)
    answer = rss(item("later - A", AS_OF + second), item("now - A", AS_OF), item("x - A", AS_OF))
    assert headlines(answer) == ["now", "x"]
    assert headlines(answer, AS_OF - second) == []
    assert headlines(answer, AS_OF + second) == ["later", "now", "x"]


def test_a_planted_future_changes_no_letter_of_the_answer() -> None:
    known = item("known - A", AS_OF - HOUR)
    future = [item(f"future {n} - A", AS_OF + n * HOUR) for n in range(1, 40)]
    assert found(rss(*future, known)) == found(rss(known))
    assert found(rss(*future)) == found(rss())


def test_a_headline_that_was_changed_after_the_instant_is_not_known_yet() -> None:
    answer = atom("Yen fell - A", "2026-10-29T12:00:00Z", "2026-11-02T08:00:00Z")
    assert headlines(answer) == []
    (changed,) = found(answer, datetime(2026, 11, 2, 8, tzinfo=UTC)).items
    assert changed.published_at == datetime(2026, 10, 29, 12, tzinfo=UTC)


def test_what_google_gives_from_before_the_days_asked_for_is_left_out() -> None:
    edge = AS_OF - timedelta(days=2)
    answer = rss(item("old - A", edge - HOUR), item("edge - A", edge))
    assert headlines(answer, days=2) == ["edge"]


def test_items_come_newest_first_and_each_story_once() -> None:
    hours = (3, 1, 2, 1)
    answer = rss(*(item(f"{n} hours - A", AS_OF - n * HOUR) for n in hours))
    assert headlines(answer) == ["1 hours", "2 hours", "3 hours"]


def test_items_without_a_readable_date_are_left_out_and_counted() -> None:
    dates = (None, "", "yesterday", "Fri, 99 Oct 2026 12:00:00 GMT", "2026-10-30")
    news = found(rss(item("known - A", AS_OF), *(item("x - A", written) for written in dates)))
    assert [only.headline for only in news.items] == ["known"]
    assert news.missing == "5 items without a readable date left out."


def test_items_without_a_headline_are_left_out_and_counted() -> None:
    news = found(rss(item("", AS_OF), item("<img src=x>", AS_OF)))
    assert news.items == ()
    assert "2 items without a headline left out." in (news.missing or "")


def test_more_items_than_a_result_holds_are_cut_to_the_newest() -> None:
    news = found(rss(*(item(f"{n} - A", AS_OF - n * timedelta(minutes=1)) for n in range(120))))
    assert [only.headline for only in news.items] == [str(n) for n in range(100)]
    assert news.missing == "The 100 newest of 120 items."


def test_a_search_that_finds_nothing_says_so() -> None:
    missing = found(rss()).missing or ""
    assert "nothing from 2026-10-23 16:00:00+00:00 to 2026-10-30 16:00:00+00:00" in missing


def test_a_range_of_dates_holds_both_its_days() -> None:
    days = [
        datetime(2026, 10, day, hour, tzinfo=UTC) for day in (19, 20, 21, 22) for hour in (0, 23)
    ]
    asked: list[str] = []
    with tools(rss(*(item(f"{at} - A", at) for at in days)), asked) as google:
        news = google.filter_by_date("yen", date(2026, 10, 20), date(2026, 10, 21), AS_OF)
    assert [only.published_at for only in news.items] == days[5:1:-1]
    assert question(asked[0])["q"] == ["yen after:2026-10-19 before:2026-10-22"]


def test_a_range_of_dates_ends_at_the_instant() -> None:
    asked: list[str] = []
    answer = rss(item("later - A", AS_OF + HOUR), item("known - A", AS_OF))
    with tools(answer, asked) as google:
        news = google.filter_by_date("yen", date(2026, 10, 30), date.max, AS_OF)
        ahead = google.filter_by_date("yen", date(2026, 10, 31), date(2026, 11, 2), AS_OF)
    assert [only.headline for only in news.items] == ["known"]
    assert "lies after" in (ahead.missing or "")
    assert len(asked) == 1


def test_a_range_from_the_first_day_of_the_calendar_is_answered() -> None:
    with tools(rss(item("known - A", AS_OF))) as google:
        assert google.filter_by_date("yen", date.min, date.max, AS_OF).items


def test_a_range_that_runs_backwards_is_refused() -> None:
    with tools(rss()) as google, pytest.raises(ToolError, match="lies before start"):
        google.filter_by_date("yen", date(2026, 10, 21), date(2026, 10, 20), AS_OF)


@pytest.mark.parametrize("topic", HeadlineTopic)
def test_headlines_on_a_topic_are_a_search_of_its_words(topic: HeadlineTopic) -> None:
    asked: list[str] = []
    with tools(rss(item("Rates held - A", AS_OF)), asked) as google:
        news = google.get_headlines(AS_OF, topic, 3)
    assert question(asked[0])["q"] == [f"{TOPIC_QUERIES[topic]} after:2026-10-26 before:2026-10-31"]
    assert (news.query, len(news.items)) == (topic.value, 1)


def test_headlines_without_a_topic_are_a_search_of_all() -> None:
    asked: list[str] = []
    with tools(rss(item("later - A", AS_OF + HOUR), item("known - A", AS_OF)), asked) as google:
        news = google.get_headlines(AS_OF)
    assert all(words in question(asked[0])["q"][0] for words in TOPIC_QUERIES.values())
    assert [only.headline for only in news.items] == ["known"]
    assert news.query == "all topics"


@pytest.mark.parametrize("query", ["yen when:1h", "yen AFTER:2030-01-01", "before:2020-01-01"])
def test_a_query_may_not_bring_its_own_dates(query: str) -> None:
    with tools(rss()) as google, pytest.raises(ToolError, match="leave when:"):
        google.search_news(query, AS_OF)


@pytest.mark.parametrize("query", [" ", "\u200b", "<b></b>", "\x00"])
def test_a_query_without_words_is_refused(query: str) -> None:
    with tools(rss()) as google, pytest.raises(ToolError, match="has no words"):
        google.search_news(query, AS_OF)
