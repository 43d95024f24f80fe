"""What a program declares: its tasks, each with who does it, what it delivers and by which code.

A declaration is light, and workflows read it: code that takes turns is named by
`package.module:name` and loaded by whoever runs it.
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

    `short` is its name in narrow tables. It may call the tools that its `capabilities` have in a
    run, and its `own_tools`; `tools` are both together, as `desk.agents.roster` fills them in.
    `model` is "builtin" or a model's name. `fallback` takes over its tasks when it fails for good.
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
        """Whether a tool is on this agent's list."""
        return ToolName(server=server, tool=tool) in self.tools


@dataclass(frozen=True, slots=True)
class ModelTask:
    """How a task is put to a model, and how its answer is read.

    `prompts` are texts that follow each other, with marks as `desk.programs.claude.prompts` has
    them. `form` is the model's answer. `material` says what the model is shown and `result` reads
    its answer; both have the request and what the built-in analyst delivered, and `result` raises a
    ValueError that tells the model what is wrong. `opening` is what the desk asks for a model
    besides its own first questions, and `schema` is the JSON schema of the form where that depends
    on what is asked. `is_worth_it` says of the request and the desk's own result whether there is
    anything to ask a model about; else that result stands, and nothing is paid. A task that is
    `without_tools` is all told: its agent's tools are for others of its tasks.
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
    """A kind of work.

    `agent` does it unless something else is said. `delivers` is the `kind` of result that ends it.
    `analyst` names its built-in analyst, `model` its `ModelTask`; without one the analyst's result
    stands, whatever model the agent is. A task `on_market` is taken over as it is; any other as
    what the agent does that takes it over. `in_graphs` is what its agent does in a graph whose node
    names no task. A validator checks the results of what `is_validated`. One with a
    `speciality` is the work of a specialist of the swarm.
    """

    task: TaskType
    agent: AgentProfile
    delivers: str
    analyst: str
    model: str | None = None
    in_graphs: bool = False
    on_market: bool = False
    is_validated: bool = False
    speciality: Speciality | None = None

    def load_analyst(self) -> Analyst:
        """The built-in analyst."""
        analyst: Analyst = resolve_name(self.analyst)
        return analyst

    def load_model(self) -> ModelTask | None:
        """How a model does it; None where none can."""
        if self.model is None:
            return None
        task: ModelTask = resolve_name(self.model)
        return task


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What works together. `stand_ins` are its agents without a task of their own, `workflows` the
    workflow types that order its work, each named by `package.module:Class`. `document` names the
    `desk.documents.answer.parts.Part` that it adds to the answers of its runs."""

    name: str
    tasks: tuple[TaskKind, ...]
    stand_ins: tuple[AgentProfile, ...] = ()
    workflows: tuple[str, ...] = ()
    document: str | None = None

    def load_workflows(self) -> tuple[type, ...]:
        """Its workflow types."""
        return tuple(resolve_name(name) for name in self.workflows)

    @property
    def agents(self) -> tuple[AgentId, ...]:
        """Its agents, each once, in the order of the tasks."""
        return tuple(dict.fromkeys(each.agent for each in self.profiles))

    @property
    def profiles(self) -> tuple[AgentProfile, ...]:
        """The declarations of its agents, as often as they are named."""
        return (*(kind.agent for kind in self.tasks), *self.stand_ins)
