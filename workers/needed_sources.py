"""The queues, MCP servers and tools that the agents of the roster need."""

from collections import defaultdict
from collections.abc import Mapping

from desk.agents.roster import ROSTER, profile_in
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tasks import ToolName
from desk.contracts.names import AgentId, Queue


def needed_sources() -> Mapping[str, tuple[AgentId, ...]]:
    """Returns every server that has a tool on some agent's list, with the agents that may call
    it."""
    needing: dict[str, list[AgentId]] = defaultdict(list)
    for profile in ROSTER.values():
        for server in dict.fromkeys(tool.server for tool in profile.tools):
            needing[server].append(profile.agent)
    return {server: tuple(agents) for server, agents in needing.items()}


def agent_queues() -> Mapping[AgentId, Queue]:
    """Returns the queue on which every agent takes its turns."""
    return {agent: profile.queue for agent, profile in ROSTER.items()}


def tool_users(policy: RunPolicy) -> Mapping[ToolName, tuple[AgentId, ...]]:
    """Returns every tool on some agent's list, with the agents on whose list it is."""
    users: defaultdict[ToolName, list[AgentId]] = defaultdict(list)
    for agent in ROSTER:
        for tool in profile_in(policy, agent).tools:
            users[tool].append(agent)
    return {tool: tuple(agents) for tool, agents in users.items()}
