"""Sets the tier and the origin of an answer from the desk's configuration, not from the source's
own claim.

The servers of this project state what they publish, at most at the tier in the table here. For any
other server `.mcp.json` states it; without a statement the server has the lowest tier and counts as
the origin of its answers.
"""

import sys
from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue, ValidationError

from desk.contracts.agents.tools import Attribution, SourceTier
from desk.contracts.findings.source_results import Provenance
from desk.platform.settings.mcp_json import McpServerSpec

HIGHEST: Final[Mapping[str, SourceTier]] = {
    "desk.sources.ecb.server": SourceTier.AUTHORITATIVE,
    "desk.sources.central_banks.server": SourceTier.AUTHORITATIVE,
    "desk.sources.statistics.server": SourceTier.AUTHORITATIVE,
    "desk.sources.news.banks.server": SourceTier.AUTHORITATIVE,
    "desk.sources.statistics.cross_asset.server": SourceTier.AUTHORITATIVE,
    "desk.sources.reuters.server": SourceTier.AUTHORITATIVE,
    "desk.sources.analysis.server": SourceTier.AUTHORITATIVE,
    "desk.sources.knowledge.server": SourceTier.PRIMARY,
    "desk.sources.sentiment.server": SourceTier.SECONDARY,
    "desk.sources.social.server": SourceTier.DERIVED,
    "desk.sources.yahoo.server": SourceTier.SECONDARY,
    "desk.sources.news.server": SourceTier.SECONDARY,
}
"""The servers of this project, by their modules, and the highest tier that each may claim."""

_ORDER: Final = tuple(SourceTier)
_ORIGIN: Final = "origin"


def own_module(spec: McpServerSpec) -> str | None:
    """The module of this project's server that an entry runs or declares. None for third-party
    servers."""
    started = spec.cwd is None and spec.command in ("python", sys.executable)
    run = spec.args[1] if started and spec.args[:1] == ("-m",) and len(spec.args) > 1 else None
    named = (spec.module, spec.in_process, run)
    return next((module for module in named if module in HIGHEST), None)


def attribution_of(server: str, spec: McpServerSpec) -> Attribution | None:
    """The attribution that the configuration sets for all answers of a server. None for a server of
    this project that the configuration says nothing about."""
    if own_module(spec) is not None and spec.tier is None and spec.origin is None:
        return None
    return Attribution(tier=spec.tier or SourceTier.DERIVED, origin=spec.origin or server)


def attributed_answer(
    content: JsonValue, server: str, spec: McpServerSpec
) -> tuple[JsonValue, Attribution | None]:
    """Returns an answer with the tier and the origin that the source has by the configuration,
    wherever the answer states its own. If `.mcp.json` does not state them, the source is named
    after its server."""
    stated_source = _stated_source(content)
    attribution = attribution_of(server, spec)
    if stated_source is None or not isinstance(content, dict):
        return content, attribution
    if attribution is None:
        module = own_module(spec)
        tier = _lower(stated_source.tier, HIGHEST[module]) if module else stated_source.tier
        return (content if tier is stated_source.tier else _with_source(content, tier=tier)), None
    named = (
        stated_source.name if spec.tier or spec.origin else f"{server}: {stated_source.name}"[:200]
    )
    stated = {name: _without_origins(value) for name, value in content.items()}
    return _with_source(stated, name=named, **attribution.model_dump(mode="json")), attribution


def _stated_source(content: JsonValue) -> Provenance | None:
    try:
        return Provenance.model_validate(content["source"] if isinstance(content, dict) else None)
    except (KeyError, ValidationError):
        return None


def _lower(one: SourceTier, other: SourceTier) -> SourceTier:
    return max(one, other, key=_ORDER.index)


def _with_source(content: dict[str, JsonValue], **changes: JsonValue) -> dict[str, JsonValue]:
    source = content["source"]
    return {**content, "source": {**(source if isinstance(source, dict) else {}), **changes}}


def _without_origins(value: JsonValue) -> JsonValue:
    """Removes the origins that the rows of an answer state for themselves."""
    if not isinstance(value, list):
        return value
    return [_without_origin(row) for row in value]


def _without_origin(row: JsonValue) -> JsonValue:
    if not isinstance(row, dict) or _ORIGIN not in row:
        return row
    return {name: value for name, value in row.items() if name != _ORIGIN}
