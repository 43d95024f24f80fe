"""The tool results in a document, and the publisher of each."""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

from pydantic import ValidationError

from desk.analytics.links import web_link
from desk.contracts.agents.tools import DataSource, SourceTier, ToolResult
from desk.contracts.findings.source_results import Provenance
from desk.trust.ledger import EvidenceUnusable, attributed, read_answer

_TIMES: Final = {"took": None, "kept": False, "cost_usd": None, "besides": ()}


LARGEST_CONTENT: Final = 4 * 2**20
"""The maximum size of one tool result in an answer, in characters of JSON."""

MOST_CARRIED: Final = 32 * 2**20
"""The maximum size of all of them together."""


class Carried(NamedTuple):
    """The tool results in a document, sorted by id, and the ids of those that are too large for
    their content to be included: they only have its hash."""

    results: tuple[ToolResult, ...]
    too_large: tuple[str, ...] = ()


def first_of_each(results: Iterable[ToolResult]) -> dict[str, ToolResult]:
    """Returns tool results by id. If several share an id, the first counts."""
    found: dict[str, ToolResult] = {}
    for result in results:
        found.setdefault(result.evidence_id, result)
    return found


def carried_whole(results: Mapping[str, ToolResult]) -> Carried:
    """Returns all tool results of a run, refusals included, so that its agents' work can be
    repeated."""
    return Carried(tuple(without_times(results[name]) for name in sorted(results)))


def carried(results: Mapping[str, ToolResult], named: Collection[str]) -> Carried:
    """Returns the named tool results. Claims on one that is too large cannot be verified from the
    document alone."""
    kept: list[ToolResult] = []
    too_large: list[str] = []
    total = 0
    for name in sorted(results.keys() & named):
        result = without_times(results[name])
        size = len(json.dumps(result.content, ensure_ascii=False))
        if size > LARGEST_CONTENT or total + size > MOST_CARRIED:
            result = result.model_copy(update={"content": None})
            too_large.append(name)
        else:
            total += size
        kept.append(result)
    return Carried(tuple(kept), tuple(too_large))


def without_times(result: ToolResult) -> ToolResult:
    """Returns a tool result without the duration and cost of its call: those are for `desk tools`,
    and would make equal documents differ."""
    return result.model_copy(update=_TIMES)


def is_carried(result: ToolResult) -> bool:
    """Returns whether the content of a tool result is in the document."""
    return result.content is not None or result.content_hash is None


def source_of(result: ToolResult, listed: DataSource) -> DataSource:
    """Returns the source of a report's tool result, as the result states it.

    For an answer in a form that the desk does not know, the publisher is the `listed` one.
    """
    return attributed(result, _published_by(result) or _as_listed(result, listed))


def source_of_answer(result: ToolResult, listed: DataSource | None) -> DataSource:
    """Returns the source of an answer's tool result, as the result states it in any form.

    If it states none, the publisher is the `listed` one, or else its server.
    """
    return attributed(result, _stated_by(result) or _as_listed(result, listed))


def _published_by(result: ToolResult) -> Provenance | None:
    """Returns the publisher of an answer in one of the desk's forms."""
    try:
        answer = read_answer(result.content)
    except EvidenceUnusable:
        return None
    return answer.source if answer else None


def _stated_by(result: ToolResult) -> Provenance | None:
    published_by = _published_by(result)
    if published_by is not None:
        return published_by
    content = result.content
    if not isinstance(content, dict):
        return None
    try:
        stated = Provenance.model_validate(content.get("source"))
    except ValidationError:
        return None
    own = content.get("url")
    link = web_link(own) if isinstance(own, str) and len(own) <= 500 else None
    return stated.model_copy(update={"url": link}) if link else stated


def _as_listed(result: ToolResult, listed: DataSource | None) -> Provenance:
    if listed is not None:
        return Provenance.model_validate(listed, from_attributes=True)
    return Provenance(name=result.call.server, tier=SourceTier.DERIVED)
