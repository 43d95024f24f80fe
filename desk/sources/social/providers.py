"""Public social feeds that need no key, each parsed by its documented format.

Mastodon: GET /api/v1/timelines/tag/:hashtag, an array of Status (docs.joinmastodon.org). Bluesky:
GET /xrpc/app.bsky.feed.searchPosts, `posts` with postView (docs.bsky.app). Hacker News: GET
/api/v1/search_by_date of the Algolia search, `hits` (hn.algolia.com/api).
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode

import httpx2
from pydantic import ValidationError

from desk.analytics.links import web_link
from desk.contracts.episode.analysis import LONGEST_MENTION, Mention
from desk.sources.news.text import plain_text
from desk.sources.serving.downloads import (
    NotDownloaded,
    TooLarge,
    asked_pause,
    download,
    status_of,
)
from desk.sources.serving.reachability import NotReachable, Reach

TIMEOUT_SECONDS: Final = 3.0
LARGEST_ANSWER: Final = 4 * 1024 * 1024
"""In bytes. A hundred posts with all their metadata take less than one mebibyte."""

MOST_ASKED: Final = 100
_MASTODON_PAGE: Final = 40
"""Posts a page: the documented maximum of `limit` for /api/v1/timelines/tag, whose default is 20
(https://docs.joinmastodon.org/methods/timelines/#tag)."""
_TOO_MANY: Final = 429
_HEADERS: Final = {"Accept": "application/json", "User-Agent": "research-desk/0.1"}


@dataclass(frozen=True, slots=True)
class MentionSearch:
    """The search terms: words for a search, the same as one hashtag, and the name in plain words;
    from `start` to `end`, both included."""

    words: str
    tag: str
    name: str
    start: datetime
    end: datetime


class FeedFailed(Exception):
    """A feed gave nothing usable. The message says why; `since` is set if it does not answer at
    all."""

    def __init__(self, reason: str, since: datetime | None = None) -> None:
        super().__init__(reason)
        self.since = since


@dataclass(frozen=True, slots=True)
class Feed:
    """One public feed: its address, its query, and the parsing of its posts. One answer has at most
    `most` of them."""

    name: str
    url: str
    most: int
    path: Callable[[MentionSearch], str]
    posts: Callable[[Any], Iterable[Any]]
    mention: Callable[[Mapping[str, Any]], dict[str, Any]]

    def address(self, base: str, wanted: MentionSearch) -> str:
        """The query as an address below another base than the feed's own."""
        return f"{base.rstrip('/')}{self.path(wanted)}"


class FoundMentions(NamedTuple):
    """The posts of a feed in a window, newest first. `reaches_back_to` is the oldest post of a full
    answer that ends within the window: there may be more before it."""

    mentions: tuple[Mention, ...]
    reaches_back_to: datetime | None = None


def read(feed: Feed, base: str, wanted: MentionSearch, reach: Reach) -> FoundMentions:
    """The posts of a feed in the window.

    Raises:
        FeedFailed: it did not answer, refused, or its answer has another form.
    """
    url = feed.address(base, wanted)
    body = _json(_fetched(url, reach))
    try:
        posts = [*feed.posts(body)]
        found = [mention for post in posts if (mention := _mention(feed, post)) is not None]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise FeedFailed("its answer has another form than is documented") from error
    if posts and not found:
        raise FeedFailed("its answer has another form than is documented")
    within = [each for each in found if wanted.start <= each.published_at <= wanted.end]
    within.sort(key=lambda each: each.published_at, reverse=True)
    oldest = min((each.published_at for each in found), default=wanted.start)
    ends_early = len(posts) >= feed.most and oldest > wanted.start
    return FoundMentions(tuple(within), oldest if ends_early else None)


def _fetched(url: str, reach: Reach) -> bytes:
    try:
        reach.require(url)
        content = download(
            url,
            _require_success,
            timeout_seconds=TIMEOUT_SECONDS,
            largest=LARGEST_ANSWER,
            headers=_HEADERS,
        )
    except NotReachable as error:
        raise FeedFailed(str(error), error.since) from error
    except TooLarge as error:
        raise FeedFailed(str(error)) from error
    except _AskedTooOften as error:
        reach.note_failure(url, str(error))
        raise
    except NotDownloaded as error:
        raise FeedFailed(str(error), reach.note_failure(url, str(error))) from error
    reach.note_success(url)
    return content


class _AskedTooOften(FeedFailed):
    """It was asked too often, and is not asked again for a minute."""


def _require_success(answer: httpx2.Response) -> None:
    if answer.is_success:
        return
    reason = f"it answered {status_of(answer)}"
    if answer.status_code == _TOO_MANY:
        wait = asked_pause(answer.headers.get("retry-after"))
        raise _AskedTooOften(f"{reason} and {wait}" if wait else reason)
    raise FeedFailed(reason)


def _json(content: bytes) -> Any:
    if content.lstrip().startswith(b"<"):
        raise FeedFailed("its answer is a web page (HTML) and no JSON")
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FeedFailed("its answer is no JSON, or breaks off") from error


def _mention(feed: Feed, post: Any) -> Mention | None:
    """A post as a mention. None if it has no words or no readable date, or only reposts another."""
    try:
        fields = feed.mention(post)
        return Mention(feed=feed.name, **fields)
    except (KeyError, TypeError, AttributeError, ValueError, ValidationError):
        return None


def _text(markup: object) -> str:
    return plain_text(str(markup or ""), LONGEST_MENTION)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _instant(written: str) -> datetime:
    found = datetime.fromisoformat(written)
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)


