"""Digests that show whether evidence and documents are unchanged."""

import hashlib
import json
from functools import lru_cache
from typing import Final, TypeVar

from pydantic import JsonValue

from desk.contracts.base import Contract
from desk.trust.contents import packed, unpacked

Document = TypeVar("Document", bound=Contract)

CACHE_SIZE: Final = 512
"""The number of contents whose digests a process caches."""


def content_hash(content: JsonValue) -> str:
    """Returns the SHA-256 of a tool content's canonical JSON."""
    small = packed(content)
    return _digest(content) if small is None else _cached_digest(small)


def seal_of(document: Contract) -> str:
    """Returns the SHA-256 of a document's canonical JSON without the seal."""
    return _digest(document.model_dump(mode="json", exclude={"seal"}))


def sealed(document: Document) -> Document:
    """Returns the document with its seal."""
    return document.model_copy(update={"seal": seal_of(document)})


@lru_cache(maxsize=CACHE_SIZE)
def _cached_digest(content: bytes) -> str:
    return _digest(unpacked(content))


def _digest(content: JsonValue) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
