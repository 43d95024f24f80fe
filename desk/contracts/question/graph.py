"""A graph of agents that answers a question: its nodes and edges."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from desk.contracts.agents.config import PositiveSpan, RetryConfig
from desk.contracts.agents.tasks import TaskType, ToolName
from desk.contracts.base import Contract, Text, is_none
from desk.contracts.episode.stock import StockRecord
from desk.contracts.findings.results import ConflictRecord
from desk.contracts.markets import MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.swarm.record import SwarmRecord

NAME_PATTERN = r"^[A-Za-z][A-Za-z0-9_-]{0,59}$"

NodeName = Annotated[str, Field(pattern=NAME_PATTERN)]
"""The name of a node, of a parameter, or of a key of the state."""

Expression = Annotated[str, Field(min_length=1, max_length=500)]
"""A condition on the graph's state, as a JMESPath expression. It holds when its value is true: not
null, false or empty."""

MOST_NODES = 1_000
MOST_OUTCOMES = 1_200
"""The maximum number of node rounds in a run: each leaves about forty events, and a history has
room for 51,200."""
MOST_ROUNDS = 20


class Edge(Contract):
    """An edge to the next node, with its condition. Without a condition it is always taken."""

    to: NodeName
    when: Annotated[Expression | None, Field(exclude_if=is_none)] = None


Edges = Annotated[tuple[Edge, ...], Field(max_length=MOST_NODES)]


class Join(StrEnum):
    """When a node with several predecessors begins: after all reached predecessors have ended, or
    after the first."""

    ALL = "all"
    ANY = "any"


class Merge(StrEnum):
    """The value of a key that several nodes write: that of the first or of the last node, or a list
    of all, each in the order of the file and not of arrival."""

    FIRST = "first"
    LAST = "last"
    ALL = "all"


class NodeSpec(Contract):
    """One step of a graph: an agent that works on the question.

    `next` is a choice: the first edge whose condition holds is taken. Of `fork`, all edges whose
    conditions hold are taken, concurrently. A node without either is an end. The agent's result is
    written under the key `writes`, or else under the node's own name; the agent sees the values
    under the keys of `reads`, or else the whole state. `task` is the kind of work, for agents that
    have several. `tools` are the tools of its list that it may use here. `timeout` covers all its
    work, a fallback included. `rounds` is the maximum number of runs when the graph returns to it.
    `market` replaces the question's own market.
    """

    name: NodeName
    agent: AgentId
    task: TaskType
    next: Edges = ()
    fork: Edges = ()
    join: Join = Join.ALL
    reads: Annotated[tuple[NodeName, ...], Field(max_length=100)] | None = None
    writes: NodeName | None = None
    tools: Annotated[tuple[ToolName, ...], Field(max_length=40)] | None = None
    timeout: PositiveSpan | None = None
    retries: RetryConfig | None = None
    fallback: AgentId | None = None
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = 1
    instructions: Text | None = None
    market: Annotated[MarketSpec | None, Field(exclude_if=is_none)] = None

    @property
    def key(self) -> str:
        """The key of the state that the node writes."""
        return self.writes or self.name

    @property
    def edges(self) -> tuple[Edge, ...]:
        """All edges of the node, those of `next` first."""
        return (*self.next, *self.fork)


class ParameterSpec(Contract):
    """A parameter of a graph, given in addition to the question."""

    name: NodeName
    description: Text = ""
    default: Text | None = None
    required: bool = False


class GraphSpec(Contract):
    """A graph that can be run. It starts at the first node.

    `merges` defines the value of keys that several nodes write.
    """

    name: NodeName
    description: Text = ""
    parameters: Annotated[tuple[ParameterSpec, ...], Field(max_length=50)] = ()
    merges: Annotated[dict[NodeName, Merge], Field(max_length=100)] = Field(default_factory=dict)
    nodes: Annotated[tuple[NodeSpec, ...], Field(min_length=1, max_length=MOST_NODES)]

    def node(self, name: str) -> NodeSpec:
        """Returns the node with the given name.

        Raises:
            KeyError: there is none.
        """
        found = next((node for node in self.nodes if node.name == name), None)
        if found is None:
            raise KeyError(name)
        return found


class NodeState(StrEnum):
    """The state of a node. `skipped`: no edge to it was taken."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


def markets_of(
    market: MarketSpec | None,
    swarm: SwarmRecord | None,
    stock: StockRecord | None,
    graph: GraphSpec,
) -> tuple[MarketSpec, ...]:
    """Returns the markets that a graph's claims are about: its own, those of its nodes and of its
    swarm, and the stock of its episode."""
    nodes = (node.market for node in graph.nodes)
    own = [spec for spec in (market, stock.market if stock else None, *nodes) if spec]
    everyone = (*own, *(swarm.markets if swarm else ()))
    return tuple({spec.market: spec for spec in reversed(everyone)}.values())[::-1]


def conflicts_of(
    swarm: SwarmRecord | None, stock: StockRecord | None
) -> tuple[ConflictRecord, ...]:
    """Returns the conflicts between the findings of a swarm or of an episode."""
    told = swarm or stock
    return told.conflicts if told else ()
