"""What each kind of work delivers, and what each agent of a graph does unless it is told."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from desk.contracts.agents.tasks import TaskType
from desk.contracts.episode.stock import StockAction
from desk.contracts.names import AgentId

DELIVERS: Final[Mapping[TaskType, str]] = MappingProxyType(
    {
        TaskType.PLAN_WEEK: "plan",
        TaskType.RESEARCH_FX: "research",
        TaskType.RESEARCH_RATES: "research",
        TaskType.VALIDATE: "validation",
        TaskType.COMMENT_WEEK: "commentary",
        TaskType.FETCH_TICKETS: "tickets",
        TaskType.READ_DOCUMENTS: "documents",
        TaskType.READ_PDFS: "pdfs",
        TaskType.SEARCH_WEB: "search",
        TaskType.SYNTHESISE: "synthesis",
        TaskType.PLAN_SWARM: "swarm_plan",
        TaskType.RESEARCH_CONDITIONS: "research",
        TaskType.ANALYSE_TECHNICALS: "research",
        TaskType.ANALYSE_FUNDAMENTALS: "research",
        TaskType.GAUGE_SENTIMENT: "research",
        TaskType.MINE_PATTERNS: "research",
        TaskType.CONCLUDE_SWARM: "synthesis",
        TaskType.CHOOSE_ACTION: "action",
        TaskType.FETCH_NEWS: "research",
        TaskType.FETCH_FUNDAMENTALS: "research",
        TaskType.FETCH_SENTIMENT: "research",
        TaskType.RUN_TA_BASIC: "research",
        TaskType.RUN_TA_ADVANCED: "research",
        TaskType.GENERATE_INSIGHT: "research",
        TaskType.GENERATE_RECOMMENDATION: "synthesis",
        TaskType.EVALUATE_PERFORMANCE: "research",
    }
)
"""The `kind` of result that ends a task."""

TASK_OF: Final[Mapping[AgentId, TaskType]] = MappingProxyType(
    {
        AgentId.RESEARCH_AGENT_1: TaskType.RESEARCH_FX,
        AgentId.RESEARCH_AGENT_2: TaskType.RESEARCH_RATES,
        AgentId.VALIDATOR: TaskType.VALIDATE,
        AgentId.JIRA_AGENT: TaskType.FETCH_TICKETS,
        AgentId.DOC_AGENT: TaskType.READ_DOCUMENTS,
        AgentId.PDF_AGENT: TaskType.READ_PDFS,
        AgentId.SEARCH_AGENT: TaskType.SEARCH_WEB,
        AgentId.SYNTHESIS_AGENT: TaskType.SYNTHESISE,
    }
)
"""The agents that a graph can have, each with what it does there unless its node says otherwise.
The product manager plans weeks, no graphs."""

RESEARCH_TASKS: Final = frozenset({TaskType.RESEARCH_FX, TaskType.RESEARCH_RATES})
"""What a validator checks the results of."""

SPECIALIST_TASKS: Final[Mapping[AgentId, TaskType]] = MappingProxyType(
    {
        AgentId.MARKET_SPECIALIST: TaskType.RESEARCH_CONDITIONS,
        AgentId.TECHNICAL_SPECIALIST: TaskType.ANALYSE_TECHNICALS,
        AgentId.FUNDAMENTAL_SPECIALIST: TaskType.ANALYSE_FUNDAMENTALS,
        AgentId.SENTIMENT_SPECIALIST: TaskType.GAUGE_SENTIMENT,
        AgentId.PATTERN_SPECIALIST: TaskType.MINE_PATTERNS,
    }
)
"""The specialists of a swarm, each with what it does there."""

STOCK_TASKS: Final[Mapping[StockAction, tuple[AgentId, TaskType]]] = MappingProxyType(
    {
        StockAction.FETCH_NEWS: (AgentId.STOCK_RESEARCH_AGENT, TaskType.FETCH_NEWS),
        StockAction.FETCH_FUNDAMENTALS: (AgentId.STOCK_RESEARCH_AGENT, TaskType.FETCH_FUNDAMENTALS),
        StockAction.FETCH_SENTIMENT: (AgentId.STOCK_RESEARCH_AGENT, TaskType.FETCH_SENTIMENT),
        StockAction.RUN_TA_BASIC: (AgentId.TA_AGENT, TaskType.RUN_TA_BASIC),
        StockAction.RUN_TA_ADVANCED: (AgentId.TA_AGENT, TaskType.RUN_TA_ADVANCED),
        StockAction.GENERATE_INSIGHT: (AgentId.INSIGHT_AGENT, TaskType.GENERATE_INSIGHT),
        StockAction.GENERATE_RECOMMENDATION: (
            AgentId.RECOMMENDATION_AGENT,
            TaskType.GENERATE_RECOMMENDATION,
        ),
        StockAction.EVALUATE_PERFORMANCE: (AgentId.EVALUATOR_AGENT, TaskType.EVALUATE_PERFORMANCE),
    }
)
"""Who carries out the actions of a stock's episode, and as which task."""

_ON_MARKETS: Final = RESEARCH_TASKS | {
    TaskType.VALIDATE,
    *SPECIALIST_TASKS.values(),
    *(task for _, task in STOCK_TASKS.values()),
}


def taken_over_as(task: TaskType, by: AgentId) -> TaskType:
    """What somebody does who takes over a task: the same on a market, where any of its agents can,
    and else what that agent can do for the question."""
    return task if task in _ON_MARKETS else TASK_OF.get(by, task)
