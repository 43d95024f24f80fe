"""What the desk's sources carried about a market, each story once."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from desk.contracts.findings.source_results import NewsItem
from desk.sources.central_banks.facts.policy import read_facts
from desk.sources.knowledge.files import read_corpus
from desk.sources.news.banks.feeds import BankNews
from desk.sources.news.feed import FeedReader
from desk.sources.news.server import GoogleNewsTools
from desk.sources.sentiment.stories import (
    NO_COMPANIES,
    NOT_LIVE,
    Asked,
    Gathered,
    LiveNews,
    Newsroom,
    Story,
    without_duplicates,
)
from tests.support.addresses.feeds import Answer, feeds, item, rss
from tests.support.files.facts_files import write_facts
from tests.support.knowledge.corpus import CorpusFolder

AFTER_THE_FED = datetime(2026, 9, 17, 6, tzinfo=UTC)


def newsroom(folder: Path, pages: CorpusFolder | None = None, url: str | None = None) -> Newsroom:
    """Small tables, a corpus of the test's own, and feeds at an address if there is one."""
    facts = write_facts(folder / "facts")
    corpus = (pages or CorpusFolder(folder / "corpus")).folder
    live = None
    if url is not None:
        banks = BankNews({"US": f"{url}/fed", "JP": f"{url}/boj"})
        live = LiveNews(banks, GoogleNewsTools(FeedReader(), url))
    return Newsroom(lambda _: read_facts(facts), lambda: read_corpus(corpus), live)


def gathered(room: Newsroom, symbol: str = "USD/JPY", days: int = 14) -> Gathered:
    return room.gather(Asked(symbol, AFTER_THE_FED, days))


def headlines(found: Gathered) -> list[str]:
    return [story.item.headline for story in found.stories]


def story(headline: str, hour: int, publisher: str = "The Wire") -> Story:
    at = datetime(2026, 9, 16, hour, tzinfo=UTC)
    return Story(NewsItem(headline=headline, publisher=publisher, published_at=at))


def test_the_desks_own_table_of_decisions_is_no_news(tmp_path: Path) -> None:
    """The Federal Reserve decided on the day before."""
    found = gathered(newsroom(tmp_path))
    assert (found.stories, found.count, found.tone("USD/JPY")) == ((), None, None)
    assert not found.read


def test_a_page_counts_from_its_publication_and_where_it_names_the_market(tmp_path: Path) -> None:
    pages = CorpusFolder(tmp_path / "pages")
    pages.page("https://a.example/1", "The yen rose.\n", "One", "2026-09-15T08:00:00Z")
    pages.page("https://a.example/2", "The krona rose.\n", "Two", "2026-09-15T08:00:00Z")
    pages.page("https://a.example/3", "The yen fell.\n", "Three", "2026-09-18T08:00:00Z")
    pages.page("https://a.example/4", "The yen slept.\n", "Four", "2026-08-15T08:00:00Z")
    found = gathered(newsroom(tmp_path, pages))
    assert headlines(found) == ["One"]
    assert found.stories[0].item.summary == "The yen rose."
    assert found.stories[0].item.url == "https://a.example/1"
    assert len(headlines(gathered(newsroom(tmp_path, pages), days=60))) == 2


def test_a_story_that_many_tell_is_there_once_as_it_was_first_told() -> None:
    told = [
        story("Yen falls, again!", 9, "The Copy"),
        story("YEN FALLS AGAIN", 8, "The First"),
        story("yen falls again - The Late", 10, "The Late"),
        story("Yen rises", 7),
    ]
    assert [(each.item.headline, each.item.publisher) for each in without_duplicates(told)] == [
        ("YEN FALLS AGAIN", "The First"),
        ("Yen rises", "The Wire"),
    ]


def test_stories_without_a_letter_are_not_taken_for_one() -> None:
    assert len(without_duplicates([story("!!!", 8), story("???", 9)])) == 2


def test_without_a_network_the_reasons_are_told(tmp_path: Path) -> None:
    room = newsroom(tmp_path)
    assert gathered(room).missing == (NOT_LIVE,)
    company = gathered(room, "NVDA")
    assert company.missing == (NO_COMPANIES,)
    assert not company.read


def test_what_is_no_market_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="write it like USD/JPY or NVDA"):
        gathered(newsroom(tmp_path), "yen")


def test_live_sources_add_to_the_rest_and_one_that_fails_costs_only_its_own(
    tmp_path: Path,
) -> None:
    google = rss(
        item("Yen slumps - Reuters", AFTER_THE_FED - timedelta(hours=2)),
        item("Yen soars - Reuters", AFTER_THE_FED + timedelta(hours=2)),
    )
    boj = rss(item("Statement on Monetary Policy", AFTER_THE_FED - timedelta(hours=1)))
    with feeds(google, {"/boj": boj, "/fed": Answer(b"", 503)}) as url:
        found = gathered(newsroom(tmp_path, url=url))
        assert headlines(found) == ["Statement on Monetary Policy", "Yen slumps"]
        assert [each.area for each in found.stories] == ["JP", None]
        assert any("US: the news feed" in reason for reason in found.missing)


def test_a_refusal_of_a_live_source_is_told_and_the_rest_is_there(tmp_path: Path) -> None:
    with feeds(Answer(b"", 429)) as url:
        found = gathered(newsroom(tmp_path, url=url))
    assert headlines(found) == [] and found.count == Decimal(0)
    assert any("Google News refused" in reason for reason in found.missing)


def test_a_company_is_searched_for_by_its_name(tmp_path: Path) -> None:
    asked: list[str] = []
    with feeds(rss(item("Nvidia soars - A", AFTER_THE_FED)), asked=asked) as url:
        found = gathered(newsroom(tmp_path, url=url), "NVDA")
    assert headlines(found) == ["Nvidia soars"]
    assert len(asked) == 1
    assert "Nvidia" in asked[0]
