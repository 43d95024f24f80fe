"""What follows from a failure: who takes over a task, what remains of it when all have failed, and
which calls were not made because their source kept failing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from desk.contracts.agents.tools import OpenCircuit, SourceOutage
from desk.contracts.names import AgentId
from desk.contracts.week.report import Contribution


def outage_of(circuit: OpenCircuit) -> SourceOutage:
    """One call that was not made."""
    return SourceOutage(
        server=circuit.server, since=circuit.since, fault=circuit.fault, calls_not_made=1
    )


def merged_outages(outages: Iterable[SourceOutage]) -> tuple[SourceOutage, ...]:
    """The outages of each source as one, sorted by its name: the first fault, with the sum of the
    calls that were not made. A source has several where several workers met it, or one met it
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
    """What is left of a task that was not done: the line that says why, and the workflow id of its
    dead letter where everybody who could take it over has failed."""

    contribution: Contribution
    dead_letter: str | None = None


def next_agent(
    tried: Sequence[AgentId], fallbacks: Mapping[AgentId, AgentId | None]
) -> AgentId | None:
    """The first agent along the chain of fallbacks that has not tried, or None.

    The chain starts at the agent that failed first; a circle in it ends the search.
    """
    agent: AgentId | None = tried[0]
    seen: set[AgentId] = set()
    while agent is not None and agent not in seen:
        seen.add(agent)
        agent = fallbacks.get(agent)
        if agent is not None and agent not in tried:
            return agent
    return None
