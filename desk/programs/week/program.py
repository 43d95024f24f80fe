"""The weekly research of every market: the tasks and their agents."""

from typing import Final

from desk.agents.capabilities import CROSS_ASSET, NEWS, PRICES, RATES
from desk.agents.program import AgentProfile, Program, TaskKind
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import TaskType
from desk.contracts.names import AgentId, Queue

_COMPARISON = (
    Capability.MONTH_AVERAGES,
    Capability.MONTH_END_RATES,
    Capability.DAILY_RATES,
    Capability.RECORDED_RATES,
)
"""Tools of the validator alone: it compares a figure with another source than the one of the
finding."""

PRODUCT_MANAGER = AgentProfile(
    agent=AgentId.PRODUCT_MANAGER,
    title="Product manager",
    short="PM",
    queue=Queue.DESK,
    capabilities=(Capability.DECISION_CALENDAR,),
)
_RESEARCH_AGENT_1 = AgentProfile(
    agent=AgentId.RESEARCH_AGENT_1,
    title="Research agent 1, prices first",
    short="R1",
    capabilities=PRICES + RATES + NEWS + CROSS_ASSET,
    fallback=AgentId.RESEARCH_AGENT_2,
)
_RESEARCH_AGENT_2 = AgentProfile(
    agent=AgentId.RESEARCH_AGENT_2,
    title="Research agent 2, central banks first",
    short="R2",
    capabilities=RATES + PRICES + NEWS + CROSS_ASSET,
    fallback=AgentId.RESEARCH_AGENT_1,
)
_VALIDATOR = AgentProfile(
    agent=AgentId.VALIDATOR,
    title="Validator",
    short="V",
    queue=Queue.VALIDATION,
    capabilities=PRICES + RATES + _COMPARISON + (Capability.VERIFICATION,),
)

PROGRAM: Final = Program(
    name="week",
    workflows=(
        "workflows.week.week:WeeklyResearchWorkflow",
        "workflows.week.market:MarketResearchWorkflow",
    ),
    tasks=(
        TaskKind(
            task=TaskType.PLAN_WEEK,
            agent=PRODUCT_MANAGER,
            delivers="plan",
            analyst="desk.programs.week.builtin.product_manager:take_turn",
            model="desk.programs.week.claude.product_manager:TASK",
        ),
        TaskKind(
            task=TaskType.RESEARCH_FX,
            agent=_RESEARCH_AGENT_1,
            delivers="research",
            analyst="desk.programs.week.builtin.price_analyst:take_turn",
            model="desk.programs.week.claude.research:TASK",
            in_graphs=True,
            on_market=True,
            is_validated=True,
        ),
        TaskKind(
            task=TaskType.RESEARCH_RATES,
            agent=_RESEARCH_AGENT_2,
            delivers="research",
            analyst="desk.programs.week.builtin.rates_analyst:take_turn",
            model="desk.programs.week.claude.research:TASK",
            in_graphs=True,
            on_market=True,
            is_validated=True,
        ),
        TaskKind(
            task=TaskType.VALIDATE,
            agent=_VALIDATOR,
            delivers="validation",
            analyst="desk.programs.week.builtin.validator:take_turn",
            model="desk.programs.week.claude.validation:TASK",
            in_graphs=True,
            on_market=True,
        ),
        TaskKind(
            task=TaskType.COMMENT_WEEK,
            agent=PRODUCT_MANAGER,
            delivers="commentary",
            analyst="desk.programs.week.builtin.product_manager:comment",
            model="desk.programs.week.claude.commentary:TASK",
            is_fact_checked=True,
        ),
    ),
)
