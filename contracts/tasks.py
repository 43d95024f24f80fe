"""What an agent is asked to do."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from contracts.base import Contract, Instant, ShortText, Text
from contracts.markets import AreaCode, MarketSpec
from contracts.names import AgentId
from contracts.weeks import IsoWeek, TimeWindow


class TaskType(StrEnum):
    """The kinds of work on a market, and the planning of a week."""

    PLAN_WEEK = "plan_week"
    RESEARCH_FX = "research_fx"
    RESEARCH_RATES = "research_rates"
    VALIDATE = "validate"
    COMMENT_WEEK = "comment_week"


class Effort(StrEnum):
    """How much a model is to think."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class AgentLimits(Contract):
    """Where an agent must stop. Time is the assignment's deadline."""

    max_turns: Annotated[int, Field(ge=1, le=200)] = 8
    max_tokens: Annotated[int, Field(ge=1)] = 200_000


class ToolName(Contract):
    """A tool an agent may use."""

    server: ShortText
    tool: ShortText


class TaskAssignment(Contract):
    """One task, with everything needed to do it and nothing that changes while it is done.

    `priority` runs from 1 (most urgent) to 5, as Temporal counts. `base_area` is the area whose
    rate differentials are taken against. `instructions` is prose for a model; it holds no data.
    """

    task_id: ShortText
    task_type: TaskType
    agent: AgentId
    week: IsoWeek
    market: MarketSpec | None = None
    window: TimeWindow
    deadline: Instant
    priority: Annotated[int, Field(ge=1, le=5)] = 3
    tools: Annotated[tuple[ToolName, ...], Field(max_length=40)] = ()
    limits: AgentLimits = AgentLimits()
    base_area: AreaCode = "US"
    instructions: Text | None = None
