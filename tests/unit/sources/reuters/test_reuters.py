"""What the tools of the `reuters` server answer, as of an instant."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from zlib import crc32

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import NewsItems, StoryCheck
from desk.sources.reuters.access import access_from
from desk.sources.reuters.platform import LsegNews
from desk.sources.reuters.server import ReutersTools
from tests.support.addresses.feeds import Answer
from tests.support.addresses.lseg import (
    APP_KEY,
    HEADLINES,
    PASSWORD,
    ROW,
    STORIES,
    USERNAME,
    Platform,
    Story,
    failed,
    headline_row,
    in_json,
    lseg,
    without,
)

AS_OF = datetime(2026, 10, 30, 16, 0, tzinfo=UTC)
NOW = datetime(2026, 11, 2, 7, 0, tzinfo=UTC)
HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
MACHINE = {"LSEG_APP_KEY": APP_KEY, "LSEG_USERNAME": USERNAME, "LSEG_PASSWORD": PASSWORD}
CLAIM = "Bank of Japan lifts rates to 0.75%"


def tools_of(platform: Platform, seconds: float = 30) -> ReutersTools:
    access = access_from(MACHINE | {"LSEG_BASE_URL": platform.url})
    return ReutersTools(LsegNews(access, now=lambda: NOW, timeout_seconds=seconds))


def story(
    headline: str,
    published_at: datetime = AS_OF - HOUR,
    *,
    story_id: str | None = None,
    text: str = "",
    source: str = "NS:RTRS",
) -> Story:
    number = crc32(f"{headline} {published_at}".encode())
    named = story_id or f"urn:newsml:reuters.com:20261030:nL{number}:1"
    return Story(headline, published_at, named, text, source)


@contextmanager
def reuters(*stories: Story) -> Iterator[tuple[ReutersTools, Platform]]:
    with lseg(*stories) as platform:
        yield tools_of(platform), platform


def news_of(*stories: Story, as_of: datetime = AS_OF, days: int = 7) -> NewsItems:
    with reuters(*stories) as (tools, _):
        return tools.get_market_news(as_of, "yen", days)


def headlines(*stories: Story, as_of: datetime = AS_OF, days: int = 7) -> list[str]:
    return [item.headline for item in news_of(*stories, as_of=as_of, days=days).items]


def of_rows(*rows: object, as_of: datetime = AS_OF) -> NewsItems:
    """The answer where the platform has these rows, whatever was asked."""
    with reuters() as (tools, platform):
        platform.instead[HEADLINES] = in_json({"data": rows, "meta": {"count": len(rows)}})
        return tools.get_market_news(as_of, "yen")


def checked(*stories: Story, claim: str = CLAIM) -> StoryCheck:
    with reuters(*stories) as (tools, _):
        return tools.verify_story(claim, AS_OF)


def test_an_item_is_reuters_own_word_with_its_instant_and_id() -> None:
    news = news_of(story("Yen falls", story_id="urn:newsml:reuters.com:20261030:nL1N3:1"))
    (only,) = news.items
    assert (only.headline, only.publisher, only.url) == ("Yen falls", "Reuters", None)
    assert only.published_at == AS_OF - HOUR
    assert only.story_id == "urn:newsml:reuters.com:20261030:nL1N3:1"
    assert (news.missing, news.query, news.as_of) == (None, "yen", AS_OF)
    assert (news.source.tier, news.source.origin) == (SourceTier.AUTHORITATIVE, "Reuters")


def test_the_days_before_the_instant_are_asked_for_newest_first() -> None:
    with reuters() as (tools, platform):
        tools.get_market_news(AS_OF, "yen", 3)
    (asked,) = [asked.values for asked in platform.asked if asked.path == HEADLINES]
    assert asked == {
        "query": '"yen" AND searchIn:FullStory AND Source:RTRS AND Language:LEN',
        "limit": "100",
        "dateFrom": "2026-10-27T16:00:00.000Z",
        "dateTo": "2026-10-30T16:00:00.000Z",
        "sort": "newToOld",
    }


@pytest.mark.parametrize(("months", "archived"), [(13, False), (15, True)])
def test_old_news_is_asked_for_in_the_archive(months: int, archived: bool) -> None:
    with reuters() as (tools, platform):
        tools.get_market_news(NOW - timedelta(days=30 * months), "yen")
    assert platform.asked[-1].values.get("archive") == ("true" if archived else None)


def test_nothing_published_after_the_instant_is_returned() -> None:
    rows = [headline_row(story(str(n), AS_OF + n * SECOND)) for n in (1, 0, -1)]
    assert [item.headline for item in of_rows(*rows).items] == ["0", "-1"]
    assert [item.headline for item in of_rows(*rows, as_of=AS_OF + SECOND).items] == [
        "1",
        "0",
        "-1",
    ]


def test_a_planted_future_changes_no_letter_of_the_answer() -> None:
    known = headline_row(story("known"))
    future = [headline_row(story(f"future {n}", AS_OF + n * HOUR)) for n in range(1, 40)]
    assert of_rows(*future, known) == of_rows(known)
    assert of_rows(*future) == of_rows()


def test_a_version_of_a_later_day_is_not_known_though_its_story_was_there() -> None:
    later = Story("Yen fell", AS_OF + HOUR, "urn:newsml:1:nL1:2", first_created=AS_OF - HOUR)
    assert of_rows(headline_row(later)).items == ()
    (changed,) = of_rows(headline_row(later), as_of=AS_OF + HOUR).items
    assert changed.published_at == AS_OF + HOUR


def test_what_is_older_than_the_days_asked_for_is_left_out() -> None:
    stale = [headline_row(story("old", AS_OF - timedelta(days=8))), headline_row(story("known"))]
    assert [item.headline for item in of_rows(*stale).items] == ["known"]
    assert "nothing from 2026-10-23 16:00:00+00:00 to" in (of_rows(stale[0]).missing or "")


def test_items_come_newest_first_and_each_headline_once() -> None:
    hours = (3, 1, 2)
    twice = story("1 hours", AS_OF - 4 * HOUR)
    assert headlines(twice, *(story(f"{n} hours", AS_OF - n * HOUR) for n in hours)) == [
        "1 hours",
        "2 hours",
        "3 hours",
    ]


def test_a_search_that_finds_nothing_says_so() -> None:
    assert news_of().missing == (
        "Reuters has nothing from 2026-10-23 16:00:00+00:00 to 2026-10-30 16:00:00+00:00."
    )


def test_more_than_a_page_holds_are_the_newest_and_it_is_said() -> None:
    news = news_of(*(story(str(n), AS_OF - n * SECOND) for n in range(120)))
    assert [item.headline for item in news.items] == [str(n) for n in range(100)]
    assert news.missing == "There are more than the 100 newest, which were looked at."


def test_items_that_lack_something_are_left_out_and_counted() -> None:
    undated = without(ROW, "newsItem", "itemMeta", "versionCreated")
    untitled = without(ROW, "newsItem", "itemMeta", "title")
    news = of_rows(ROW, undated, undated, untitled)
    assert [item.headline for item in news.items] == ["BOJ holds"]
    assert news.missing == (
        "2 items without a readable date left out. 1 item without a headline left out."
    )


def test_what_others_wrote_is_left_out_and_counted() -> None:
    news = news_of(story("ours"), story("theirs", source="NS:BSW"))
    assert [item.headline for item in news.items] == ["ours"]
    assert news.missing == "1 of other publishers left out."


def test_texts_are_made_harmless() -> None:
    hostile = "<b>Yen</b>&lt;script&gt;steal()&lt;/script&gt;\u202e falls\x07 " + "x" * 600
    (only,) = news_of(story(hostile)).items
    assert only.headline.startswith("Yen falls x")
    assert len(only.headline) == 500


def test_an_id_that_is_too_long_or_no_name_of_a_story_is_not_asked_for() -> None:
    with reuters(story("BOJ lifts rates to 0.75", story_id="../../auth/oauth2")) as (tools, found):
        assert tools.verify_story(CLAIM, AS_OF).carried
    assert not [path for path in found.paths() if path.startswith(STORIES)]
    assert of_rows(headline_row(story("a", story_id="u" * 201))).items[0].story_id is None


def test_without_a_query_it_is_about_currencies_and_central_banks() -> None:
    with reuters(story("Dollar up")) as (tools, platform):
        news = tools.get_market_news(AS_OF)
    assert platform.queries() == ["(Topic:FRX OR Topic:CEN) AND Source:RTRS AND Language:LEN"]
    assert (news.query, len(news.items)) == ("currencies and central banks", 1)


@pytest.mark.parametrize("query", [" ", "\u200b", "<b></b>", "()", "the of", '":"'])
def test_a_query_without_words_is_refused(query: str) -> None:
    with reuters() as (tools, platform), pytest.raises(ToolError, match="has no words"):
        tools.get_market_news(AS_OF, query)
    assert platform.asked == []


def test_news_of_central_banks_are_headlines_that_name_them() -> None:
    with reuters(story("BOJ holds")) as (tools, platform):
        news = tools.get_central_bank_news(["JP", "NO", "JP"], AS_OF)
    assert platform.queries() == [
        '("Bank of Japan" OR "BoJ" OR "Norges Bank") AND Topic:CEN AND Source:RTRS AND Language:LEN'
    ]
    assert [item.headline for item in news.items] == ["BOJ holds"]
    assert (news.missing, news.query) == (None, None)


def test_a_bank_that_is_not_known_costs_only_its_own_news() -> None:
    with reuters(story("BOJ holds")) as (tools, platform):
        news = tools.get_central_bank_news(["JP", "ZZ"], AS_OF)
        assert tools.get_central_bank_news(["ZZ"], AS_OF).missing == news.missing
        with pytest.raises(ToolError, match="not an area code"):
            tools.get_central_bank_news(["Japan"], AS_OF)
    assert len(news.items) == 1
    assert news.missing == "ZZ: its central bank is not known here."
    assert len(platform.queries()) == 1


def test_a_story_that_reuters_has_is_carried_with_how_it_opens() -> None:
    told = story("BOJ raises interest rates to 0.75%", text="TOKYO (Reuters) - The Bank\nof Japan")
    check = checked(told, story("Yen falls after BOJ"))
    assert (check.carried, check.headline, check.missing) == (True, CLAIM, None)
    (only,) = check.items
    assert only.headline == "BOJ raises interest rates to 0.75%"
    assert only.summary == "TOKYO (Reuters) - The Bank of Japan"


def test_the_nearest_comes_first() -> None:
    near = ("BOJ lifts rates to 0.75%", "BOJ lifts borrowing costs to 0.75")
    check = checked(*(story(told, text="x") for told in reversed(near)))
    assert tuple(item.headline for item in check.items) == near
    assert [item.summary for item in check.items] == ["x", None]


def test_a_story_that_is_not_there_is_not_carried() -> None:
    check = checked(story("BOJ holds rates at 0.50%"), story("Fed lifts rates to 0.75%"))
    assert (check.carried, check.items) == (False, ())
    assert (check.missing or "").startswith("No headline of Reuters from 2026-10-23")


def test_a_story_of_a_later_instant_is_not_carried_yet() -> None:
    assert checked(story(CLAIM, AS_OF)).carried
    assert checked(story(CLAIM, AS_OF + SECOND)) == checked()


def test_all_the_words_are_looked_for_and_then_any_of_them() -> None:
    with reuters(story(CLAIM)) as (tools, platform):
        platform.matches = lambda query, _: "HeadlineOnly" in query
        assert tools.verify_story(CLAIM, AS_OF).carried
        platform.matches = lambda query, _: "FullStory" in query
        assert tools.verify_story(CLAIM, AS_OF - SECOND).carried
    banks = '("Bank of Japan" OR "BoJ")'
    end = " AND Source:RTRS AND Language:LEN"
    narrow = f'{banks} AND "lifts" AND "rates" AND "0.75" AND searchIn:FullStory{end}'
    broad = f'({banks} OR "lifts" OR "rates" OR "0.75") AND searchIn:HeadlineOnly{end}'
    assert platform.queries() == [narrow, broad, narrow]


def test_a_story_is_not_told_as_it_was_changed_later() -> None:
    told = {"contentSet": {"inlineData": [{"$": "as it became"}]}}
    for changed_at, summary in ((AS_OF, "as it became"), (AS_OF + SECOND, None)):
        with reuters(story(CLAIM)) as (tools, platform):
            version = {"itemMeta": {"versionCreated": {"$": changed_at.isoformat()}}}
            platform.instead[STORIES] = in_json({"newsItem": told | version})
            check = tools.verify_story(CLAIM, AS_OF)
        assert (check.items[0].summary, check.missing) == (summary, None)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (failed(404, "Story not found"), "it answered 404 Not Found"),
        (failed(500, "sorry"), "it answered 500"),
        (in_json({"newsItem": {}}), "inlineData` is missing or has changed"),
        (in_json({"newsItem": {"contentSet": {"inlineData": {"$": "x"}}}}), "no readable date"),
    ],
)
def test_a_story_that_cannot_be_read_costs_only_its_text(answer: Answer, said: str) -> None:
    with reuters(story(CLAIM)) as (tools, platform):
        platform.instead[STORIES] = answer
        check = tools.verify_story(CLAIM, AS_OF)
    assert check.carried
    assert check.items[0].summary is None
    assert said in (check.missing or "")


@pytest.mark.parametrize("claim", ["BOJ", "the of", "<i></i>", "Bank of Japan"])
def test_a_headline_that_could_be_any_is_refused(claim: str) -> None:
    with reuters() as (tools, platform), pytest.raises(ToolError, match="the whole headline"):
        tools.verify_story(claim, AS_OF)
    assert platform.asked == []
