"""Digests by which evidence and reports are recognised as unchanged."""

import hashlib
import json

from pydantic import JsonValue

from desk.contracts.week.report import ResearchReport


def content_hash(content: JsonValue) -> str:
    """The SHA-256 of the canonical JSON of a tool's content."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def seal_of(report: ResearchReport) -> str:
    """The SHA-256 of the canonical JSON of a report without its seal."""
    return content_hash(report.model_dump(mode="json", exclude={"seal"}))


def sealed(report: ResearchReport) -> ResearchReport:
    """The report with the seal that belongs to it."""
    return report.model_copy(update={"seal": seal_of(report)})
