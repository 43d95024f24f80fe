"""The research of an objective by a leader and its specialists: who does which task."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from desk.agents.capabilities import NEWS, RATES
from desk.agents.program import AgentProfile, Program, TaskKind
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import AgentLimits, TaskType
from desk.contracts.names import AgentId, Queue

_CONDITIONS = (Capability.MARKET_DATA, Capability.SECTORS, Capability.WEB_SEARCH)
TECHNICALS = (
    Capability.MARKET_DATA,
    Capability.PRICE_HISTORY,
    Capability.INDICATORS,
    Capability.CHART_PATTERNS,
)
COMPANY = (Capability.FUNDAMENTALS, Capability.RATIOS, Capability.EARNINGS)
OPINION = (
    Capability.NEWS_DIGEST,
    Capability.SENTIMENT,
    Capability.MENTIONS,
    Capability.WEB_SEARCH,
)
_RECURRENCE = (Capability.PRICE_HISTORY, Capability.PATTERN_MINING, Capability.SEASONALITY)

_LIMITS = AgentLimits(max_turns=24)

RESERVE: Final = AgentProfile(
    agent=AgentId.RESERVE_SPECIALIST,
    title="Reserve specialist, for whoever could not",
    short="RE",
    capabilities=tuple(
        dict.fromkeys((*_CONDITIONS, *TECHNICALS, *RATES, *COMPANY, *OPINION, *NEWS, *_RECURRENCE))
    ),
    limits=_LIMITS,
)


def specialist(
    agent: AgentId, title: str, short: str, capabilities: tuple[Capability, ...]
) -> AgentProfile:
    """A specialist; the reserve takes over what it could not do."""
    return AgentProfile(
        agent=agent,
        title=title,
        short=short,
        capabilities=capabilities,
        fallback=RESERVE.agent,
        limits=_LIMITS,
    )


_LEADER = AgentProfile(
    agent=AgentId.RESEARCH_LEADER,
    title="Research leader",
    short="LE",
    queue=Queue.DESK,
    capabilities=(Capability.SYMBOLS,),
)

_SPECIALISTS: Final = (
    TaskKind(
        task=TaskType.RESEARCH_CONDITIONS,
        agent=specialist(AgentId.MARKET_SPECIALIST, "Market specialist", "MA", _CONDITIONS + RATES),
        delivers="research",
        analyst="desk.programs.swarm.builtin.market:take_turn",
        model="desk.programs.swarm.claude.research:CONDITIONS",
        on_market=True,
    ),
    TaskKind(
        task=TaskType.ANALYSE_TECHNICALS,
        agent=specialist(AgentId.TECHNICAL_SPECIALIST, "Technical specialist", "TE", TECHNICALS),
        delivers="research",
        analyst="desk.programs.swarm.builtin.technical:take_turn",
        model="desk.programs.swarm.claude.research:TECHNICALS",
        on_market=True,
    ),
    TaskKind(
        task=TaskType.ANALYSE_FUNDAMENTALS,
        agent=specialist(
            AgentId.FUNDAMENTAL_SPECIALIST,
            "Fundamental specialist",
            "FU",
            (Capability.MARKET_DATA, *RATES, *COMPANY),
        ),
        delivers="research",
        analyst="desk.programs.swarm.builtin.fundamental:take_turn",
        model="desk.programs.swarm.claude.research:FUNDAMENTALS",
        on_market=True,
    ),
    TaskKind(
        task=TaskType.GAUGE_SENTIMENT,
        agent=specialist(
            AgentId.SENTIMENT_SPECIALIST, "Sentiment specialist", "SN", OPINION + NEWS
        ),
        delivers="research",
        analyst="desk.programs.swarm.builtin.sentiment:take_turn",
        model="desk.programs.swarm.claude.research:SENTIMENT",
        on_market=True,
    ),
    TaskKind(
        task=TaskType.MINE_PATTERNS,
        agent=specialist(
            AgentId.PATTERN_SPECIALIST,
            "Pattern specialist",
            "PA",
            (Capability.MARKET_DATA, *_RECURRENCE),
        ),
        delivers="research",
        analyst="desk.programs.swarm.builtin.pattern:take_turn",
        model="desk.programs.swarm.claude.research:PATTERNS",
        on_market=True,
    ),
)

SPECIALIST_TASKS: Final[Mapping[AgentId, TaskType]] = MappingProxyType(
    {kind.agent.agent: kind.task for kind in _SPECIALISTS}
)
"""The specialists, each with what it does."""

PROGRAM: Final = Program(
    name="swarm",
    workflows=(
        "workflows.swarm.swarm:ResearchSwarmWorkflow",
        "workflows.swarm.specialists:SpecialistWorkflow",
        "workflows.swarm.hypothesis:HypothesisWorkflow",
    ),
    document="desk.programs.swarm.document:PART",
    tasks=(
        TaskKind(
            task=TaskType.PLAN_SWARM,
            agent=_LEADER,
            delivers="swarm_plan",
            analyst="desk.programs.swarm.builtin.leader:plan",
            model="desk.programs.swarm.claude.plan:TASK",
        ),
        *_SPECIALISTS,
        TaskKind(
            task=TaskType.CONCLUDE_SWARM,
            agent=_LEADER,
            delivers="synthesis",
            analyst="desk.programs.swarm.builtin.leader:conclude",
            model="desk.programs.swarm.claude.conclusion:TASK",
        ),
    ),
    stand_ins=(RESERVE,),
)
