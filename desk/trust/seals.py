"""Digests by which evidence and documents are recognised as unchanged."""

import hashlib
import json
from functools import lru_cache
from typing import Final, TypeVar

from pydantic import JsonValue

from desk.contracts.base import Contract
from desk.trust.contents import packed, unpacked

Document = TypeVar("Document", bound=Contract)

REMEMBERED: Final = 512
"""Digests of contents that a process remembers: each is asked for again by whoever reads it."""


def content_hash(content: JsonValue) -> str:
    """The SHA-256 of the canonical JSON of a tool's content."""
    small = packed(content)
    return _digest(content) if small is None else _remembered(small)


def seal_of(document: Contract) -> str:
    """The SHA-256 of the canonical JSON of a document without its seal."""
    return _digest(document.model_dump(mode="json", exclude={"seal"}))


def sealed(document: Document) -> Document:
    """The document with the seal that belongs to it."""
    return document.model_copy(update={"seal": seal_of(document)})


@lru_cache(maxsize=REMEMBERED)
def _remembered(content: bytes) -> str:
    return _digest(unpacked(content))


def _digest(content: JsonValue) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
