"""Condenses the specialists' findings, and finds the conflicts between them."""

from collections.abc import Iterable, Sequence
from typing import Final

from desk.contracts.agents.config import VotingConfig
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import MOST_EVIDENCE
from desk.contracts.findings.results import ConflictRecord, ResearchResult
from desk.contracts.names import AgentId
from desk.contracts.runs.graph import NodeOutcome
from desk.contracts.runs.tasks import TaskOutcome
from desk.contracts.runs.turns import StateEntry
from desk.contracts.swarm.plan import SubagentSpec, SwarmPlan
from desk.contracts.week.report import MarketOutcome
from desk.programs.swarm.run.graph import node_name
from desk.runs.boards import lost_calls
from desk.trust.conflicts import NO_RANGES, Ranges, detect_conflicts, settled_before

MOST_CONFLICTS: Final = 200
"""The limit of `SwarmRecord.conflicts`."""


def condensed(outcome: TaskOutcome) -> TaskOutcome:
    """Returns the outcome with only the tool results that its findings rest on, and those of calls
    that could not be made."""
    result = outcome.result
    if not isinstance(result, ResearchResult):
        return outcome
    named = set(_evidence_named(result))
    named |= {each.evidence_id for each in lost_calls(outcome.evidence)}
    kept = tuple(each for each in outcome.evidence if each.evidence_id in named)
    return outcome.model_copy(update={"evidence": kept})


def _evidence_named(result: ResearchResult) -> Iterable[str]:
    for claim in result.claims:
        yield from claim.evidence
    for finding in result.findings:
        yield from finding.evidence
    for event in result.events:
        yield from event.evidence
    yield from (tone.evidence_id for tone in result.tones)


def markets_found(
    outcomes: Sequence[NodeOutcome], conflicts: Sequence[ConflictRecord]
) -> tuple[MarketOutcome, ...]:
    """Groups the findings by market, with the conflicts decided before. If a specialist researched
    a market in several rounds, its last result counts."""
    results: dict[str, dict[AgentId, NodeOutcome]] = {}
    for outcome in outcomes:
        if isinstance(outcome.entry.result, ResearchResult):
            planned = outcome.contribution.reassigned_from or outcome.contribution.agent
            results.setdefault(outcome.entry.result.market, {})[planned] = outcome
    return tuple(
        MarketOutcome(
            market=market,
            outcome=Outcome.RESEARCHED,
            results=_results(of_market.values()),
            conflicts=tuple(c for c in conflicts if c.market == market)[:50],
            evidence=tuple(e for node in of_market.values() for e in node.evidence)[:MOST_EVIDENCE],
        )
        for market, of_market in results.items()
    )


def _results(outcomes: Iterable[NodeOutcome]) -> tuple[ResearchResult, ...]:
    found = (outcome.entry.result for outcome in outcomes)
    return tuple(result for result in found if isinstance(result, ResearchResult))


def contradictions(
    found: Sequence[MarketOutcome], voting: VotingConfig, ranges: Ranges = NO_RANGES
) -> tuple[ConflictRecord, ...]:
    """Returns the conflicts on all markets. One with the same positions as before has its earlier
    decision. If there are too many, those settled by a vote are omitted first."""
    records = (
        record
        for outcome in found
        for record in detect_conflicts(outcome.market, outcome.results, voting, ranges)
    )
    known = settled_before(records, found)
    return tuple(sorted(known, key=lambda each: (each.resolved, each.conflict_id))[:MOST_CONFLICTS])


def delivered_on(state: Iterable[StateEntry]) -> frozenset[tuple[AgentId, str]]:
    """Returns which specialists have delivered on which markets. A stand-in counts as the
    specialist that it replaced."""
    entries = tuple(state)
    planned = planned_as(entries)
    return frozenset(
        (
            planned[entry.node].agent if entry.node in planned else entry.result.agent,
            entry.result.market,
        )
        for entry in entries
        if isinstance(entry.result, ResearchResult) and entry.result.claims
    )


def planned_as(state: Iterable[StateEntry]) -> dict[str, SubagentSpec]:
    """Returns the task of each node in the rounds so far."""
    plans = [entry.result for entry in state if isinstance(entry.result, SwarmPlan)]
    return {
        node_name(subagent.name, number): subagent
        for number, plan in enumerate(plans, start=1)
        for subagent in plan.subagents
    }
