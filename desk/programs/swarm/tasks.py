"""The specialists of a swarm: the desk's own, and those that other packages declare."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from desk.agents.registry import TASKS
from desk.agents.speciality import Speciality
from desk.contracts.agents.tasks import TaskType
from desk.contracts.names import AgentId
from desk.programs.swarm.program import PROGRAM

SPECIALITIES: Final[Mapping[AgentId, Speciality]] = MappingProxyType(
    {kind.agent.agent: kind.speciality for kind in TASKS.values() if kind.speciality}
)
"""What each specialist is for, in the order in which they are asked where an objective prefers
none."""

SPECIALIST_TASKS: Final[Mapping[AgentId, TaskType]] = MappingProxyType(
    {kind.agent.agent: kind.task for kind in TASKS.values() if kind.speciality}
)
"""What each specialist does."""

SWARM_AGENTS: Final = tuple(dict.fromkeys((*PROGRAM.agents, *SPECIALITIES)))
"""Everybody who works in a swarm."""

SPECIALISTS: Final = tuple(SPECIALITIES)
"""The specialists in the order in which they are asked where an objective prefers none."""

BEHIND: Final = " The question behind it: "
"""Stands between what a further round is to find out and what was asked at first."""


def first_asked(objective: str) -> str:
    """What was asked at first, of the objective of any round."""
    own, _, behind = objective.partition(BEHIND)
    return behind or own


def asked_now(objective: str) -> str:
    """What a round itself is to find out."""
    return objective.partition(BEHIND)[0]
