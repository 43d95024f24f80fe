"""The desk's agents: what each may do, with which tools, on which queue, and who stands in."""

from collections.abc import Mapping, Sequence

from contracts.base import Contract, ShortText
from contracts.config import AgentConfig
from contracts.names import AgentId, Queue
from contracts.tasks import AgentLimits, TaskType, ToolName
from contracts.turns import BUILTIN

_PRICE_TOOLS = (
    ToolName(server="ecb", tool="get_quote"),
    ToolName(server="ecb", tool="get_historical"),
    ToolName(server="ecb", tool="search_symbols"),
)
_RATE_TOOLS = (
    ToolName(server="central_banks", tool="get_policy_rate"),
    ToolName(server="central_banks", tool="get_rate_decisions"),
    ToolName(server="central_banks", tool="get_decision_calendar"),
)
_COMPARISON_TOOLS = (
    ToolName(server="official_statistics", tool="get_month_averages"),
    ToolName(server="official_statistics", tool="get_month_end_rates"),
)
"""The validator's alone: what a figure is compared with is not what it was found with."""


class AgentProfile(Contract):
    """One agent of the roster.

    `tools` is the whole of what it may call. `model` is "builtin" or a model's name. `fallback`
    takes over its tasks when it fails for good.
    """

    agent: AgentId
    title: ShortText
    queue: Queue
    tasks: tuple[TaskType, ...]
    tools: tuple[ToolName, ...]
    model: ShortText = BUILTIN
    fallback: AgentId | None = None
    limits: AgentLimits = AgentLimits()

    def may_call(self, server: str, tool: str) -> bool:
        """Whether a tool is on this agent's list."""
        return ToolName(server=server, tool=tool) in self.tools


ROSTER: Mapping[AgentId, AgentProfile] = {
    profile.agent: profile
    for profile in (
        AgentProfile(
            agent=AgentId.PRODUCT_MANAGER,
            title="Product manager",
            queue=Queue.DESK,
            tasks=(TaskType.PLAN_WEEK,),
            tools=(),
        ),
        AgentProfile(
            agent=AgentId.RESEARCH_AGENT_1,
            title="Research agent 1, prices first",
            queue=Queue.RESEARCH,
            tasks=(TaskType.RESEARCH_FX, TaskType.RESEARCH_RATES),
            tools=_PRICE_TOOLS + _RATE_TOOLS,
            fallback=AgentId.RESEARCH_AGENT_2,
        ),
        AgentProfile(
            agent=AgentId.RESEARCH_AGENT_2,
            title="Research agent 2, central banks first",
            queue=Queue.RESEARCH,
            tasks=(TaskType.RESEARCH_RATES, TaskType.RESEARCH_FX),
            tools=_RATE_TOOLS + _PRICE_TOOLS,
            fallback=AgentId.RESEARCH_AGENT_1,
        ),
        AgentProfile(
            agent=AgentId.VALIDATOR,
            title="Validator",
            queue=Queue.VALIDATION,
            tasks=(TaskType.VALIDATE,),
            tools=_PRICE_TOOLS + _RATE_TOOLS + _COMPARISON_TOOLS,
        ),
    )
}


def profile_of(agent: AgentId, overrides: Sequence[AgentConfig] = ()) -> AgentProfile:
    """An agent as the run's configuration has it."""
    profile = ROSTER[agent]
    override = next((entry for entry in overrides if entry.agent == agent), None)
    if override is None:
        return profile
    changes = override.model_dump(exclude_none=True, exclude={"agent"})
    return AgentProfile.model_validate({**profile.model_dump(), **changes})


def fallbacks(overrides: Sequence[AgentConfig] = ()) -> dict[AgentId, AgentId | None]:
    """Who stands in for whom."""
    return {agent: profile_of(agent, overrides).fallback for agent in ROSTER}
