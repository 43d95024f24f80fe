"""Digests by which evidence and documents are recognised as unchanged."""

import hashlib
import json
from typing import TypeVar

from pydantic import JsonValue

from desk.contracts.base import Contract

Document = TypeVar("Document", bound=Contract)


def content_hash(content: JsonValue) -> str:
    """The SHA-256 of the canonical JSON of a tool's content."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def seal_of(document: Contract) -> str:
    """The SHA-256 of the canonical JSON of a document without its seal."""
    return content_hash(document.model_dump(mode="json", exclude={"seal"}))


def sealed(document: Document) -> Document:
    """The document with the seal that belongs to it."""
    return document.model_copy(update={"seal": seal_of(document)})
