"""Every way in which Google News and the banks' feeds fail, each with its own clear ending."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from desk.contracts.findings.source_results import NewsItems
from desk.sources.news.banks.feeds import BankNews
from desk.sources.news.banks.server import BankFeedTools
from desk.sources.news.feed import FeedReader
from desk.sources.news.server import GoogleNewsTools
from desk.sources.serving.reachability import Reach
from tests.standins.provider import Failure
from tests.standins.serving import Standins

AS_OF = datetime(2026, 10, 31, 12, 0, tzinfo=UTC)
SECONDS = 0.5

Asked = Callable[[Standins], NewsItems]


def google(standins: Standins) -> NewsItems:
    url = standins.address("google_news")
    reader = FeedReader(Reach("google_news", (url,)), timeout_seconds=SECONDS)
    return GoogleNewsTools(reader, url).search_news("yen", AS_OF)


def bank(standins: Standins) -> NewsItems:
    feeds = {"JP": f"{standins.address('bank_feeds')}/JP"}
    reader = FeedReader(Reach("bank_feeds", feeds.values()), timeout_seconds=SECONDS)
    return BankFeedTools(BankNews(feeds, reader)).get_central_bank_news(["JP"], AS_OF)


SOURCES: dict[str, Asked] = {"google_news": google, "bank_feeds": bank}

ENDINGS = {
    Failure.REDIRECT_LOOP: "redirect",
    Failure.TOO_MANY: "429 Too Many Requests and asks to wait 30 seconds",
    Failure.ERROR: "500 Internal Server Error, an error of its own",
    Failure.HTML: "a web page (HTML) and no feed",
    Failure.EMPTY: "its answer is empty",
    Failure.TRUNCATED: "malformed XML",
    Failure.SLOW: f"did not answer within {SECONDS:g} seconds",
    Failure.CLOSED: "the connection ended before its answer did",
}
UNREACHED = {Failure.REDIRECT_LOOP, Failure.SLOW, Failure.CLOSED}


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("failure", ENDINGS)
def test_a_failure_is_told_and_never_taken_for_silence(
    standins: Standins, name: str, failure: Failure
) -> None:
    standins.fail(name, failure)
    try:
        told = SOURCES[name](standins)
    except ToolError as refused:
        # Google has nobody else's news to give; a bank's refusal costs its own.
        assert (name, failure) == ("google_news", Failure.TOO_MANY)
        assert ENDINGS[failure] in str(refused)
    else:
        assert told.items == ()
        assert ENDINGS[failure] in (told.missing or "")
        assert (told.unreachable_since is not None) == (failure in UNREACHED)
    standins.mend()
    assert SOURCES[name](standins).items


@pytest.mark.parametrize("name", SOURCES)
def test_a_redirection_is_followed_and_a_date_under_another_name_is_no_date(
    standins: Standins, name: str
) -> None:
    standins.fail(name, Failure.REDIRECT)
    assert SOURCES[name](standins).items
    standins.fail(name, Failure.RENAMED)
    told = SOURCES[name](standins)
    assert told.items == ()
    assert "date" in (told.missing or "")


@pytest.mark.parametrize("name", SOURCES)
def test_nobody_waits_a_second_time_for_a_host_that_is_silent(
    standins: Standins, name: str
) -> None:
    standins.fail(name, Failure.SLOW)
    url = standins.address(name)
    reach = Reach(name, (url,))
    reader = FeedReader(reach, timeout_seconds=SECONDS)
    for _ in range(3):
        if name == "google_news":
            told = GoogleNewsTools(reader, url).search_news("yen", AS_OF)
        else:
            news = BankNews({"JP": f"{url}/JP"}, reader)
            told = BankFeedTools(news).get_central_bank_news(["JP"], AS_OF)
        assert told.unreachable_since is not None
    assert standins.asked[name] == 1
