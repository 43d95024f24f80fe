"""The tool results that a report rests on, and the sources that they came from."""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from desk.contracts.agents.tools import DataSource, SourceTier, ToolResult
from desk.contracts.week.report import MarketOutcome, MarketReport
from desk.documents.evidence import source_of

SERIES_TOOL: Final = "get_historical"
"""The tool whose answers are behind the charts."""


def sources_of(
    outcomes: Iterable[MarketOutcome],
    evidence: Iterable[ToolResult],
    sections: Iterable[MarketReport],
) -> tuple[DataSource, ...]:
    """Returns every source that was called, sorted by server, tool and arguments.

    There is one entry for each piece of evidence, so that a claim's evidence can be looked up.
    Entries are built from tool results and not from an agent's statements. A source without a tool
    result is omitted.
    """
    results = {result.evidence_id: result for result in evidence}
    listed = [source for source in _listed(outcomes) if source.evidence_id in results]
    told_of = {source.evidence_id for source in listed}
    silent = [name for name in _claimed_from(sections) if name in results.keys() - told_of]
    sources: dict[tuple[str, ...], DataSource] = {}
    for source in (*listed, *(_nameless(results[name]) for name in silent)):
        told = source_of(results[source.evidence_id], source)
        sources.setdefault(_source_key(told), told)
    return tuple(sources[key] for key in sorted(sources))


def _listed(outcomes: Iterable[MarketOutcome]) -> Iterator[DataSource]:
    for outcome in outcomes:
        for result in outcome.results:
            yield from result.sources
        if outcome.validation is not None:
            yield from outcome.validation.authoritative_sources


def _nameless(result: ToolResult) -> DataSource:
    """The source of a tool result that an agent used without naming it: its server."""
    return DataSource(
        server=result.call.server,
        tool=result.call.tool,
        name=result.call.server,
        tier=SourceTier.DERIVED,
        evidence_id=result.evidence_id,
    )


def _claimed_from(sections: Iterable[MarketReport]) -> Iterator[str]:
    for section in sections:
        for claim in section.claims:
            yield from claim.evidence
        yield from (tone.evidence_id for tone in section.tones)
        yield from (story.evidence_id for story in section.reported)


def _source_key(source: DataSource) -> tuple[str, ...]:
    question = json.dumps(source.arguments, sort_keys=True)
    return source.server, source.tool, question, source.evidence_id, source.name, source.url or ""
