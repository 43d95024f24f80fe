"""What `get_mentions` answers: posts of public feeds, with their reach, as of an instant."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from mcp import Client

from desk.contracts.agents.tools import REACH_TOOL
from desk.contracts.episode.analysis import Mentions
from desk.contracts.findings.claims import Metric
from desk.sources.serving.reachability import Reach
from desk.sources.social.providers import FEEDS
from desk.sources.social.server import SocialTools, build_server, mention_search_of
from tests.standins.provider import Failure
from tests.standins.serving import Standins, serving

AS_OF = datetime(2026, 10, 30, 16, 0, tzinfo=UTC)


@pytest.fixture
def world() -> Iterator[Standins]:
    with serving() as standins:
        yield standins


def bases(world: Standins) -> dict[str, str]:
    return {name: world.address(name) for name in FEEDS}


def mentions(
    world: Standins, symbol: str = "USD/JPY", *, now: datetime = AS_OF, as_of: datetime = AS_OF
) -> Mentions:
    asked = bases(world)
    tools = SocialTools(asked, Reach("social", asked.values()), lambda: now)
    return tools.get_mentions(symbol, as_of)


def test_posts_of_all_feeds_come_newest_first_with_their_reach(world: Standins) -> None:
    told = mentions(world)
    assert [(each.feed, each.reach) for each in told.items] == [
        ("Mastodon", 7),
        ("Bluesky", 28),
        ("Hacker News", None),
        ("Hacker News", 160),
    ]
    figures = {figure.metric: int(figure.value) for figure in told.figures}
    assert figures == {Metric.MENTION_COUNT: 4, Metric.MENTION_REACH: 195}
    assert told.missing == ()
    assert told.items[0].text == "Invented: watching #USDJPY today"
    assert told.items[1].url == "https://bsky.app/profile/invented.example/post/3k1"


def test_nothing_posted_after_the_instant_is_there(world: Standins) -> None:
    earlier = datetime(2026, 10, 29, 12, 0, tzinfo=UTC)
    told = mentions(world, as_of=earlier, now=earlier)
    assert {each.feed for each in told.items} == {"Hacker News"}


def test_a_full_answer_that_ends_within_the_window_says_that_there_may_be_more(
    world: Standins, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = {name: replace(feed, most=1) for name, feed in FEEDS.items()}
    monkeypatch.setattr("desk.sources.social.server.FEEDS", short)
    told = mentions(world)
    assert len(told.missing) == len(FEEDS)
    assert all("gives 1 posts at once, back to 2026-10-" in words for words in told.missing)
    assert told.figures


def test_reach_is_told_only_of_the_present(world: Standins) -> None:
    told = mentions(world, now=AS_OF + timedelta(days=7))
    assert all(each.reach is None for each in told.items)
    assert [figure.metric for figure in told.figures] == [Metric.MENTION_COUNT]
    assert "The reach at that instant is not known" in told.missing[0]


@pytest.mark.parametrize("name", FEEDS)
@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (Failure.TOO_MANY, "429 Too Many Requests and asks to wait 30 seconds"),
        (Failure.ERROR, "500 Internal Server Error"),
        (Failure.HTML, "a web page (HTML) and no JSON"),
        (Failure.TRUNCATED, "no JSON, or breaks off"),
        (Failure.RENAMED, "another form than is documented"),
        (Failure.REDIRECT_LOOP, "redirect"),
        (Failure.CLOSED, "the connection ended before its answer did"),
    ],
)
def test_a_feed_that_fails_costs_its_own_posts_only(
    world: Standins, name: str, failure: Failure, said: str
) -> None:
    world.fail(name, failure)
    told = mentions(world)
    (missing,) = told.missing
    assert missing.startswith(f"{FEEDS[name].name} could not be read: ")
    assert said in missing
    assert {each.feed for each in told.items} == {
        feed.name for other, feed in FEEDS.items() if other != name
    }


def test_a_redirection_is_followed(world: Standins) -> None:
    world.fail("bluesky", Failure.REDIRECT)
    assert len(mentions(world).items) == 4


def test_where_no_feed_answers_there_is_no_count(world: Standins) -> None:
    world.fail("*", Failure.CLOSED)
    told = mentions(world)
    assert (told.figures, told.items) == ((), ())
    assert told.unreachable_since is not None


@pytest.mark.parametrize(
    ("symbol", "words", "tag"),
    [
        ("EUR/USD", "EURUSD", "EURUSD"),
        ("NVDA", "$NVDA", "NVDA"),
        ("JP", '"Bank of Japan"', "BankofJapan"),
    ],
)
def test_a_market_is_looked_for_by_its_own_names(symbol: str, words: str, tag: str) -> None:
    wanted = mention_search_of(symbol, AS_OF, AS_OF)
    assert (wanted.words, wanted.tag) == (words, tag)


async def test_the_server_gives_the_contract_and_says_whether_it_can_be_reached(
    world: Standins, tmp_path: Path
) -> None:
    server = build_server(tmp_path, bases=bases(world), now=lambda: AS_OF)
    async with Client(server) as client:
        asked = {"symbol": "NVDA", "as_of": AS_OF.isoformat()}
        answer = await client.call_tool("get_mentions", asked)
        reach = await client.call_tool(REACH_TOOL, {})
    assert len(Mentions.model_validate(answer.structured_content).items) == 4
    assert reach.structured_content["reachable"] is True
