"""The run of a graph: its request, the outcomes of its nodes, its status and result."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tasks import Query
from desk.contracts.agents.tools import MOST_EVIDENCE, ToolResult
from desk.contracts.agents.usage import Usage
from desk.contracts.base import Contract, Instant, ShortText, Text, is_empty, is_none
from desk.contracts.episode.stock import StockRecord
from desk.contracts.findings.document import PublishedFiles
from desk.contracts.findings.results import ConflictRecord
from desk.contracts.markets import MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.question.graph import (
    MOST_NODES,
    MOST_OUTCOMES,
    GraphSpec,
    NodeName,
    NodeState,
    conflicts_of,
    markets_of,
)
from desk.contracts.runs.turns import StateEntry
from desk.contracts.swarm.record import SwarmRecord
from desk.contracts.week.report import Contribution
from desk.contracts.weeks import IsoWeek, TimeWindow


class NodeOutcome(Contract):
    """The outcome of a node in one round: an entry of the state, and the evidence it rests on."""

    entry: StateEntry
    evidence: Annotated[tuple[ToolResult, ...], Field(max_length=MOST_EVIDENCE)] = ()
    contribution: Contribution
    started_at: Instant
    ended_at: Instant
    dead_letter: ShortText | None = None


class NodeStatus(Contract):
    """A line of the status board of a graph."""

    node: NodeName
    agent: AgentId
    state: NodeState
    round: int = 0
    started_at: Instant | None = None
    ended_at: Instant | None = None
    note: ShortText | None = None


class GraphRequest(Contract):
    """The request that starts a run of a graph.

    `market` is the market of its research agents, if it has any. Without `as_of`, the run's as-of
    instant is its start; days are those of `time_zone`. `window` is the period that the question is
    about, whose end is the as-of instant; without it, the window is the days before the as-of
    instant.
    `markets` are the desk's markets, from which a node that plans the rest of the graph may choose.
    """

    graph: GraphSpec
    query: Query
    policy: RunPolicy = RunPolicy()
    market: Annotated[MarketSpec | None, Field(exclude_if=is_none)] = None
    as_of: Annotated[Instant | None, Field(exclude_if=is_none)] = None
    time_zone: ShortText = "Europe/London"
    window: Annotated[TimeWindow | None, Field(exclude_if=is_none)] = None
    markets: Annotated[tuple[MarketSpec, ...], Field(max_length=200, exclude_if=is_empty)] = ()


class GraphStatus(Contract):
    """The answer of a graph's `status` query."""

    question: Text
    graph: ShortText
    phase: Phase
    as_of: Instant
    started_at: Instant
    deadline: Instant
    nodes: Annotated[tuple[NodeStatus, ...], Field(max_length=MOST_NODES)]
    usage: Usage = Usage()
    budget: Allowance = Allowance()
    files: PublishedFiles | None = None


class GraphRecord(Contract):
    """The findings of a graph's run: everything that its report is compiled from.

    `nodes` has the outcome of every round of every node, in the order of the file; `skipped` are
    the nodes that were not reached. For a swarm, the graph is built from its plans, and `swarm` has
    what a graph does not; for a stock's episode, the graph is built from its steps, and `stock` has
    the rest.
    """

    request: GraphRequest
    week: IsoWeek
    window: TimeWindow
    nodes: Annotated[tuple[NodeOutcome, ...], Field(max_length=MOST_OUTCOMES)]
    skipped: Annotated[tuple[NodeName, ...], Field(max_length=MOST_NODES, exclude_if=is_empty)] = ()
    started_at: Instant
    workflow_id: ShortText
    run_id: ShortText
    swarm: Annotated[SwarmRecord | None, Field(exclude_if=is_none)] = None
    stock: Annotated[StockRecord | None, Field(exclude_if=is_none)] = None

    @property
    def specs(self) -> tuple[MarketSpec, ...]:
        """The markets that its claims are about."""
        return markets_of(self.request.market, self.swarm, self.stock, self.request.graph)

    @property
    def due(self) -> datetime | None:
        """When an episode's outcome is due; None for other runs."""
        return self.stock.due if self.stock else None

    @property
    def conflicts(self) -> tuple[ConflictRecord, ...]:
        """The conflicts between its findings."""
        return conflicts_of(self.swarm, self.stock)


class AnswerPublication(Contract):
    """The publication of an answer. `answered`: whether the question was answered; None in older
    histories."""

    files: PublishedFiles
    outcome: Outcome
    summary: Text
    answered: Annotated[bool | None, Field(exclude_if=is_none)] = None


class GraphResult(Contract):
    """The result of a graph's run. `answered`: whether the question was answered."""

    outcome: Outcome
    files: PublishedFiles
    summary: Text
    answered: Annotated[bool | None, Field(exclude_if=is_none)] = None
    seconds: Annotated[float, Field(ge=0.0)]
