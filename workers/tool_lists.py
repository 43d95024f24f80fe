"""Which agents may call which tools in a run."""

from collections import defaultdict
from collections.abc import Mapping

from desk.agents.roster import ROSTER, profile_in
from desk.contracts.agents.tasks import ToolName
from desk.contracts.config import RunPolicy
from desk.contracts.names import AgentId


def tool_users(policy: RunPolicy) -> Mapping[ToolName, tuple[AgentId, ...]]:
    """Every tool on some agent's list, with the agents on whose list it is."""
    users: defaultdict[ToolName, list[AgentId]] = defaultdict(list)
    for agent in ROSTER:
        for tool in profile_in(policy, agent).tools:
            users[tool].append(agent)
    return {tool: tuple(agents) for tool, agents in users.items()}
