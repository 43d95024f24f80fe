"""Who does a task when its agent cannot, and what remains when nobody can."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from desk.contracts.names import AgentId
from desk.contracts.week.report import Contribution


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
