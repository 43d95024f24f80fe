"""The desk's agents: what each may do, for which questions, on which queue, and its fallback."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from desk.agents.capabilities import tools_for
from desk.agents.program import AgentProfile
from desk.agents.registry import AGENTS
from desk.contracts.agents.config import AgentConfig, RunPolicy
from desk.contracts.names import AgentId


def _with_tools(profile: AgentProfile, policy: RunPolicy) -> AgentProfile:
    tools = (*tools_for(profile.capabilities, policy), *profile.own_tools)
    return profile.model_copy(update={"tools": tuple(dict.fromkeys(tools))})


ROSTER: Final[Mapping[AgentId, AgentProfile]] = MappingProxyType(
    {agent: _with_tools(profile, RunPolicy()) for agent, profile in AGENTS.items()}
)
"""Every agent, with the tools of the desk's own sources."""


def profile_of(agent: AgentId, overrides: Sequence[AgentConfig] = ()) -> AgentProfile:
    """Returns an agent as the run's configuration has it, with the tools of the desk's own
    sources."""
    override = next((entry for entry in overrides if entry.agent == agent), None)
    if override is None:
        return ROSTER[agent]
    changes = {name: value for name, value in override if name != "agent" and value is not None}
    return ROSTER[agent].model_copy(update=changes)


def profile_in(policy: RunPolicy, agent: AgentId) -> AgentProfile:
    """Returns an agent as a run has it, with the tools that its capabilities have there."""
    return _with_tools(profile_of(agent, policy.agents), policy)


def fallbacks(overrides: Sequence[AgentConfig] = ()) -> dict[AgentId, AgentId | None]:
    """Returns each agent's fallback."""
    return {agent: profile_of(agent, overrides).fallback for agent in ROSTER}
