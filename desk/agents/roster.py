"""The desk's agents: what each may do, for which questions, on which queue, and who stands in."""

from collections.abc import Mapping, Sequence

from desk.agents.capabilities import tools_for
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import AgentLimits, ToolName
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.base import Contract, ShortText
from desk.contracts.config import AgentConfig, RunPolicy
from desk.contracts.names import AgentId, Queue

_PRICES = (Capability.QUOTE, Capability.HISTORY, Capability.SYMBOL_SEARCH)
_RATES = (Capability.POLICY_RATE, Capability.RATE_DECISIONS, Capability.DECISION_CALENDAR)
_NEWS = (
    Capability.BANK_NEWS,
    Capability.NEWS_SEARCH,
    Capability.HEADLINES,
    Capability.DATE_FILTER,
    Capability.VERIFICATION,
)
"""For agents that are models: the built-in analysts ask for none of it."""
_COMPARISON = (Capability.MONTH_AVERAGES, Capability.MONTH_END_RATES)
"""The validator's alone: what a figure is compared with is not what it was found with."""

_CONDITIONS = (Capability.MARKET_DATA, Capability.SECTORS, Capability.WEB_SEARCH)
_TECHNICALS = (
    Capability.MARKET_DATA,
    Capability.PRICE_HISTORY,
    Capability.INDICATORS,
    Capability.CHART_PATTERNS,
)
_COMPANY = (Capability.FUNDAMENTALS, Capability.RATIOS, Capability.EARNINGS)
_OPINION = (Capability.NEWS_DIGEST, Capability.SENTIMENT, Capability.WEB_SEARCH)
_RECURRENCE = (Capability.PRICE_HISTORY, Capability.PATTERN_MINING, Capability.SEASONALITY)
_ALL_SPECIALITIES = tuple(
    dict.fromkeys((*_CONDITIONS, *_TECHNICALS, *_RATES, *_COMPANY, *_OPINION, *_NEWS, *_RECURRENCE))
)

WEEK_AGENTS = (
    AgentId.PRODUCT_MANAGER,
    AgentId.RESEARCH_AGENT_1,
    AgentId.RESEARCH_AGENT_2,
    AgentId.VALIDATOR,
)
"""Those who research a week. The others work where somebody asks a question."""

SWARM_AGENTS = (
    AgentId.RESEARCH_LEADER,
    AgentId.MARKET_SPECIALIST,
    AgentId.TECHNICAL_SPECIALIST,
    AgentId.FUNDAMENTAL_SPECIALIST,
    AgentId.SENTIMENT_SPECIALIST,
    AgentId.PATTERN_SPECIALIST,
    AgentId.RESERVE_SPECIALIST,
)
"""Those who research an objective."""

STOCK_AGENTS = (
    AgentId.CONTROLLER_AGENT,
    AgentId.STOCK_RESEARCH_AGENT,
    AgentId.TA_AGENT,
    AgentId.INSIGHT_AGENT,
    AgentId.RECOMMENDATION_AGENT,
    AgentId.EVALUATOR_AGENT,
    AgentId.RESERVE_SPECIALIST,
)
"""Those who research a stock in an episode, and the reserve for whoever of them could not."""


class AgentProfile(Contract):
    """One agent of the roster.

    `tools` is the whole of what it may call: the tools that its `capabilities` have. `model` is
    "builtin" or a model's name. `fallback` takes over its tasks when it fails for good.
    """

    agent: AgentId
    title: ShortText
    queue: Queue
    capabilities: tuple[Capability, ...] = ()
    tools: tuple[ToolName, ...] = ()
    model: ShortText = BUILTIN
    fallback: AgentId | None = None
    limits: AgentLimits = AgentLimits()

    def may_call(self, server: str, tool: str) -> bool:
        """Whether a tool is on this agent's list."""
        return ToolName(server=server, tool=tool) in self.tools


def _with_tools(profile: AgentProfile, policy: RunPolicy) -> AgentProfile:
    return profile.model_copy(update={"tools": tools_for(profile.capabilities, policy)})


_SPECIALIST_LIMITS = AgentLimits(max_turns=24)


def _specialist(agent: AgentId, title: str, capabilities: tuple[Capability, ...]) -> AgentProfile:
    """A specialist of a swarm; the reserve takes over what it could not do."""
    return AgentProfile(
        agent=agent,
        title=title,
        queue=Queue.RESEARCH,
        capabilities=capabilities,
        fallback=AgentId.RESERVE_SPECIALIST,
        limits=_SPECIALIST_LIMITS,
    )


