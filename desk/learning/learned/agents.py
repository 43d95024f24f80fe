"""What became of the agents' tasks in all weeks together. Light: workflows use it."""

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal

from desk.contracts.learning.learning import AgentRecord
from desk.contracts.names import AgentId


def summed_agents(records: Iterable[AgentRecord]) -> tuple[AgentRecord, ...]:
    """One record for each agent, sorted."""
    found: defaultdict[AgentId, list[AgentRecord]] = defaultdict(list)
    for record in records:
        found[record.agent].append(record)
    return tuple(
        AgentRecord(
            agent=agent,
            tasks=sum(one.tasks for one in own),
            delivered=sum(one.delivered for one in own),
            reassigned=sum(one.reassigned for one in own),
            turns=sum(one.turns for one in own),
            cost_usd=sum((one.cost_usd for one in own), Decimal(0)),
        )
        for agent, own in sorted(found.items())
    )
