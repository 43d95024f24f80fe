"""Consequences of an agent's failure: which agent takes over, what is recorded if none can, and
which calls were skipped because their source kept failing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from desk.contracts.agents.tools import OpenCircuit, SourceOutage
from desk.contracts.names import AgentId
from desk.contracts.week.report import Contribution


def outage_of(circuit: OpenCircuit) -> SourceOutage:
    """Returns the outage that one skipped call belongs to."""
    return SourceOutage(
        server=circuit.server, since=circuit.since, fault=circuit.fault, calls_not_made=1
    )


def merged_outages(outages: Iterable[SourceOutage]) -> tuple[SourceOutage, ...]:
    """Returns one outage for each source, sorted by name, with the first fault and the sum of the
    skipped calls. A source has several if several workers noticed its outage, or if it happened
    twice."""
    found: dict[str, SourceOutage] = {}
    for outage in outages:
        known = found.get(outage.server)
        if known is None:
            found[outage.server] = outage
            continue
        first = min(known, outage, key=lambda one: one.since)
        calls = known.calls_not_made + outage.calls_not_made
        found[outage.server] = first.model_copy(update={"calls_not_made": calls})
    return tuple(found[server] for server in sorted(found))


class Undelivered(NamedTuple):
    """A task that was not done: the contribution that says why, and the workflow id of its dead
    letter if every agent failed."""

    contribution: Contribution
    dead_letter: str | None = None


def next_agent(
    tried: Sequence[AgentId], fallbacks: Mapping[AgentId, AgentId | None]
) -> AgentId | None:
    """Returns the next agent along the chain of fallbacks that has not tried yet, or None if there
    is none.

    The chain starts at the agent that failed first. If it is circular, the search ends where it
    began.
    """
    agent: AgentId | None = tried[0]
    seen: set[AgentId] = set()
    while agent is not None and agent not in seen:
        seen.add(agent)
        agent = fallbacks.get(agent)
        if agent is not None and agent not in tried:
            return agent
    return None
