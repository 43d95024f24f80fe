"""The specialists of a swarm: the desk's own, and those of third-party packages."""

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
"""The field of each specialist. Specialists are asked in this order unless an objective prefers
some."""

SPECIALIST_TASKS: Final[Mapping[AgentId, TaskType]] = MappingProxyType(
    {kind.agent.agent: kind.task for kind in TASKS.values() if kind.speciality}
)
"""The task of each specialist."""

SWARM_AGENTS: Final = tuple(dict.fromkeys((*PROGRAM.agents, *SPECIALITIES)))
"""All agents of a swarm."""

SPECIALISTS: Final = tuple(SPECIALITIES)
"""The specialists, in the order in which they are asked unless an objective prefers some."""

BEHIND: Final = " The question behind it: "
"""The words between the objective of a further round and the original objective."""


def first_asked(objective: str) -> str:
    """Returns the original objective, from the objective of any round."""
    own, _, behind = objective.partition(BEHIND)
    return behind or own


def asked_now(objective: str) -> str:
    """Returns what a round itself should find out."""
    return objective.partition(BEHIND)[0]
