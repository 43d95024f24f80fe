"""The tier and the origin of an answer, by the desk's configuration and never by the source's word.

The servers of this project state themselves what they publish, at most at the tier that the table
here allows. For any other server `.mcp.json` states it; without a statement the server has the
lowest tier and counts as the origin of what it says.
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
"""The servers of this project, by their modules, and the highest tier of any answer of each."""

_ORDER: Final = tuple(SourceTier)
_ORIGIN: Final = "origin"


def own_module(spec: McpServerSpec) -> str | None:
    """The module of this project's server that an entry runs, or says that it reaches; None for the
    servers of others."""
    started = spec.cwd is None and spec.command in ("python", sys.executable)
    run = spec.args[1] if started and spec.args[:1] == ("-m",) and len(spec.args) > 1 else None
    named = (spec.module, spec.in_process, run)
    return next((module for module in named if module in HIGHEST), None)


def attribution_of(server: str, spec: McpServerSpec) -> Attribution | None:
    """What the configuration says about all answers of a server; None for a server of this project
    about which it says nothing."""
    if own_module(spec) is not None and spec.tier is None and spec.origin is None:
        return None
    return Attribution(tier=spec.tier or SourceTier.DERIVED, origin=spec.origin or server)


def attributed_answer(
    content: JsonValue, server: str, spec: McpServerSpec
) -> tuple[JsonValue, Attribution | None]:
    """An answer as the desk reads it: with the tier and the origin that the source has, wherever it
    says one itself, and under its server's name where nothing is said of it in `.mcp.json`."""
    told = _stated_source(content)
    attribution = attribution_of(server, spec)
    if told is None or not isinstance(content, dict):
        return content, attribution
    if attribution is None:
        module = own_module(spec)
        tier = _lower(told.tier, HIGHEST[module]) if module else told.tier
        return (content if tier is told.tier else _with_source(content, tier=tier)), None
    named = told.name if spec.tier or spec.origin else f"{server}: {told.name}"[:200]
    stated = {name: _without_origins(value) for name, value in content.items()}
    return _with_source(stated, name=named, **attribution.model_dump(mode="json")), attribution


def _stated_source(content: JsonValue) -> Provenance | None:
    try:
        return Provenance.model_validate(content["source"] if isinstance(content, dict) else None)
    except (KeyError, ValidationError):
        return None


def _lower(one: SourceTier, other: SourceTier) -> SourceTier:
    return max(one, other, key=_ORDER.index)


def _with_source(content: dict[str, JsonValue], **told: JsonValue) -> dict[str, JsonValue]:
    source = content["source"]
    return {**content, "source": {**(source if isinstance(source, dict) else {}), **told}}


def _without_origins(value: JsonValue) -> JsonValue:
    """The rows of an answer without origins of their own."""
    if not isinstance(value, list):
        return value
    return [_without_origin(row) for row in value]


def _without_origin(row: JsonValue) -> JsonValue:
    if not isinstance(row, dict) or _ORIGIN not in row:
        return row
    return {name: value for name, value in row.items() if name != _ORIGIN}