def _mastodon_path(wanted: MentionSearch) -> str:
    return f"/api/v1/timelines/tag/{quote(wanted.tag, safe='')}?limit={_MASTODON_PAGE}"


def _statuses(body: Any) -> Iterator[Any]:
    if not isinstance(body, list):
        raise TypeError("no list of statuses")
    yield from (status for status in body if status.get("reblog") is None)


def _status(status: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "text": _text(status["content"]),
        "author": _text(status["account"]["acct"])[:200],
        "published_at": _instant(status["created_at"]),
        "url": web_link(status.get("url")),
        "likes": _count(status.get("favourites_count")),
        "reposts": _count(status.get("reblogs_count")),
        "comments": _count(status.get("replies_count")),
    }


def _bluesky_path(wanted: MentionSearch) -> str:
    asked = {
        "q": wanted.words,
        "sort": "latest",
        "since": f"{wanted.start.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "until": f"{wanted.end.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "limit": MOST_ASKED,
    }
    return f"/xrpc/app.bsky.feed.searchPosts?{urlencode(asked)}"


def _post(post: Mapping[str, Any]) -> dict[str, Any]:
    """Builds a post's web address from its author and the last part of its `at://` address."""
    author, record = post["author"]["handle"], post["record"]
    key = str(post["uri"]).rpartition("/")[2]
    return {
        "text": _text(record["text"]),
        "author": _text(author)[:200],
        "published_at": _instant(record["createdAt"]),
        "url": web_link(f"https://bsky.app/profile/{author}/post/{key}"),
        "likes": _count(post.get("likeCount")),
        "reposts": _count(post.get("repostCount")),
        "comments": _count(post.get("replyCount")),
    }


def _hacker_news_path(wanted: MentionSearch) -> str:
    window = (
        f"created_at_i>={int(wanted.start.timestamp())},created_at_i<={int(wanted.end.timestamp())}"
    )
    asked = {
        "query": wanted.name,
        "tags": "(story,comment)",
        "numericFilters": window,
        "hitsPerPage": MOST_ASKED,
    }
    return f"/api/v1/search_by_date?{urlencode(asked)}"


def _hit(hit: Mapping[str, Any]) -> dict[str, Any]:
    """A story by its title, a comment by its text. Points count as likes; there are no reposts."""
    return {
        "text": _text(hit.get("title") or hit.get("comment_text")),
        "author": _text(hit["author"])[:200],
        "published_at": datetime.fromtimestamp(int(hit["created_at_i"]), UTC),
        "url": web_link(f"https://news.ycombinator.com/item?id={int(hit['objectID'])}"),
        "likes": _count(hit.get("points")),
        "comments": _count(hit.get("num_comments")),
    }


FEEDS: Final[Mapping[str, Feed]] = MappingProxyType(
    {
        "mastodon": Feed(
            "Mastodon",
            "https://mastodon.social",
            _MASTODON_PAGE,
            _mastodon_path,
            _statuses,
            _status,
        ),
        "bluesky": Feed(
            "Bluesky",
            "https://api.bsky.app",
            MOST_ASKED,
            _bluesky_path,
            lambda body: body["posts"],
            _post,
        ),
        "hackernews": Feed(
            "Hacker News",
            "https://hn.algolia.com",
            MOST_ASKED,
            _hacker_news_path,
            lambda body: body["hits"],
            _hit,
        ),
    }
)
"""The feeds by the names of their options. Mastodon has many servers: one is asked, and has what
its users see."""
