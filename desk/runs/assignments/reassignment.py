"""Who does a task when the agent it was given to cannot."""

from collections.abc import Mapping, Sequence

from desk.contracts.names import AgentId


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
