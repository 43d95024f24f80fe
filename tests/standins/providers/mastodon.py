"""A Mastodon server's timeline of a hashtag: a JSON array of Status, invented posts of 2026-W44.

Format: GET /api/v1/timelines/tag/:hashtag (https://docs.joinmastodon.org/methods/timelines/).
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tests.standins.provider import NOT_FOUND, Ask, Provider, Reply

_PATH = re.compile(r"api/v1/timelines/tag/(\w+)")
_POSTED = datetime(2026, 10, 30, 6, 0, tzinfo=UTC)


def status(number: int, words: str, at: datetime, *, reblog: Any = None) -> dict[str, Any]:
    """A Status with the fields that the documentation has for every one."""
    return {
        "id": f"1154{number:04}",
        "created_at": f"{at:%Y-%m-%dT%H:%M:%S.000Z}",
        "in_reply_to_id": None,
        "sensitive": False,
        "spoiler_text": "",
        "visibility": "public",
        "language": "en",
        "uri": f"https://social.example/users/trader/statuses/1154{number:04}",
        "url": f"https://social.example/@trader/1154{number:04}",
        "replies_count": 1,
        "reblogs_count": 2,
        "favourites_count": 4,
        "content": f"<p>{words}</p>",
        "reblog": reblog,
        "account": {"id": "7", "username": "trader", "acct": "trader@social.example"},
        "media_attachments": [],
        "mentions": [],
        "tags": [],
        "emojis": [],
        "card": None,
        "poll": None,
    }


def _answer(ask: Ask) -> Reply:
    found = _PATH.fullmatch(ask.route)
    if found is None:
        return NOT_FOUND
    posts = [status(1, f"Invented: watching #{found[1]} today", _POSTED)]
    posts.append(status(2, "", _POSTED, reblog=posts[0]))
    told = json.dumps(posts if _POSTED.date() <= ask.until else [])
    if ask.renamed:
        told = told.replace('"created_at"', '"posted_at"')
    return Reply(told.encode(), "application/json; charset=utf-8")


def _arguments(url: str) -> Mapping[str, tuple[str, ...]]:
    return {"social": ("--mastodon-url", url)}


PROVIDER = Provider("mastodon", _answer, _arguments)
