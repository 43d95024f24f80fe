"""The registered tasks and agents: those of the desk's programs, and those of other packages.

A package adds tasks by an entry point of the group `research_desk.tasks`, which names a `TaskKind`
or a tuple of them, or a whole `Program` by one of the group `research_desk.programs`.
"""

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from pkgutil import resolve_name
from types import MappingProxyType
from typing import Final

from desk.agents.program import AgentProfile, Program, TaskKind
from desk.contracts.agents.tasks import TaskType
from desk.contracts.names import AgentId

OWN_PROGRAMS: Final = (
    "desk.programs.week.program:PROGRAM",
    "desk.programs.question.program:PROGRAM",
    "desk.programs.swarm.program:PROGRAM",
    "desk.programs.episode.program:PROGRAM",
)

TASK_GROUP: Final = "research_desk.tasks"
PROGRAM_GROUP: Final = "research_desk.programs"


class RegistryError(Exception):
    """A registered task or program cannot be used. The message names the entry point or the
    task."""


def _own() -> Iterator[Program]:
    for name in OWN_PROGRAMS:
        yield resolve_name(name)


def _others() -> Iterator[Program]:
    for entry in _entries(PROGRAM_GROUP):
        found = _loaded(entry)
        if not isinstance(found, Program):
            raise RegistryError(f"{_entry_words(entry)} is no Program")
        yield found
    for entry in _entries(TASK_GROUP):
        found = _loaded(entry)
        kinds = found if isinstance(found, tuple) else (found,)
        if not all(isinstance(kind, TaskKind) for kind in kinds):
            raise RegistryError(f"{_entry_words(entry)} is neither a TaskKind nor a tuple of them")
        yield Program(name=entry.name, tasks=kinds)


def _entries(group: str) -> list[EntryPoint]:
    """Returns entry points in an order that does not depend on where packages are installed."""
    return sorted(set(entry_points(group=group)), key=lambda entry: (entry.name, entry.value))


def _loaded(entry: EntryPoint) -> object:
    try:
        return entry.load()
    except Exception as error:
        # Any error in a third-party package must be reported with its name.
        raise RegistryError(f"{_entry_words(entry)} cannot be loaded: {error}") from error


def _entry_words(entry: EntryPoint) -> str:
    return f"the entry point {entry.name} = {entry.value} of {entry.group}"


def _tasks(programs: Iterable[Program]) -> Iterator[tuple[TaskType, TaskKind]]:
    declared: set[TaskType] = set()
    for program in programs:
        for kind in program.tasks:
            if kind.task in declared:
                raise RegistryError(f"the task {kind.task} of {program.name} is declared twice")
            declared.add(kind.task)
            yield TaskType.register(kind.task), kind


def _agents(programs: Iterable[Program]) -> dict[AgentId, AgentProfile]:
    found: dict[AgentId, AgentProfile] = {}
    for program in programs:
        for profile in program.profiles:
            if found.setdefault(AgentId.register(profile.agent), profile) != profile:
                raise RegistryError(f"{program.name} declares {profile.agent} otherwise")
    lacking = {each.fallback for each in found.values()} - {None, *found}
    if lacking:
        raise RegistryError(f"no program has the agents that stand in: {sorted(map(str, lacking))}")
    return found


PROGRAMS: Final = (*_own(), *_others())
"""Every program, the desk's own first."""

TASKS: Final[Mapping[TaskType, TaskKind]] = MappingProxyType(dict(_tasks(PROGRAMS)))
"""Every kind of task."""

AGENTS: Final[Mapping[AgentId, AgentProfile]] = MappingProxyType(_agents(PROGRAMS))
"""Every agent as it is declared: without the tools of its capabilities."""

TASK_IN_GRAPHS: Final[Mapping[AgentId, TaskType]] = MappingProxyType(
    {kind.agent.agent: kind.task for kind in TASKS.values() if kind.in_graphs}
)
"""The agents that a graph can have, each with its task there unless its node says otherwise. The
product manager plans weeks, not graphs."""

VALIDATED: Final = frozenset(kind.task for kind in TASKS.values() if kind.is_validated)
"""The tasks whose results a validator checks."""


FACT_CHECKED: Final = frozenset(kind.task for kind in TASKS.values() if kind.is_fact_checked)
"""The tasks whose words are checked once more if a model wrote them."""


def delivers(task: TaskType) -> str | None:
    """Returns the `kind` of result that ends a task, or None if it is not registered."""
    kind = TASKS.get(task)
    return None if kind is None else kind.delivers


def taken_over_as(task: TaskType, by: AgentId) -> TaskType:
    """Returns the task of an agent that takes over a task: the same on a market, where any of its
    agents can do it, and otherwise what that agent does in graphs."""
    kind = TASKS.get(task)
    on_market = kind is not None and kind.on_market
    return task if on_market else TASK_IN_GRAPHS.get(by, task)
