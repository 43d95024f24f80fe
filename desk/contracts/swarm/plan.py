"""A swarm's plan: each specialist's objective, and the objective of a further round."""

import re
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from desk.contracts.agents.tasks import TaskType, ToolName
from desk.contracts.base import (
    Contract,
    ShortText,
    Text,
    is_empty,
)
from desk.contracts.markets import MarketName, MarketSpec
from desk.contracts.names import AgentId

SUBAGENT_PATTERN = r"^[a-z][a-z0-9_]{0,39}$"


SubagentName = Annotated[str, Field(pattern=SUBAGENT_PATTERN)]
"""The name of a specialist's work within a round: `technical`, `technical_2`."""


RESERVED_NAME = re.compile(r"^(plan|conclude)_\d+$|^r\d+_")
"""The names of the leader's own nodes and of the specialists of later rounds."""


MOST_SUBAGENTS = 12


class Complexity(StrEnum):
    """How much an objective needs: one or two specialists, three or four, or five and more."""

    SIMPLE = "simple"
    MODERATE = "moderate"
    COMPLEX = "complex"


class SubagentSpec(Contract):
    """The objective of one specialist, and what it leaves to others.

    `beside` are markets to compare its own with. `tools` are the tools of its list that it may use.
    The loop limits it to `most_calls` calls; a model is told that `least_calls` calls are enough.
    """

    name: SubagentName
    agent: AgentId
    task: TaskType
    market: MarketSpec
    objective: Text
    output_format: Text
    boundaries: Text
    tools: Annotated[tuple[ToolName, ...], Field(min_length=1, max_length=40)]
    beside: Annotated[tuple[MarketName, ...], Field(max_length=12, exclude_if=is_empty)] = ()
    least_calls: Annotated[int, Field(ge=1, le=130)] = 3
    most_calls: Annotated[int, Field(ge=1, le=130)] = 10


class SwarmPlan(Contract):
    """The leader's plan of one round. It is stored before any work begins.

    `follows` are the ids of the memories that it uses. `strategy` is prose without figures.
    """

    kind: Literal["swarm_plan"] = "swarm_plan"
    task_id: ShortText
    agent: AgentId = AgentId.RESEARCH_LEADER
    complexity: Complexity
    strategy: Text
    subagents: Annotated[tuple[SubagentSpec, ...], Field(min_length=1, max_length=MOST_SUBAGENTS)]
    follows: Annotated[tuple[ShortText, ...], Field(max_length=20, exclude_if=is_empty)] = ()

    @model_validator(mode="after")
    def _names_are_their_own(self) -> Self:
        """Rejects duplicate and reserved names: they become names of nodes, besides those of the
        leader and of other rounds."""
        names = [subagent.name for subagent in self.subagents]
        taken = [name for name in names if RESERVED_NAME.match(name)]
        if taken or len(set(names)) < len(names):
            raise ValueError(f"names that are there twice, or the leader's: {names}")
        return self


class Refinement(Contract):
    """The leader's objective for another round, and the reason.

    `agents` are those to take part; empty means all.
    """

    objective: Text
    reason: Text
    agents: Annotated[tuple[AgentId, ...], Field(max_length=20, exclude_if=is_empty)] = ()
