"""The declaration of a program: its tasks, each with its agent, its kind of result and its code.

A declaration is cheap to load, because workflows read it. Code that takes turns is named by
`package.module:name` and loaded only where it runs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Annotated

from pydantic import BaseModel, Field, JsonValue

from desk.agents.speciality import Speciality
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import AgentLimits, TaskType, ToolName
from desk.contracts.agents.tools import ToolCall
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.base import Contract, ShortText
from desk.contracts.names import AgentId, Queue
from desk.contracts.runs.turns import AgentResult, Turn, TurnRequest

Analyst = Callable[[TurnRequest], Turn]
"""A built-in analyst: a turn from a request, without effects."""


class AgentProfile(Contract):
    """An agent.

    `short` is its name in narrow tables. It may call the tools of its `capabilities` in a run, and
    its `own_tools`; `tools` are both together, as `desk.agents.roster` fills them in. `model` is
    "builtin" or a model's name. `fallback` takes over its tasks when it fails.
    """

    agent: AgentId
    title: ShortText
    short: Annotated[str, Field(min_length=1, max_length=3)]
    queue: Queue = Queue.RESEARCH
    capabilities: tuple[Capability, ...] = ()
    own_tools: tuple[ToolName, ...] = ()
    tools: tuple[ToolName, ...] = ()
    model: ShortText = BUILTIN
    fallback: AgentId | None = None
    limits: AgentLimits = AgentLimits()

    def may_call(self, server: str, tool: str) -> bool:
        """Returns whether a tool is on this agent's list."""
        return ToolName(server=server, tool=tool) in self.tools


@dataclass(frozen=True, slots=True)
class ModelTask:
    """How a model is asked to do a task, and how its answer is parsed.

    `prompts` are texts that follow each other, with the markers of `desk.programs.claude.prompts`.
    `form` is the model's answer. `material` returns what the model is shown, and `result` parses
    its answer. Both get the request and the built-in analyst's result; `result` raises a ValueError
    that says to the model what is wrong. `opening` returns the calls that the desk makes for a
    model besides its own first ones, and `schema` the JSON schema of the form if that depends on
    the request. `is_worth_it` decides by the request and the desk's own result whether there is
    anything to ask a model; if not, that result is delivered, and nothing is paid. The material of
    a task that is `without_tools` is complete: its agent's tools are for its other tasks.
    """

    prompts: tuple[str, ...]
    form: type[BaseModel]
    material: Callable[[TurnRequest, AgentResult | None], str]
    result: Callable[[TurnRequest, AgentResult | None, str], AgentResult]
    opening: Callable[[TurnRequest], Sequence[ToolCall]] | None = None
    schema: Callable[[TurnRequest], dict[str, JsonValue]] | None = None
    is_worth_it: Callable[[TurnRequest, AgentResult | None], bool] | None = None
    without_tools: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskKind:
    """A kind of task.

    `agent` does it by default. `delivers` is the `kind` of result that ends it. `analyst` names its
    built-in analyst, `model` its `ModelTask`; without one the analyst's result is delivered,
    whatever model the agent is. A task `on_market` is taken over unchanged; any other becomes the
    task in graphs of the agent that takes it over. With `in_graphs` it is what its agent does in a
    graph whose node names no task. A validator checks the results of a task that `is_validated`.
    A model's words on a task that `is_fact_checked` are checked against their claims by one more
    request.
    One with a `speciality` is the work of a specialist of the swarm.
    """

    task: TaskType
    agent: AgentProfile
    delivers: str
    analyst: str
    model: str | None = None
    in_graphs: bool = False
    on_market: bool = False
    is_validated: bool = False
    is_fact_checked: bool = False
    speciality: Speciality | None = None

    def load_analyst(self) -> Analyst:
        """Returns the built-in analyst."""
        analyst: Analyst = resolve_name(self.analyst)
        return analyst

    def load_model(self) -> ModelTask | None:
        """Returns the model's form of the task, or None if there is none."""
        if self.model is None:
            return None
        task: ModelTask = resolve_name(self.model)
        return task


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Tasks and agents that work together. `stand_ins` are its agents without a task of their own,
    `workflows` the workflow types that order its work, each named by `package.module:Class`.
    `document` names the `desk.documents.answer.parts.Part` that it adds to the answers of its
    runs."""

    name: str
    tasks: tuple[TaskKind, ...]
    stand_ins: tuple[AgentProfile, ...] = ()
    workflows: tuple[str, ...] = ()
    document: str | None = None

    def load_workflows(self) -> tuple[type, ...]:
        """Returns its workflow types."""
        return tuple(resolve_name(name) for name in self.workflows)

    @property
    def agents(self) -> tuple[AgentId, ...]:
        """Its agents, each once, in the order of the tasks."""
        return tuple(dict.fromkeys(each.agent for each in self.profiles))

    @property
    def profiles(self) -> tuple[AgentProfile, ...]:
        """The declarations of its agents, as often as they are named."""
        return (*(kind.agent for kind in self.tasks), *self.stand_ins)
