"""The product manager's plan of a week."""

from typing import Annotated, Literal

from pydantic import Field

from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import TaskType
from desk.contracts.base import Contract, ShortText, Text, is_empty, is_none
from desk.contracts.markets import MarketName
from desk.contracts.names import AgentId
from desk.contracts.weeks import IsoWeek


class PlannedTask(Contract):
    """A market's task and its agent. `instructions` are the planner's instructions to this agent
    alone."""

    task_type: TaskType
    agent: AgentId
    instructions: Annotated[Text | None, Field(exclude_if=is_none)] = None


class MarketPlan(Contract):
    """How one market is researched: its tasks run concurrently, then the validator's.

    `look_into` lists what agents that are models may research beyond what every week needs; None
    means everything on their lists.
    """

    market: MarketName
    priority: Annotated[int, Field(ge=1, le=5)]
    tasks: Annotated[tuple[PlannedTask, ...], Field(min_length=1, max_length=4)]
    instructions: Text | None = None
    look_into: Annotated[tuple[Capability, ...], Field(max_length=20)] | None = None


class WeekPlan(Contract):
    """How a week is researched, in the order in which the markets start.

    `follows` are the ids of the recommendations from the desk's own record that it adopts.
    """

    kind: Literal["plan"] = "plan"
    task_id: ShortText
    week: IsoWeek
    markets: Annotated[tuple[MarketPlan, ...], Field(max_length=200)]
    note: Text | None = None
    follows: Annotated[tuple[ShortText, ...], Field(max_length=50, exclude_if=is_empty)] = ()
