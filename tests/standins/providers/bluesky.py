"""Bluesky's search of posts: JSON with `posts`, invented posts of 2026-W44.

Format: app.bsky.feed.searchPosts, each post a postView (https://docs.bsky.app/docs/api).
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tests.standins.provider import NOT_FOUND, Ask, Provider, Reply

PATH = "xrpc/app.bsky.feed.searchPosts"
_POSTED = datetime(2026, 10, 29, 15, 30, tzinfo=UTC)


def post(key: str, words: str, at: datetime) -> dict[str, Any]:
    """A postView with the fields that the lexicon requires, and its counts."""
    written = f"{at:%Y-%m-%dT%H:%M:%S.000Z}"
    return {
        "uri": f"at://did:plc:invented/app.bsky.feed.post/{key}",
        "cid": f"bafy{key}",
        "author": {"did": "did:plc:invented", "handle": "invented.example", "displayName": "I"},
        "record": {
            "$type": "app.bsky.feed.post",
            "createdAt": written,
            "langs": ["en"],
            "text": words,
        },
        "replyCount": 3,
        "repostCount": 5,
        "likeCount": 20,
        "quoteCount": 0,
        "indexedAt": written,
        "labels": [],
    }


def _answer(ask: Ask) -> Reply:
    if ask.route != PATH:
        return NOT_FOUND
    words = ask.query.get("q", "")
    within = ask.query.get("since", "") <= f"{_POSTED:%Y-%m-%dT%H:%M:%SZ}" < ask.query["until"]
    posts = [post("3k1", f"Invented: {words} again", _POSTED)]
    told = json.dumps({"posts": posts if within and _POSTED.date() <= ask.until else []})
    if ask.renamed:
        told = told.replace('"record"', '"content"')
    return Reply(told.encode(), "application/json; charset=utf-8")


def _arguments(url: str) -> Mapping[str, tuple[str, ...]]:
    return {"social": ("--bluesky-url", url)}


PROVIDER = Provider("bluesky", _answer, _arguments)
