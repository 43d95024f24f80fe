"""The Algolia search of Hacker News: JSON with `hits`, invented ones of 2026-W44.

Format: GET /api/v1/search_by_date (https://hn.algolia.com/api). A comment has no points.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tests.standins.provider import NOT_FOUND, Ask, Provider, Reply

PATH = "api/v1/search_by_date"
_STORY = datetime(2026, 10, 28, 19, 0, tzinfo=UTC)
_COMMENT = datetime(2026, 10, 28, 20, 0, tzinfo=UTC)
_BOUND = re.compile(r"created_at_i([<>])=(\d+)")


def hit(number: int, at: datetime, **told: Any) -> dict[str, Any]:
    """A hit with the fields that every one has; those of the other kind are null."""
    return {
        "objectID": str(45_000_000 + number),
        "author": "invented",
        "created_at": f"{at:%Y-%m-%dT%H:%M:%SZ}",
        "created_at_i": int(at.timestamp()),
        "title": None,
        "url": None,
        "points": None,
        "num_comments": None,
        "comment_text": None,
        "story_title": None,
        "_tags": [],
        **told,
    }


def _answer(ask: Ask) -> Reply:
    if ask.route != PATH:
        return NOT_FOUND
    words = ask.query.get("query", "")
    bounds = dict(_BOUND.findall(ask.query.get("numericFilters", "")))
    first, last = int(bounds.get(">", 0)), int(bounds.get("<", 2**40))
    hits = [
        hit(1, _STORY, title=f"Invented: {words} explained", points=120, num_comments=40),
        hit(2, _COMMENT, comment_text=f"<p>Invented: I hold {words}.</p>"),
    ]
    known = [h for h in hits if first <= h["created_at_i"] <= last and _STORY.date() <= ask.until]
    told = json.dumps({"hits": known, "nbHits": len(known), "page": 0, "nbPages": 1})
    if ask.renamed:
        told = told.replace('"created_at_i"', '"created"')
    return Reply(told.encode(), "application/json; charset=utf-8")


def _arguments(url: str) -> Mapping[str, tuple[str, ...]]:
    return {"social": ("--hackernews-url", url)}


PROVIDER = Provider("hackernews", _answer, _arguments)
