"""The specialists of a swarm: the desk's own, those that other packages declare, and whose work an
objective speaks of."""

import re
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

OUTPUT_FORMAT: Final = (
    "Findings, each with its topic, a statement with references to claims in place of figures, its"
    " confidence and the claims that it rests on. A view of the direction over the next four weeks"
    " and what to do about it, with a confidence. What in the findings speaks against each other,"
    " what follows from them, and what was looked for and not found."
)
"""What every specialist delivers, told to a model."""

SPECIALISTS: Final = tuple(SPECIALITIES)
"""The specialists in the order in which they are asked where an objective prefers none."""

BEHIND: Final = " The question behind it: "
"""Stands between what a further round is to find out and what was asked at first."""

_ASPECTS: Final = {
    agent: re.compile(rf"\b(?:{speciality.words})\b", re.IGNORECASE)
    for agent, speciality in SPECIALITIES.items()
}


def aspects_named(objective: str) -> tuple[AgentId, ...]:
    """The specialists whose work an objective speaks of, the most spoken of first."""
    counts = {agent: len(words.findall(objective)) for agent, words in _ASPECTS.items()}
    named = [agent for agent in SPECIALISTS if counts[agent]]
    return tuple(sorted(named, key=lambda agent: -counts[agent]))


def in_order_of(objective: str) -> tuple[AgentId, ...]:
    """All specialists, those whose work the objective speaks of first."""
    return tuple(dict.fromkeys((*aspects_named(objective), *SPECIALISTS)))


def first_asked(objective: str) -> str:
    """What was asked at first, of the objective of any round."""
    own, _, behind = objective.partition(BEHIND)
    return behind or own


def asked_now(objective: str) -> str:
    """What a round itself is to find out."""
    return objective.partition(BEHIND)[0]