ROSTER: Mapping[AgentId, AgentProfile] = {
    profile.agent: _with_tools(profile, RunPolicy())
    for profile in (
        AgentProfile(
            agent=AgentId.PRODUCT_MANAGER,
            title="Product manager",
            queue=Queue.DESK,
        ),
        AgentProfile(
            agent=AgentId.RESEARCH_AGENT_1,
            title="Research agent 1, prices first",
            queue=Queue.RESEARCH,
            capabilities=_PRICES + _RATES + _NEWS,
            fallback=AgentId.RESEARCH_AGENT_2,
        ),
        AgentProfile(
            agent=AgentId.RESEARCH_AGENT_2,
            title="Research agent 2, central banks first",
            queue=Queue.RESEARCH,
            capabilities=_RATES + _PRICES + _NEWS,
            fallback=AgentId.RESEARCH_AGENT_1,
        ),
        AgentProfile(
            agent=AgentId.VALIDATOR,
            title="Validator",
            queue=Queue.VALIDATION,
            capabilities=_PRICES + _RATES + _COMPARISON + (Capability.VERIFICATION,),
        ),
        AgentProfile(
            agent=AgentId.JIRA_AGENT,
            title="JIRA agent",
            queue=Queue.RESEARCH,
            capabilities=(Capability.TICKET, Capability.WEB_SEARCH),
        ),
        AgentProfile(
            agent=AgentId.DOC_AGENT,
            title="Doc agent",
            queue=Queue.RESEARCH,
            capabilities=(Capability.DOCUMENT, Capability.WEB_SEARCH),
        ),
        AgentProfile(
            agent=AgentId.PDF_AGENT,
            title="PDF agent",
            queue=Queue.RESEARCH,
            capabilities=(Capability.PDF, Capability.WEB_SEARCH),
        ),
        AgentProfile(
            agent=AgentId.SEARCH_AGENT,
            title="Search agent",
            queue=Queue.RESEARCH,
            capabilities=(Capability.WEB_SEARCH, *_NEWS),
        ),
        AgentProfile(
            agent=AgentId.SYNTHESIS_AGENT,
            title="Synthesis agent",
            queue=Queue.RESEARCH,
        ),
        AgentProfile(
            agent=AgentId.RESEARCH_LEADER,
            title="Research leader",
            queue=Queue.DESK,
            capabilities=(Capability.SYMBOLS,),
        ),
        _specialist(AgentId.MARKET_SPECIALIST, "Market specialist", _CONDITIONS + _RATES),
        _specialist(AgentId.TECHNICAL_SPECIALIST, "Technical specialist", _TECHNICALS),
        _specialist(
            AgentId.FUNDAMENTAL_SPECIALIST,
            "Fundamental specialist",
            (Capability.MARKET_DATA, *_RATES, *_COMPANY),
        ),
        _specialist(AgentId.SENTIMENT_SPECIALIST, "Sentiment specialist", _OPINION + _NEWS),
        _specialist(
            AgentId.PATTERN_SPECIALIST, "Pattern specialist", (Capability.MARKET_DATA, *_RECURRENCE)
        ),
        AgentProfile(
            agent=AgentId.RESERVE_SPECIALIST,
            title="Reserve specialist, for whoever could not",
            queue=Queue.RESEARCH,
            capabilities=_ALL_SPECIALITIES,
            limits=_SPECIALIST_LIMITS,
        ),
        AgentProfile(
            agent=AgentId.CONTROLLER_AGENT,
            title="Controller",
            queue=Queue.DESK,
            capabilities=(Capability.SYMBOLS, Capability.MARKET_DATA),
        ),
        _specialist(
            AgentId.STOCK_RESEARCH_AGENT, "Stock research agent", _COMPANY + _OPINION + _NEWS
        ),
        _specialist(AgentId.TA_AGENT, "Technical analysis agent", _TECHNICALS),
        AgentProfile(agent=AgentId.INSIGHT_AGENT, title="Insight agent", queue=Queue.RESEARCH),
        AgentProfile(
            agent=AgentId.RECOMMENDATION_AGENT,
            title="Recommendation agent",
            queue=Queue.RESEARCH,
        ),
        AgentProfile(
            agent=AgentId.EVALUATOR_AGENT,
            title="Evaluator",
            queue=Queue.VALIDATION,
            capabilities=(Capability.PERFORMANCE,),
        ),
    )
}


def profile_of(agent: AgentId, overrides: Sequence[AgentConfig] = ()) -> AgentProfile:
    """An agent as the run's configuration has it, with the tools of the desk's own sources."""
    profile = ROSTER[agent]
    override = next((entry for entry in overrides if entry.agent == agent), None)
    if override is None:
        return profile
    changes = override.model_dump(exclude_none=True, exclude={"agent"})
    return AgentProfile.model_validate({**profile.model_dump(), **changes})


def profile_in(policy: RunPolicy, agent: AgentId) -> AgentProfile:
    """An agent as a run has it, with the tools that its capabilities have there."""
    return _with_tools(profile_of(agent, policy.agents), policy)


def fallbacks(overrides: Sequence[AgentConfig] = ()) -> dict[AgentId, AgentId | None]:
    """Who stands in for whom."""
    return {agent: profile_of(agent, overrides).fallback for agent in ROSTER}
