"""The research of a stock in an evaluated episode: the tasks and their agents."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from desk.agents.capabilities import NEWS
from desk.agents.program import AgentProfile, Program, TaskKind
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import TaskType
from desk.contracts.episode.actions import StockAction
from desk.contracts.names import AgentId, Queue
from desk.programs.swarm.program import COMPANY, OPINION, RESERVE, TECHNICALS, specialist

_RESEARCHER = specialist(
    AgentId.STOCK_RESEARCH_AGENT, "Stock research agent", "SR", COMPANY + OPINION + NEWS
)
_TECHNICIAN = specialist(AgentId.TA_AGENT, "Technical analysis agent", "TA", TECHNICALS)

_ACTIONS: Final[Mapping[StockAction, TaskKind]] = MappingProxyType(
    {
        StockAction.FETCH_NEWS: TaskKind(
            task=TaskType.FETCH_NEWS,
            agent=_RESEARCHER,
            delivers="research",
            analyst="desk.programs.episode.builtin.research:fetch_news",
            model="desk.programs.episode.claude.research:NEWS",
            on_market=True,
        ),
        StockAction.FETCH_FUNDAMENTALS: TaskKind(
            task=TaskType.FETCH_FUNDAMENTALS,
            agent=_RESEARCHER,
            delivers="research",
            analyst="desk.programs.episode.builtin.research:fetch_fundamentals",
            model="desk.programs.episode.claude.research:FUNDAMENTALS",
            on_market=True,
        ),
        StockAction.FETCH_SENTIMENT: TaskKind(
            task=TaskType.FETCH_SENTIMENT,
            agent=_RESEARCHER,
            delivers="research",
            analyst="desk.programs.episode.builtin.research:fetch_sentiment",
            model="desk.programs.episode.claude.research:SENTIMENT",
            on_market=True,
        ),
        StockAction.RUN_TA_BASIC: TaskKind(
            task=TaskType.RUN_TA_BASIC,
            agent=_TECHNICIAN,
            delivers="research",
            analyst="desk.programs.episode.builtin.research:basic",
            model="desk.programs.episode.claude.research:TA_BASIC",
            on_market=True,
        ),
        StockAction.RUN_TA_ADVANCED: TaskKind(
            task=TaskType.RUN_TA_ADVANCED,
            agent=_TECHNICIAN,
            delivers="research",
            analyst="desk.programs.episode.builtin.research:advanced",
            model="desk.programs.episode.claude.research:TA_ADVANCED",
            on_market=True,
        ),
        StockAction.GENERATE_INSIGHT: TaskKind(
            task=TaskType.GENERATE_INSIGHT,
            agent=AgentProfile(agent=AgentId.INSIGHT_AGENT, title="Insight agent", short="IN"),
            delivers="research",
            analyst="desk.programs.episode.builtin.insight:generate",
            model="desk.programs.episode.claude.insight:TASK",
            on_market=True,
        ),
        StockAction.GENERATE_RECOMMENDATION: TaskKind(
            task=TaskType.GENERATE_RECOMMENDATION,
            agent=AgentProfile(
                agent=AgentId.RECOMMENDATION_AGENT, title="Recommendation agent", short="RC"
            ),
            delivers="synthesis",
            analyst="desk.programs.episode.builtin.recommendation:generate",
            model="desk.programs.episode.claude.recommendation:TASK",
            on_market=True,
            is_fact_checked=True,
        ),
        # Has no model: the outcome of a recommendation is measured and described by rule.
        StockAction.EVALUATE_PERFORMANCE: TaskKind(
            task=TaskType.EVALUATE_PERFORMANCE,
            agent=AgentProfile(
                agent=AgentId.EVALUATOR_AGENT,
                title="Evaluator",
                short="EV",
                queue=Queue.VALIDATION,
                capabilities=(Capability.PERFORMANCE,),
            ),
            delivers="research",
            analyst="desk.programs.episode.builtin.research:evaluate",
            on_market=True,
        ),
    }
)

STOCK_TASKS: Final[Mapping[StockAction, tuple[AgentId, TaskType]]] = MappingProxyType(
    {action: (kind.agent.agent, kind.task) for action, kind in _ACTIONS.items()}
)
"""The agent and the task of each action of an episode."""

PROGRAM: Final = Program(
    name="episode",
    workflows=("workflows.episode.episode:StockResearchWorkflow",),
    document="desk.programs.episode.document:PART",
    tasks=(
        TaskKind(
            task=TaskType.CHOOSE_ACTION,
            agent=AgentProfile(
                agent=AgentId.CONTROLLER_AGENT,
                title="Controller",
                short="CO",
                queue=Queue.DESK,
                capabilities=(Capability.SYMBOLS, Capability.MARKET_DATA),
            ),
            delivers="action",
            analyst="desk.programs.episode.builtin.controller:choose",
            model="desk.programs.episode.claude.controller:TASK",
        ),
        *_ACTIONS.values(),
    ),
    stand_ins=(RESERVE,),
)
